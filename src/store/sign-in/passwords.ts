// Passwords of members, and how often wrong ones were tried. What was typed is never stored.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

export interface StoredPassword {
  readonly salt: Buffer;
  /** What it takes to compute the digest. */
  readonly cost: number;
  readonly digest: Buffer;
}

export async function findPassword(
  transaction: Transaction,
  orgId: number,
  memberId: string,
): Promise<StoredPassword | undefined> {
  const [row] = await transaction.query<StoredPassword>(sql`
    select p.salt, p.cost, p.digest from orrery.password as p where p.org_id = ${orgId} and p.member_id = ${memberId}`);
  return row;
}

/** A member who was deleted has none when it comes back. */
export async function removePassword(transaction: Transaction, orgId: number, memberId: string): Promise<void> {
  await transaction.query(sql`
    delete from orrery.password as p where p.org_id = ${orgId} and p.member_id = ${memberId}`);
}

export async function putPassword(
  transaction: Transaction,
  orgId: number,
  memberId: string,
  { salt, cost, digest }: StoredPassword,
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.password (org_id, member_id, salt, cost, digest)
    values (${orgId}, ${memberId}, ${salt}, ${cost}, ${digest})
    on conflict (org_id, member_id) do update set salt = excluded.salt, cost = excluded.cost, digest = excluded.digest,
      changed_at = excluded.changed_at`);
}

const { freeFailures, failuresKeptSeconds, firstWaitSeconds } = bounds.signIn;

/** When the next try may come, after so many failures. After a while they are forgotten in any case. */
const nextAt = sql`least(t.since + make_interval(secs => ${failuresKeptSeconds}),
  t.last_at + make_interval(secs => ${firstWaitSeconds} * 2 ^ least(t.failures - ${freeFailures}, 10)))`;

/**
 * Counts a try of each subject, which are digests, before its outcome is known, so that many at once do not slip through.
 * Returns how many seconds are left to wait, and counts nothing, if one of them has failed too often.
 */
export async function countTry(transaction: Transaction, orgId: number, subjects: readonly string[]): Promise<number> {
  // In one order for everybody: two tries of the same subjects must not wait for each other.
  for (const subject of subjects.toSorted()) {
    await transaction.query(sql`
      insert into orrery.sign_in_try (org_id, subject, failures, since, last_at, before_at)
      values (${orgId}, ${subject}, 0, now(), now(), now())
      on conflict (org_id, subject) do update set failures = sign_in_try.failures`);
  }
  await transaction.query(sql`
    update orrery.sign_in_try as t set failures = 0, since = now()
    where t.org_id = ${orgId} and t.subject = any (${ids(subjects)}::text[]) and t.since < ${forgotten}`);
  const [row] = await transaction.query<{ seconds: number }>(sql`
    select coalesce(max(extract(epoch from ${nextAt} - now())), 0)::float8 as seconds from orrery.sign_in_try as t
    where t.org_id = ${orgId} and t.subject = any (${ids(subjects)}::text[]) and t.failures >= ${freeFailures}`);
  if ((row?.seconds ?? 0) > 0) return Math.ceil(row?.seconds ?? 0);
  await transaction.query(sql`
    update orrery.sign_in_try as t set failures = t.failures + 1, before_at = t.last_at, last_at = now()
    where t.org_id = ${orgId} and t.subject = any (${ids(subjects)}::text[])`);
  return 0;
}

const forgotten = sql`now() - make_interval(secs => ${failuresKeptSeconds})`;

/** After the right password: nothing is held against the account, and the other subjects get their try back. */
export async function forgiveTry(
  transaction: Transaction,
  orgId: number,
  account: string,
  others: readonly string[],
): Promise<void> {
  // In the same order as they were counted.
  for (const subject of [account, ...others].toSorted()) {
    await transaction.query(
      subject === account
        ? sql`delete from orrery.sign_in_try as t where t.org_id = ${orgId} and t.subject = ${subject}`
        : sql`update orrery.sign_in_try as t set failures = greatest(t.failures - 1, 0), last_at = t.before_at
            where t.org_id = ${orgId} and t.subject = ${subject}`,
    );
  }
}

export async function purgeTries(transaction: Transaction, orgId: number): Promise<void> {
  await transaction.query(sql`
    delete from orrery.sign_in_try as t
    where t.org_id = ${orgId} and t.since < ${forgotten}`);
}
