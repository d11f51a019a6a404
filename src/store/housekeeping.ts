// What is taken away when its time is over: records in the trash with their links, and answers kept for idempotency.
// Each statement takes a bounded number of rows of one org, so that none runs long, whatever has piled up.
import { sql } from '../base/sql.ts';
import type { Transaction } from './database.ts';

/** Any constant serves, as long as it is always the same one. */
const advisoryLock = 0x6f727279 + 1;
const recordsAtOnce = 500;
const rowsAtOnce = 5_000;

/** True for one process at a time, until its transaction ends. */
export async function lockHousekeeping(transaction: Transaction): Promise<boolean> {
  const [row] = await transaction.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${advisoryLock}) as locked`,
  );
  return row?.locked === true;
}

/** Purges what has been in the trash for too long, links first; returns whether there may be more. */
export async function purgeTrash(transaction: Transaction, orgId: number, keptSeconds: number): Promise<boolean> {
  const due = sql`select t.type_id, t.id from orrery.trash as t
    where t.org_id = ${orgId} and t.deleted_at < now() - make_interval(secs => ${keptSeconds})
    order by t.deleted_at, t.id limit ${recordsAtOnce} for update skip locked`;
  const links = await transaction.query<{ gone: number }>(sql`
    with due as (${due}),
      doomed as (
        (select a.source_id, a.association_type_id, a.target_id from orrery.association as a
          join due on a.source_id = due.id where a.org_id = ${orgId} limit ${rowsAtOnce})
        union
        (select a.source_id, a.association_type_id, a.target_id from orrery.association as a
          join due on a.target_id = due.id where a.org_id = ${orgId} limit ${rowsAtOnce}))
    delete from orrery.association as a using doomed as d
    where a.org_id = ${orgId} and a.source_id = d.source_id and a.association_type_id = d.association_type_id
      and a.target_id = d.target_id
    returning 1 as gone`);
  if (links.length >= rowsAtOnce) return true;
  const records = await transaction.query<{ gone: number }>(sql`
    with due as (${due}),
      users as (
        delete from orrery.record_user as u using due
        where u.org_id = ${orgId} and u.type_id = due.type_id and u.record_id = due.id)
    delete from orrery.trash as t using due
    where t.org_id = ${orgId} and t.type_id = due.type_id and t.id = due.id
    returning 1 as gone`);
  return records.length >= recordsAtOnce;
}

/** Returns whether there may be more. */
export async function purgeAnswers(transaction: Transaction, orgId: number, keptSeconds: number): Promise<boolean> {
  const rows = await transaction.query<{ gone: number }>(sql`
    with due as (
      select credential_id, target, key from orrery.idempotency
      where org_id = ${orgId} and created_at < now() - make_interval(secs => ${keptSeconds})
      order by created_at limit ${rowsAtOnce})
    delete from orrery.idempotency as i using due
    where i.org_id = ${orgId} and i.credential_id = due.credential_id and i.target = due.target and i.key = due.key
    returning 1 as gone`);
  return rows.length >= rowsAtOnce;
}
