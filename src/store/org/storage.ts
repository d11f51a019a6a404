// What orgs store: one row for each, to which processes add what they have written. The numbers are estimates by
// `row-bytes`; counting the rows themselves is in `count-storage`.
import { orDistributed, type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { rowSource } from '../row-parameters.ts';

/** Adds to what the org stores, and returns it; `bytes` is negative if rows were removed. Undefined without such an org. */
export async function addStorage(transaction: Transaction, orgId: number, bytes: number): Promise<number | undefined> {
  const [row] = await transaction.query<{ bytes: string }>(sql`
    update orrery.storage set bytes = greatest(0, bytes + ${bytes}::bigint) where org_id = ${orgId} returning bytes`);
  return row && Number(row.bytes);
}

interface Addition {
  readonly orgId: number;
  readonly bytes: number;
}

const additions = rowSource<Addition>(
  ['org_id', 'integer', ({ orgId }) => orgId],
  ['bytes', 'bigint', ({ bytes }) => bytes],
);

/**
 * The same for many orgs; returns what each of them stores. Those whose rows somebody else is changing are left out, and so are
 * all where the tables are distributed: one transaction cannot write in many places.
 */
export async function addStorages(
  transaction: Transaction,
  many: readonly Addition[],
): Promise<ReadonlyMap<number, number>> {
  const statement = sql`
    with free as (
      select s.org_id, k.bytes from orrery.storage as s join ${additions(many)} on k.org_id = s.org_id
      order by s.org_id for no key update of s skip locked)
    update orrery.storage as s set bytes = greatest(0, s.bytes + f.bytes) from free as f where s.org_id = f.org_id
    returning s.org_id as "orgId", s.bytes`;
  const none = () => sql`select 0 as "orgId", '0' as bytes where false`;
  const rows = await transaction.query<{ orgId: number; bytes: string }>(orDistributed(statement, none));
  return new Map(rows.map(({ orgId, bytes }) => [orgId, Number(bytes)]));
}

export async function insertStorage(transaction: Transaction, orgId: number, bytes: number): Promise<void> {
  await transaction.query(sql`
    insert into orrery.storage (org_id, bytes, counted_at) values (${orgId}, ${bytes}, now())`);
}

/** What the org stores, and whether its rows were ever counted. */
export async function findStorage(
  transaction: Transaction,
  orgId: number,
): Promise<{ readonly bytes: number; readonly isCounted: boolean } | undefined> {
  const [row] = await transaction.query<{ bytes: string; isCounted: boolean }>(sql`
    select bytes, counted_at is not null as "isCounted" from orrery.storage where org_id = ${orgId}`);
  return row && { bytes: Number(row.bytes), isCounted: row.isCounted };
}

/** What an org stores, and how much it may; null if it may store any amount. */
export interface OrgStorage {
  readonly orgId: number;
  readonly bytes: number;
  readonly quota: number | null;
}

/** All orgs: for the operator, never in a request, like the two below. */
export async function listStorage(transaction: Transaction): Promise<readonly OrgStorage[]> {
  return readStorage(transaction, sql`order by s.org_id`);
}

/** The orgs that have used most of their quota, then the largest without one. */
export async function listFullestOrgs(transaction: Transaction, limit: number): Promise<readonly OrgStorage[]> {
  return readStorage(
    transaction,
    sql`order by s.bytes / o.storage_quota::float8 desc nulls last, s.bytes desc, s.org_id limit ${limit}`,
  );
}

export async function listLargestOrgs(transaction: Transaction, limit: number): Promise<readonly OrgStorage[]> {
  return readStorage(transaction, sql`order by s.bytes desc, s.org_id limit ${limit}`);
}

async function readStorage(transaction: Transaction, order: Sql): Promise<readonly OrgStorage[]> {
  const rows = await transaction.query<{ orgId: number; bytes: string; quota: string | null }>(sql`
    select o.org_id as "orgId", s.bytes, o.storage_quota as quota
    from orrery.org as o join orrery.storage as s on s.org_id = o.org_id ${order}`);
  return rows.map(({ orgId, bytes, quota }) => ({
    orgId,
    bytes: Number(bytes),
    quota: quota === null ? null : Number(quota),
  }));
}
