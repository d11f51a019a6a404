// Reads records: by id, in pages, and with locks for changes. Stored JSON comes back as text where it is only passed
// on, and parsed where the engine works with it.
import { firstId } from '../../base/id.ts';
import type { Json, TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { paged, passedOn, raw, type Sql, short, sql } from '../../base/sql.ts';
import type { Property } from '../../schema/object-type.ts';
import { compileBytes, compileText, compileTotals, type Shown } from '../compile/totals.ts';
import type { Transaction } from '../database.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { ids, numbers } from '../row-parameters.ts';
import { r, type Viewer, visibleTo } from '../viewer.ts';

/** A record to be passed on to the client. */
export interface RecordText {
  readonly id: string;
  readonly version: string;
  /** The JSON text of its values. */
  readonly properties: TextPart;
  /** Whether this record filled the bytes of the page before its number of records was reached. */
  readonly full?: boolean;
}

/** A record that the engine works with. */
export interface StoredRecord extends RecordRef {
  readonly version: number;
  readonly updatedAtMs: number;
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

export async function findRecord(
  transaction: Transaction,
  viewer: Viewer,
  { typeId, id }: RecordRef,
  shown: Shown,
): Promise<RecordText | undefined> {
  const [record] = await transaction.query<RecordText>(
    short(
      passedOn(sql`
    select ${recordText(viewer, shown)} from orrery.record as r
    where ${visibleTo(viewer)} and r.type_id = ${typeId} and r.id = ${id}`),
    ),
  );
  return record;
}

/**
 * The records after an id, in order of creation. A page of few records ends with its bytes as it is read; a long one could
 * have so many more that PostgreSQL must not send them (see `listWithinBytes`).
 */
export async function listRecords(
  transaction: Transaction,
  viewer: Viewer,
  { typeId, after, limit }: { readonly typeId: number; readonly after: string | undefined; readonly limit: number },
  shown: Shown,
): Promise<readonly RecordText[]> {
  const page = sql`
    select ${recordText(viewer, shown)} from orrery.record as r
    where ${visibleTo(viewer)} and r.type_id = ${typeId} and r.id > ${after ?? firstId}
    order by r.id limit ${limit}`;
  return transaction.query<RecordText>(short(paged(passedOn(page))));
}

/**
 * The same for pages of many records: the page ends with the record that fills its bytes, and the next page continues
 * from there. Values are stored uncompressed, so PostgreSQL knows their size without reading them.
 */
export async function listWithinBytes(
  transaction: Transaction,
  viewer: Viewer,
  { typeId, after, limit }: { readonly typeId: number; readonly after: string | undefined; readonly limit: number },
  shown: Shown,
): Promise<readonly RecordText[]> {
  const page = sql`
    select ${recordText(viewer, shown)}, r.bytes >= ${bounds.store.pageBytes} as full from (
      select r.id, r.version, r.properties,
        sum(${compileBytes(r, shown.hidden)}) over (order by r.id) as bytes,
        ${compileBytes(r, shown.hidden)} as own
      from orrery.record as r
      where ${visibleTo(viewer)} and r.type_id = ${typeId} and r.id > ${after ?? firstId}
      order by r.id limit ${limit}) as r
    where r.bytes - r.own < ${bounds.store.pageBytes} order by r.id`;
  return transaction.query<RecordText>(passedOn(page));
}

function recordText({ orgId }: Viewer, shown: Shown): Sql {
  return sql`r.id, r.version, ${compileText(r, orgId, shown)} as properties`;
}

/** The totals of one record that are set. */
export async function findTotals(
  transaction: Transaction,
  orgId: number,
  id: string,
  totals: readonly Property[],
): Promise<Readonly<Record<string, Json>>> {
  const [row] = await transaction.query<{ totals: Readonly<Record<string, Json>> }>(
    sql`select ${compileTotals({ orgId, id: sql`${id}::uuid` }, totals)} as totals`,
  );
  return row?.totals ?? {};
}

/** With its values, as they are locked. */
export interface LockedRecord extends StoredRecord {
  /** How many bytes its values take in the database. */
  readonly bytes: number;
}

/** A record that is locked but was not read, because the values of others fill the memory that reading may take. */
export interface UnreadRecord extends RecordRef {
  readonly orgVisible: boolean;
  readonly bytes: number;
}

interface LockedRecords {
  readonly read: readonly LockedRecord[];
  readonly unread: readonly UnreadRecord[];
}

/**
 * Locks records for a change, in the order of their keys, so that two batches cannot wait for each other. Reads the first
 * of them, as many as begin within `bytes`; a single one is always read.
 */
export async function lockRecords(
  transaction: Transaction,
  viewer: Viewer,
  place: keyof typeof places,
  refs: readonly RecordRef[],
  bytes: number,
): Promise<LockedRecords> {
  const isOne = refs.length === 1;
  const locked = sql`
    select ${storedColumns}${isOne ? alone : position} from ${places[place]} as r
    join ${refSource(refs)} on r.type_id = k.type_id and r.id = k.id
    where ${visibleTo(viewer)} order by r.type_id, r.id for no key update of r`;
  const rows = await transaction.query<StoredRow>(isOne ? locked : withinBytes(locked, bytes));
  return { read: rows.flatMap(toStored), unread: rows.filter(({ properties }) => properties === null) };
}

/** A record that is locked, with the totals that are set. */
export interface LockedWithTotals extends LockedRecord {
  readonly totals: Readonly<Record<string, Json>>;
}

/**
 * Locks records of one type for changes, and reads them with their totals. Those that somebody else has locked are left out,
 * and so are long ones: they are few, and would delay the others.
 */
export async function lockFree(
  transaction: Transaction,
  { orgId, typeId }: { readonly orgId: number; readonly typeId: number },
  recordIds: readonly string[],
  totals: readonly Property[],
): Promise<readonly LockedWithTotals[]> {
  const sums = totals.length === 0 ? raw("'{}'::jsonb") : compileTotals({ orgId, id: sql`r.id` }, totals);
  const rows = await transaction.query<StoredRow & Pick<LockedWithTotals, 'totals'>>(sql`
    select r.*, ${sums} as totals from (
      select ${storedColumns} from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id = any (${ids(recordIds)}::uuid[])
      order by r.id for no key update of r skip locked) as r
    where r.bytes <= ${bounds.store.groupedRecordBytes}`);
  return rows.flatMap((row) => toStored(row).map((record) => ({ ...record, totals: row.totals })));
}

/** Reads records that the transaction has locked. */
export async function readLocked(
  transaction: Transaction,
  viewer: Viewer,
  place: keyof typeof places,
  refs: readonly RecordRef[],
): Promise<readonly LockedRecord[]> {
  const rows = await transaction.query<StoredRow>(sql`
    select ${storedColumns} from ${places[place]} as r
    join ${refSource(refs)} on r.type_id = k.type_id and r.id = k.id
    where ${visibleTo(viewer)}`);
  return rows.flatMap(toStored);
}

const position = raw(', k.position');
const alone = raw('');

/** The rows in their order, with the values of as many of them as fit; their size is known without reading them. */
function withinBytes(rows: Sql, bytes: number): Sql {
  return sql`select r."typeId", r.id, r.version, r."updatedAt", r."orgVisible", r.bytes,
      case when sum(r.bytes) over (order by r.position rows unbounded preceding) - r.bytes < ${bytes}
        then r.properties end as properties
    from (${rows}) as r order by r.position`;
}

const places = { live: raw('orrery.record'), trash: raw('orrery.trash') } as const;

/**
 * Those of the ids that are live records of one of the types and visible to the viewer. They are locked for a link to
 * them: a delete or merge of such a record waits until the link is there, and then takes it along.
 */
export async function findLive(
  transaction: Transaction,
  viewer: Viewer,
  typeIds: readonly number[],
  recordIds: readonly string[],
): Promise<readonly RecordRef[]> {
  return transaction.query<RecordRef>(sql`
    select r.type_id as "typeId", r.id from orrery.record as r
    where ${visibleTo(viewer)} and r.type_id = any (${numbers(typeIds)}::integer[])
      and r.id = any (${ids(recordIds)}::uuid[])
    order by r.type_id, r.id for key share of r`);
}

interface StoredRow extends Omit<LockedRecord, 'version' | 'updatedAtMs' | 'properties'> {
  readonly version: string;
  readonly updatedAt: Date;
  readonly properties: StoredRecord['properties'] | null;
}

const storedColumns = sql`r.type_id as "typeId", r.id, r.version, r.updated_at as "updatedAt",
  r.org_visible as "orgVisible", r.properties, pg_column_size(r.properties) as bytes`;

function toStored({ version, updatedAt, properties, ...rest }: StoredRow): readonly LockedRecord[] {
  if (properties === null) return [];
  return [{ ...rest, properties, version: Number(version), updatedAtMs: updatedAt.getTime() }];
}
