// Entries of the change feed, written by the statement that changes the records. They get their sequence numbers there,
// while the rows of the records are locked, so the entries of one record rise with its version.
import { isoText } from '../../base/clock.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { RecordRef } from '../record-ref.ts';
import { type Column, rowSource } from '../row-parameters.ts';

/** The kinds of entries, with their numbers in the tables. */
export const entryKinds = {
  'record.created': 1,
  'record.updated': 2,
  'record.deleted': 3,
  'record.restored': 4,
  'association.created': 5,
  'association.deleted': 6,
  // For records that are visible with another one, such as its timers. Only credentials of reach `user` are shown them.
  'visibility.lost': 7,
  'visibility.gained': 8,
} as const;
export type EntryKind = keyof typeof entryKinds;

const kindNames: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKinds).map(([name, number]) => [number, name as EntryKind]),
);

/** The kind of that number. */
export function entryKind(number: number): EntryKind | undefined {
  return kindNames.get(number);
}

export interface FeedEntry extends RecordRef {
  readonly origin: Origin;
  readonly kind: EntryKind;
  readonly version: number;
  /**
   * JSON text: all values of a created or restored record, `{"<property>": {"old", "new"}}` of an updated one, and for
   * a deleted one the users who could see it, unless everybody could. Values that are left out are null. Of a deleted link
   * `{"associated_at"}`, if it was only given another date.
   */
  readonly changed: string | null;
  readonly leftOut?: LeftOut;
  readonly link?: {
    readonly associationTypeId: number;
    readonly targetTypeId: number;
    readonly targetId: string | null;
  };
}

/** The properties with long values, which are stored elsewhere (see `former-values`), and the bytes of these values. */
export interface LeftOut {
  readonly properties: readonly string[];
  readonly bytes: number;
}

/** Who changed something, when, and in which request. */
export interface Origin {
  readonly atMs: number;
  readonly principalId: string;
  readonly requestId: string;
}

const recordColumns: readonly Column<FeedEntry>[] = [
  ['kind', 'smallint', (entry) => entryKinds[entry.kind]],
  ['type_id', 'integer', (entry) => entry.typeId],
  ['record_id', 'uuid', (entry) => entry.id],
  ['version', 'bigint', (entry) => entry.version],
  ['changed', 'lines', (entry) => entry.changed ?? ''],
  ['at', 'timestamptz', ({ origin }) => isoText(origin.atMs)],
  ['principal_id', 'text', ({ origin }) => origin.principalId],
  ['request_id', 'uuid', ({ origin }) => origin.requestId],
];
const linkColumns: readonly Column<FeedEntry>[] = [
  ['association_type_id', 'integer', (entry) => entry.link?.associationTypeId ?? null],
  ['target_type_id', 'integer', (entry) => entry.link?.targetTypeId ?? null],
  ['target_id', 'uuid', (entry) => entry.link?.targetId ?? null],
];
const leftOutColumns: readonly Column<FeedEntry>[] = [
  ['left_out', 'text', ({ leftOut }) => (leftOut === undefined ? null : arrayText(leftOut))],
  ['left_out_bytes', 'integer', ({ leftOut }) => leftOut?.bytes ?? null],
];
const entrySource = rowSource(...recordColumns);
const linkedEntrySource = rowSource(...recordColumns, ...linkColumns);
const longEntrySource = rowSource(...recordColumns, ...linkColumns, ...leftOutColumns);

/** PostgreSQL's text form of the names. Quoted, because a property may be named `null`. */
export function arrayText({ properties }: LeftOut): string {
  return `{${properties.map((name) => `"${name}"`).join()}}`;
}

const inOrder = raw(' order by k.position');
/** The three forms of entries, by the columns that they fill: most have no link, and fewer leave anything out. */
const plainForm = { source: entrySource, names: raw(''), values: raw('') };
const linkedForm = {
  source: linkedEntrySource,
  names: raw(', association_type_id, target_type_id, target_id'),
  values: raw(', k.association_type_id, k.target_type_id, k.target_id'),
};
const longForm = {
  source: longEntrySource,
  names: raw(', association_type_id, target_type_id, target_id, left_out, left_out_bytes'),
  values: raw(', k.association_type_id, k.target_type_id, k.target_id, k.left_out::text[], k.left_out_bytes'),
};
/** One row is in order without sorting. */
const alone = raw('');

/** The part of a statement that adds the entries of the records that it creates, read from `rows`. */
export function insertCreatedEntries(orgId: number, rows: Sql, { atMs, principalId, requestId }: Origin): Sql {
  return sql`insert into orrery.change (org_id, xid, kind, type_id, record_id, version, changed, at, principal_id, request_id)
    select ${orgId}::integer, x.xid, ${entryKinds['record.created']}::smallint, k.type_id, k.id, k.version, k.properties,
      ${isoText(atMs)}::timestamptz, ${principalId}::text, ${requestId}::uuid
    from (select pg_current_xact_id() as xid offset 0) as x cross join ${rows} order by k.position`;
}

/**
 * The part of a writing statement that adds entries, in their order. Most writes change no links. The transaction gets
 * its number before an entry gets its own: the feed relies on that (see `change_position`).
 */
export function insertEntries(orgId: number, entries: readonly FeedEntry[]): Sql {
  const { source, names, values } = formOf(entries);
  return sql`insert into orrery.change (org_id, xid, kind, type_id, record_id, version, changed, at, principal_id, request_id
      ${names})
    select ${orgId}::integer, x.xid, k.kind, k.type_id, k.record_id, k.version, nullif(k.changed, ''),
      k.at, k.principal_id, k.request_id${values}
    from (select pg_current_xact_id() as xid offset 0) as x
    cross join ${source(entries)}${entries.length > 1 ? inOrder : alone}`;
}

function formOf(entries: readonly FeedEntry[]): typeof plainForm {
  if (entries.some((entry) => entry.leftOut !== undefined)) return longForm;
  return entries.some((entry) => entry.link !== undefined) ? linkedForm : plainForm;
}
