// What one request wrote, as the feed has it: its records, its entries, and which of its changes others have changed since.
import type { Json } from '../../base/json.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Reads } from '../database.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { ids, numbers, rowSource } from '../row-parameters.ts';
import { type Viewer, visibleTo } from '../viewer.ts';
import { entryKinds } from './entries.ts';
import { changedBytes, type HiddenKeys, seenChanges, tellsSomething } from './hidden-values.ts';

/** A request, and the types of the records that are looked at. */
export interface RequestScope {
  readonly orgId: number;
  readonly requestId: string;
  readonly typeIds: readonly number[];
}

/** The same for a caller who does not see all values: these are the keys of the others, by type. */
interface SeenScope extends RequestScope {
  readonly hidden: HiddenKeys;
}

/** The records of a type that a request wrote, with the number of entries and the bytes of the former and new values in them. */
interface WrittenRecords {
  readonly typeId: number;
  readonly ids: readonly string[];
  readonly entries: number;
  readonly bytes: number;
}

const { 'record.created': created, 'record.updated': updated, 'record.deleted': deleted } = entryKinds;
const { 'record.restored': restored, 'association.deleted': unlinked, 'visibility.lost': lost } = entryKinds;

/** Entries about records of the types, and not only about who sees them. */
function isAboutRecords({ typeIds }: RequestScope): Sql {
  return sql`c.type_id = any (${numbers(typeIds)}::integer[]) and c.kind < ${lost}`;
}

/**
 * Entries of the request among those of some records. Compared as text, so that they are found by their records: a request can
 * have very many more entries than a record, and PostgreSQL does not know that before its first statistics.
 */
export function wroteIt(requestId: string): Sql {
  return sql`c.request_id::text = ${requestId}::text`;
}

/** The records that the request wrote and the viewer sees, as far as the first `most` entries about them tell. */
export async function findWritten(
  database: Reads,
  viewer: Viewer,
  scope: SeenScope,
  most: number,
): Promise<readonly WrittenRecords[]> {
  const seenIn = (place: Sql) => sql`exists (select 1 from orrery.${place} as r
    where ${visibleTo(viewer)} and r.type_id = c.type_id and r.id = c.record_id)`;
  const isSeen = viewer.onlyUser === null ? raw('true') : sql`(${seenIn(raw('record'))} or ${seenIn(raw('trash'))})`;
  // Thousands of ids are read as one text: as rows they would hold the thread.
  const rows = await database.query<Omit<WrittenRecords, 'ids'> & { readonly ids: string }>(sql`
    select r.type_id as "typeId", string_agg(r.record_id::text, ',' order by r.record_id) as ids,
      sum(r.entries)::integer as entries, sum(r.bytes)::float8 as bytes
    from (
      select e.type_id, e.record_id, count(*) as entries, sum(e.bytes) as bytes from (
      select c.type_id, c.record_id, case when c.kind = ${updated}
          then ${changedBytes(scope.hidden)} else 0 end as bytes
      from orrery.change as c where c.org_id = ${scope.orgId} and c.request_id = ${scope.requestId} and ${isAboutRecords(scope)}
        and ${isSeen} and ${tellsSomething(scope.hidden)}
      order by c.seq limit ${most}) as e
      group by 1, 2) as r
    group by 1 order by 1`);
  return rows.map((row) => ({ ...row, ids: row.ids.split(',') }));
}

/** An entry of the request. */
export interface OwnEntry {
  readonly seq: number;
  readonly kind: number;
  readonly recordId: string;
  readonly version: number;
  /** By property the former and the new value; null if the entry is not an update. Values that are left out are null. */
  readonly changed: Readonly<Record<string, { readonly old?: Json; readonly new?: Json }>> | null;
  readonly leftOut: readonly string[] | null;
  /** From when a link was that was only given another date. */
  readonly linkedAt: string | null;
  readonly associationTypeId: number | null;
  readonly targetTypeId: number | null;
  readonly targetId: string | null;
}

/** The entries of the request about these records, in their order. */
export async function findOwnEntries(
  database: Reads,
  scope: SeenScope,
  recordIds: readonly string[],
): Promise<readonly OwnEntry[]> {
  const rows = await database.query<Omit<OwnEntry, 'seq' | 'version'> & Record<'seq' | 'version', string>>(sql`
    select c.seq, c.kind, c.record_id as "recordId", c.version,
      case when c.kind = ${updated} then ${seenChanges(scope.hidden)} end as changed, c.left_out as "leftOut",
      case when c.kind = ${unlinked} then c.changed::json ->> 'associated_at' end as "linkedAt",
      c.association_type_id as "associationTypeId", c.target_type_id as "targetTypeId", c.target_id as "targetId"
    from orrery.change as c
    where c.org_id = ${scope.orgId} and c.record_id = any (${ids(recordIds)}::uuid[])
      and ${wroteIt(scope.requestId)} and ${isAboutRecords(scope)} and ${tellsSomething(scope.hidden)}
    order by c.seq`);
  return rows.map((row) => ({ ...row, seq: Number(row.seq), version: Number(row.version) }));
}

/** A record and a number of an entry. */
export interface Since {
  readonly id: string;
  readonly seq: number;
}

const sinceSource = rowSource<Since>(['id', 'uuid', (row) => row.id], ['seq', 'bigint', (row) => row.seq]);

/** Something of a record that other requests changed, and the last entry that says so. */
export interface LaterChange {
  readonly recordId: string;
  readonly about: 'life' | 'value' | 'link';
  /** The key of the value. */
  readonly key: string | null;
  readonly associationTypeId: number | null;
  readonly targetId: string | null;
  readonly seq: number;
}

/** What requests other than these have changed of the records since the entries. */
export async function findLaterChanges(
  database: Reads,
  orgId: number,
  own: readonly string[],
  since: readonly Since[],
): Promise<readonly LaterChange[]> {
  const rows = await database.query<Omit<LaterChange, 'seq'> & { readonly seq: string }>(sql`
    select c.record_id as "recordId", a.about, v.key, c.association_type_id as "associationTypeId",
      c.target_id as "targetId", max(c.seq) as seq
    from ${sinceSource(since)}
    join orrery.change as c on c.org_id = ${orgId} and c.record_id = k.id and c.seq > k.seq
    cross join lateral (
      select case when c.kind in (${created}, ${deleted}, ${restored}) then 'life'
        when c.kind = ${updated} then 'value' else 'link' end as about) as a
    left join lateral json_object_keys(case when a.about = 'value' then c.changed::json end) as v (key) on true
    where c.request_id <> all (${ids(own)}::uuid[]) and c.kind < ${lost}
    group by 1, 2, 3, 4, 5`);
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** The first change since an entry of whether a record is linked to a user, or to the org. */
interface SightChange {
  readonly recordId: string;
  readonly associationTypeId: number;
  readonly kind: number;
}

export async function findSightChanges(
  database: Reads,
  orgId: number,
  userId: string,
  since: readonly Since[],
): Promise<readonly SightChange[]> {
  const { user, org } = visibilityTypes;
  return database.query<SightChange>(sql`
    select distinct on (c.record_id, c.association_type_id)
      c.record_id as "recordId", c.association_type_id as "associationTypeId", c.kind
    from ${sinceSource(since)}
    join orrery.change as c on c.org_id = ${orgId} and c.record_id = k.id and c.seq > k.seq
      and c.association_type_id in (${raw(`${user}, ${org}`)})
    where c.association_type_id = ${org} or c.target_id = ${userId}
    order by c.record_id, c.association_type_id, c.seq`);
}

/** A long value that a version of a record replaced. */
interface ReplacedValue {
  readonly recordId: string;
  readonly property: string;
  readonly version: number;
}

const replacedSource = rowSource<ReplacedValue>(
  ['record_id', 'uuid', (row) => row.recordId],
  ['property', 'text', (row) => row.property],
  ['version', 'bigint', (row) => row.version],
);

export async function findReplaced(
  database: Reads,
  orgId: number,
  replaced: readonly ReplacedValue[],
): Promise<readonly (ReplacedValue & { readonly value: Json })[]> {
  if (replaced.length === 0) return [];
  const rows = await database.query<
    Omit<ReplacedValue, 'version'> & { readonly version: string; readonly value: Json }
  >(
    sql`select f.record_id as "recordId", f.property, f.version, f.value::json as value
      from ${replacedSource(replaced)}
      join orrery.former_value as f on f.org_id = ${orgId} and f.record_id = k.record_id and f.property = k.property
        and f.version = k.version`,
  );
  return rows.map((row) => ({ ...row, version: Number(row.version) }));
}

/** Where the records are that the viewer sees, live or in the trash. */
export async function findPlaces(
  database: Reads,
  viewer: Viewer,
  refs: readonly RecordRef[],
): Promise<ReadonlyMap<string, 'live' | 'trash'>> {
  if (refs.length === 0) return new Map();
  const rows = await database.query<{ id: string; place: 'live' | 'trash' }>(sql`
    select r.id, 'live' as place from orrery.record as r
      join ${refSource(refs)} on r.type_id = k.type_id and r.id = k.id where ${visibleTo(viewer)}
    union all select r.id, 'trash' as place from orrery.trash as r
      join ${refSource(refs)} on r.type_id = k.type_id and r.id = k.id where ${visibleTo(viewer)}`);
  return new Map(rows.map(({ id, place }) => [id, place]));
}
