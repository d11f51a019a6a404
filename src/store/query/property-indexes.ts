// The indexes that properties get while the service runs: from `building`, when writers begin to write their rows, to
// `ready`, when all records have theirs and queries may use them.
import { firstId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { raw, sql } from '../../base/sql.ts';
import type { PropertyIndex } from '../../schema/catalog.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { Transaction } from '../database.ts';
import { indexTables } from '../index-tables.ts';
import { type IndexRow, insertIndexRows } from '../records/index-rows.ts';

export async function findIndexes(transaction: Transaction, orgId: number): Promise<readonly PropertyIndex[]> {
  return transaction.query<PropertyIndex>(sql`
    select type_id as "typeId", property_id as "propertyId", state from orrery.property_index where org_id = ${orgId}`);
}

/** An index as the operator sees it. */
export interface IndexReport extends PropertyIndex {
  readonly orgId: number;
  readonly filled: number;
}

/** Every index of all orgs, the oldest first: for the operator and for the process that builds them. */
export async function listIndexes(transaction: Transaction): Promise<readonly IndexReport[]> {
  const rows = await transaction.query<Omit<IndexReport, 'filled'> & { readonly filled: string }>(sql`
    select org_id as "orgId", type_id as "typeId", property_id as "propertyId", state, filled
    from orrery.property_index order by begun_at, org_id, type_id, property_id`);
  return rows.map((row) => ({ ...row, filled: Number(row.filled) }));
}

/** Whether the index is new and the type does not have too many: each one makes writing its records slower. */
export async function beginIndex(
  transaction: Transaction,
  orgId: number,
  typeId: number,
  propertyId: number,
): Promise<boolean> {
  const rows = await transaction.query(sql`
    insert into orrery.property_index (org_id, type_id, property_id, state)
    select ${orgId}::integer, ${typeId}::integer, ${propertyId}::integer, 'building'
    where (select count(*) from orrery.property_index as p where p.org_id = ${orgId} and p.type_id = ${typeId})
      < ${bounds.store.indexesPerType}
    on conflict do nothing returning 1 as begun`);
  return rows.length > 0;
}

/** Any constant works, as long as it never changes. */
const advisoryLock = 0x6f727279 + 2;

/** True for one process at a time, until its transaction ends. */
export async function lockIndexBuilding(transaction: Transaction): Promise<boolean> {
  const [row] = await transaction.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${advisoryLock}) as locked`,
  );
  return row?.locked === true;
}

/**
 * Whether rows may be filled: every writer knows of the index, and transactions that did not know of it have ended.
 * First the grace period passes, in which processes learn of it; then a transaction is noted, and all before it must
 * end.
 */
export async function passBarrier(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
  graceMs: number,
): Promise<boolean> {
  const [row] = await transaction.query<{ passed: boolean }>(sql`
    select coalesce(barrier < pg_snapshot_xmin(pg_current_snapshot()), false) as passed from orrery.property_index
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
  if (row?.passed === true) return true;
  await transaction.query(sql`
    update orrery.property_index set barrier = pg_current_xact_id()
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId} and barrier is null
      and begun_at <= clock_timestamp() - make_interval(secs => ${graceMs / 1_000})`);
  return false;
}

/**
 * Removes the rows written before every writer knew of the index: writers that did not know of it may have changed the
 * records since. From now on every writer knows of it, and all records are filled.
 */
export async function clearIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
  kind: IndexKind,
): Promise<void> {
  await transaction.query(sql`
    delete from ${indexTables[kind].table} as i using orrery.property_index as p
    where p.org_id = ${orgId} and p.type_id = ${typeId} and p.property_id = ${propertyId} and p.filled_to is null
      and i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId}`);
}

interface UnfilledRecord {
  readonly id: string;
  readonly value: Json;
}

/**
 * The next records without rows, locked so that nobody changes them until their rows are there. Waits for a record that
 * is being changed.
 */
export async function lockUnfilled(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
  property: string,
): Promise<readonly UnfilledRecord[]> {
  await transaction.script(`set local lock_timeout = ${bounds.store.indexLockMs}`);
  return transaction.query<UnfilledRecord>(sql`
    select r.id, r.properties -> ${property}::text as value from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id > coalesce((
      select p.filled_to from orrery.property_index as p
      where p.org_id = ${orgId} and p.type_id = ${typeId} and p.property_id = ${propertyId}), ${firstId}::uuid)
    order by r.id limit ${bounds.store.indexedAtOnce} for share of r`);
}

/**
 * Writes the rows of some records and records the progress. Records that were written meanwhile have their rows
 * already.
 */
export async function fillIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
  rows: readonly IndexRow[],
  records: readonly UnfilledRecord[],
): Promise<void> {
  for (const statement of insertIndexRows(orgId, rows)) {
    await transaction.query(sql`${statement} ${raw('on conflict do nothing')}`);
  }
  await transaction.query(sql`
    update orrery.property_index set filled_to = ${records.at(-1)?.id ?? firstId}, filled = filled + ${records.length}
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
}

export async function finishIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
): Promise<void> {
  await transaction.query(sql`
    update orrery.property_index set state = 'ready'
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
}
