// Fills and empties the automatic indexes, a step at a time. While an index is being built, writers begin to write its
// rows; when all records have theirs, it is ready. A retired index is still written, for queries that began before; then
// writers stop and its rows are removed.
import { firstId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { raw, sql } from '../../base/sql.ts';
import type { PropertyIndex } from '../../schema/catalog.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { Transaction } from '../database.ts';
import { databaseTime } from '../database-time.ts';
import { indexTables } from '../index-tables.ts';
import { lockTime } from '../lock-time.ts';
import { tryLock } from '../locks.ts';
import { type IndexRow, insertIndexRows } from '../records/index-rows.ts';

/** True for one process at a time, until its transaction ends. */
export function lockIndexBuilding(transaction: Transaction): Promise<boolean> {
  return tryLock(transaction, { use: 'indexBuilding' });
}

/**
 * Whether every process knows the state of the index, and transactions that did not know it have ended. First the grace
 * period passes, in which processes learn of it; then a transaction is noted, and all before it must end. Locks the
 * index; false if its state has changed meanwhile.
 */
export async function passBarrier(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId, state }: PropertyIndex,
  graceMs: number,
): Promise<boolean> {
  // Asked apart from the index, which may be on another server.
  const [now] = await transaction.query<{ oldest: string; own: string; at: Date }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_current_xact_id()::text as own,
      clock_timestamp() as at`);
  if (now === undefined) throw new TypeError('The present state of the server is one row.');
  const [row] = await transaction.query<{ passed: boolean }>(sql`
    select coalesce(barrier < ${now.oldest}::xid8, false) as passed from orrery.property_index
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId} and state = ${state} for update`);
  if (row === undefined || row.passed) return row !== undefined;
  await transaction.query(sql`
    update orrery.property_index set barrier = ${now.own}::xid8
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId} and barrier is null
      and begun_at <= ${new Date(now.at.getTime() - graceMs)}::timestamptz`);
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
  key: string,
): Promise<readonly UnfilledRecord[]> {
  await transaction.query(lockTime(bounds.store.indexLockMs));
  return transaction.query<UnfilledRecord>(sql`
    select r.id, r.properties -> ${key}::text as value from orrery.record as r
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

/** From now on writers leave the index alone. */
export async function startDropping(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
): Promise<void> {
  const at = await databaseTime(transaction);
  await transaction.query(sql`
    update orrery.property_index set state = 'dropping', begun_at = ${at}::timestamptz, barrier = null
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
}

/** Removes some rows of the index; returns whether there may be more. */
export async function emptyIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
  kind: IndexKind,
): Promise<boolean> {
  const { table } = indexTables[kind];
  const rows = await transaction.query<{ gone: number }>(sql`
    with doomed as (
      select i.unset, i.value, i.record_id from ${table} as i
      where i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId}
      limit ${bounds.store.purgedRowsAtOnce})
    delete from ${table} as i using doomed as d
    where i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId}
      and i.unset = d.unset and i.value = d.value and i.record_id = d.record_id
    returning 1 as gone`);
  return rows.length >= bounds.store.purgedRowsAtOnce;
}

/** Frees the slot of the index. */
export async function removeIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: PropertyIndex,
): Promise<void> {
  await transaction.query(sql`
    delete from orrery.property_index
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
}
