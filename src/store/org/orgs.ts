// Orgs. Every change of what processes cache goes through `raiseRevision`, in the transaction of the
// change.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { tryLock } from '../locks.ts';

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

export async function insertOrg(transaction: Transaction, org: Omit<Org, 'orgId' | 'createdAt'>): Promise<number> {
  const [next] = await transaction.query<{ org_id: number }>(sql`select nextval('orrery.org_id')::integer as org_id`);
  const orgId = next?.org_id ?? 0;
  await transaction.query(sql`
    insert into orrery.org (org_id, name, currency, rate_quota, rate_window_seconds, storage_quota)
    values (${orgId}, ${org.name}, ${org.currency}, ${org.rateQuota}, ${org.rateWindowSeconds}, ${org.storageQuota})`);
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

/** Locks the org against another change of its administration until the transaction ends. */
export async function lockOrg(transaction: Transaction, orgId: number): Promise<void> {
  await transaction.query(sql`select 1 as locked from orrery.org where org_id = ${orgId} for no key update`);
}

/** Holds changes of its administration off until the transaction ends, but nobody else who does the same. */
export async function holdOrg(transaction: Transaction, orgId: number): Promise<void> {
  await transaction.query(sql`select 1 as held from orrery.org where org_id = ${orgId} for share`);
}

/** For creating the first org only if there is none: true for one process at a time, until its transaction ends. */
export function lockFirstOrg(transaction: Transaction): Promise<boolean> {
  return tryLock(transaction, { use: 'firstOrg' });
}

/** The only org; undefined if there is none, or if there are several. */
export async function findOnlyOrg(transaction: Transaction): Promise<Pick<Org, 'orgId' | 'name'> | undefined> {
  const orgs = await transaction.query<Pick<Org, 'orgId' | 'name'>>(
    sql`select org_id as "orgId", name from orrery.org order by org_id limit 2`,
  );
  return orgs.length === 1 ? orgs[0] : undefined;
}

/** Every org: for the operator, never in a request. */
export async function listOrgs(transaction: Transaction): Promise<readonly Org[]> {
  const orgs = await transaction.query<OrgRow>(sql`select ${orgColumns} from orrery.org order by org_id`);
  return orgs.map(toOrg);
}
