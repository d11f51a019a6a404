// The statements that erase a record at once: its rows, and those of the duplicates that were merged into it. Its history can
// be long, and is erased step by step (`erase-history`).
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { type FeedEntry, insertEntries, type Origin } from '../feed/entries.ts';
import { rowBytes } from '../row-bytes.ts';
import { ids, numbers } from '../row-parameters.ts';

/** Locks those of the records that are in the trash, in the order of their ids: nobody can restore them any more. */
export async function lockInTrash(
  transaction: Transaction,
  orgId: number,
  typeId: number,
  recordIds: readonly string[],
): Promise<void> {
  await transaction.query(sql`
    select 1 as locked from orrery.trash as t
    where t.org_id = ${orgId} and t.type_id = ${typeId} and t.id = any (${ids(recordIds)}::uuid[])
    order by t.id for update`);
}

interface ErasedRows {
  readonly orgId: number;
  readonly typeId: number;
  /** The record, which is in the trash by now, and whose entry in the feed is noted. */
  readonly id: string;
  /** The duplicates that were merged into it. The feed tells their end here. */
  readonly duplicates: readonly string[];
  readonly origin: Origin;
}

/**
 * Removes the records from the trash, with all that belongs to them alone. Their links stay until the end of the unit.
 * Returns the estimated bytes that this frees.
 */
export async function removeErased(transaction: Transaction, erased: ErasedRows): Promise<number> {
  const { orgId, typeId, id, duplicates, origin } = erased;
  const all = sql`any (${ids([id, ...duplicates])}::uuid[])`;
  const users = await transaction.query<{ recordId: string; userId: string }>(sql`
    delete from orrery.record_user as u where u.org_id = ${orgId} and u.type_id = ${typeId} and u.record_id = ${all}
    returning u.record_id as "recordId", u.user_id as "userId"`);
  const externalIds = await transaction.query(sql`
    delete from orrery.external_id as e where e.org_id = ${orgId} and e.type_id = ${typeId} and e.record_id = ${all}
    returning 1 as gone`);
  await transaction.query(sql`
    delete from orrery.fact as f where f.org_id = ${orgId} and f.type_id = ${typeId} and f.id = ${all}`);
  await transaction.query(sql`
    delete from orrery.search as s where s.org_id = ${orgId} and s.type_id = ${typeId} and s.record_id = ${all}`);
  await transaction.query(sql`
    delete from orrery.merged as m where m.org_id = ${orgId} and (m.duplicate_id = ${all} or m.kept_id = ${all})`);
  const trashed = await transaction.query<TrashedRow>(sql`
    select t.id, t.version, t.org_visible as "orgVisible",
      ${rowBytes.trash}::integer + pg_column_size(t.properties) as bytes
    from orrery.trash as t where t.org_id = ${orgId} and t.type_id = ${typeId} and t.id = ${all}`);
  await transaction.query(sql`
    delete from orrery.trash as t where t.org_id = ${orgId} and t.type_id = ${typeId} and t.id = ${all}`);
  const entries = trashed
    .filter((row) => row.id !== id)
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    .map((row): FeedEntry => {
      const seeing = users.filter(({ recordId }) => recordId === row.id).map(({ userId }) => userId);
      const version = Number(row.version) + 1;
      const changed = row.orgVisible ? null : JSON.stringify(seeing);
      return { origin, kind: 'record.deleted', typeId, id: row.id, version, changed };
    });
  if (entries.length > 0) await transaction.query(insertEntries(orgId, entries));
  const freed = trashed.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    freed + users.length * rowBytes.user + externalIds.length * rowBytes.externalId - entries.length * rowBytes.entry
  );
}

interface TrashedRow {
  readonly id: string;
  readonly version: string;
  readonly orgVisible: boolean;
  readonly bytes: number;
}

interface Linked {
  readonly orgId: number;
  readonly recordIds: readonly string[];
  /** The types whose records are counted, and the association types by which these can be linked, seen from the records. */
  readonly typeIds: readonly number[];
  readonly incoming: readonly number[];
  readonly outgoing: readonly number[];
}

interface LinkedCounts {
  readonly byType: ReadonlyMap<number, number>;
  /** Whether every link was counted. */
  readonly isWhole: boolean;
}

/** How many live records of each of these types are linked to the records. So many links are read in each direction. */
export async function countLinked(transaction: Transaction, linked: Linked, most: number): Promise<LinkedCounts> {
  const { orgId, typeIds, incoming, outgoing } = linked;
  const of = ids(linked.recordIds);
  const rows = await transaction.query<{ typeId: number | null; count: number; isWhole: boolean }>(sql`
    with incoming as materialized (
      select a.source_type_id as type_id, a.source_id as id from orrery.association as a
      where a.org_id = ${orgId} and a.target_id = any (${of}::uuid[])
        and a.association_type_id = any (${numbers(incoming)}::integer[]) limit ${most + 1}),
    outgoing as materialized (
      select a.target_type_id as type_id, a.target_id as id from orrery.association as a
      where a.org_id = ${orgId} and a.source_id = any (${of}::uuid[])
        and a.association_type_id = any (${numbers(outgoing)}::integer[]) limit ${most + 1})
    select c.type_id as "typeId", coalesce(c.count, 0) as count, w.whole as "isWhole"
    from (select (select count(*) from incoming) <= ${most} and (select count(*) from outgoing) <= ${most} as whole) as w
    left join (
      select l.type_id, count(*)::integer as count from (
        select i.type_id, i.id from incoming as i union select o.type_id, o.id from outgoing as o) as l
      join orrery.record as r on r.org_id = ${orgId} and r.type_id = l.type_id and r.id = l.id
      where l.type_id = any (${numbers(typeIds)}::integer[])
      group by l.type_id) as c on true`);
  const byType = new Map(rows.flatMap(({ typeId, count }) => (typeId === null ? [] : [[typeId, count] as const])));
  return { byType, isWhole: rows.every(({ isWhole }) => isWhole) };
}

/** Which of the records have more entries, long values or links than one step erases. */
export async function findLong(
  transaction: Transaction,
  orgId: number,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { purgedRowsAtOnce, purgedRecordsAtOnce } = bounds.store;
  const rows = await transaction.query<{ id: string }>(sql`
    select k.id from unnest(${ids(recordIds)}::uuid[]) as k (id)
    where ${purgedRowsAtOnce} <= (select count(*) from (select 1 from orrery.change as c
        where c.org_id = ${orgId} and c.record_id = k.id limit ${purgedRowsAtOnce}) as c)
      or ${purgedRecordsAtOnce} <= (select count(*) from (select 1 from orrery.former_value as f
        where f.org_id = ${orgId} and f.record_id = k.id limit ${purgedRecordsAtOnce}) as f)
      or ${purgedRowsAtOnce} <= (select count(*) from (select 1 from orrery.association as a
        where a.org_id = ${orgId} and a.source_id = k.id limit ${purgedRowsAtOnce}) as a)
      or ${purgedRowsAtOnce} <= (select count(*) from (select 1 from orrery.association as a
        where a.org_id = ${orgId} and a.target_id = k.id limit ${purgedRowsAtOnce}) as a)`);
  return new Set(rows.map(({ id }) => id));
}
