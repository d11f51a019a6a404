// Orgs and their users. Every change of what processes cache goes through `raiseRevision`, in the transaction of the
// change.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { tryLock } from '../locks.ts';
import { ids } from '../row-parameters.ts';

export interface Org {
  readonly orgId: number;
  readonly name: string;
  readonly currency: string;
  readonly rateQuota: number;
  readonly rateWindowSeconds: number;
  /** The bytes that it may store; null if any number. */
  readonly storageQuota: number | null;
  readonly createdAt: Date;
}

export interface User {
  readonly userId: string;
  readonly orgId: number;
  readonly name: string;
  readonly email: string | null;
  readonly createdAt: Date;
}

export async function insertOrg(transaction: Transaction, org: Omit<Org, 'orgId' | 'createdAt'>): Promise<number> {
  const [next] = await transaction.query<{ org_id: number }>(sql`select nextval('orrery.org_id')::integer as org_id`);
  const orgId = next?.org_id ?? 0;
  await transaction.query(sql`
    insert into orrery.org (org_id, name, currency, rate_quota, rate_window_seconds, storage_quota, changed_in)
    values (${orgId}, ${org.name}, ${org.currency}, ${org.rateQuota}, ${org.rateWindowSeconds}, ${org.storageQuota}, 0)`);
  await transaction.query(sql`
    insert into orrery.rate_window (org_id, started_at, leased, unspent, granted_now, granted_ahead)
    values (${orgId}, '-infinity', 0, 0, 0, 0)`);
  return orgId;
}

const orgColumns = sql`org_id as "orgId", name, currency, rate_quota as "rateQuota",
  rate_window_seconds as "rateWindowSeconds", storage_quota as "storageQuota", created_at as "createdAt"`;

interface OrgRow extends Omit<Org, 'storageQuota'> {
  readonly storageQuota: string | null;
}

function toOrg({ storageQuota, ...org }: OrgRow): Org {
  return { ...org, storageQuota: storageQuota === null ? null : Number(storageQuota) };
}

export async function findOrg(transaction: Transaction, orgId: number): Promise<Org | undefined> {
  const [org] = await transaction.query<OrgRow>(sql`select ${orgColumns} from orrery.org where org_id = ${orgId}`);
  return org && toOrg(org);
}

/** Only its name and limits change. */
export async function updateOrg(transaction: Transaction, org: Omit<Org, 'currency' | 'createdAt'>): Promise<void> {
  await transaction.query(sql`
    update orrery.org set name = ${org.name}, rate_quota = ${org.rateQuota},
      rate_window_seconds = ${org.rateWindowSeconds}, storage_quota = ${org.storageQuota}
    where org_id = ${org.orgId}`);
}

/** For creating the first org only if there is none: true for one process at a time, until its transaction ends. */
export function lockFirstOrg(transaction: Transaction): Promise<boolean> {
  return tryLock(transaction, { use: 'firstOrg' });
}

/** Every org: for the operator, never in a request. */
export async function listOrgs(transaction: Transaction): Promise<readonly Org[]> {
  const orgs = await transaction.query<OrgRow>(sql`select ${orgColumns} from orrery.org order by org_id`);
  return orgs.map(toOrg);
}

export async function insertUser(transaction: Transaction, user: Omit<User, 'createdAt'>): Promise<void> {
  await transaction.query(sql`
    insert into orrery.user (org_id, user_id, name, email)
    values (${user.orgId}, ${user.userId}, ${user.name}, ${user.email})`);
}

const userColumns = sql`user_id as "userId", org_id as "orgId", name, email, created_at as "createdAt"`;

export async function findUser(transaction: Transaction, orgId: number, userId: string): Promise<User | undefined> {
  const [user] = await transaction.query<User>(
    sql`select ${userColumns} from orrery.user where org_id = ${orgId} and user_id = ${userId}`,
  );
  return user;
}

/** Those of the ids that are users of the org. */
export async function findUserIds(
  transaction: Transaction,
  orgId: number,
  userIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await transaction.query<{ userId: string }>(sql`
    select user_id as "userId" from orrery.user
    where org_id = ${orgId} and user_id = any (${ids(userIds)}::uuid[])`);
  return rows.map((row) => row.userId);
}

export async function listUsers(transaction: Transaction, orgId: number): Promise<readonly User[]> {
  return transaction.query<User>(
    sql`select ${userColumns} from orrery.user where org_id = ${orgId} order by created_at, user_id`,
  );
}
