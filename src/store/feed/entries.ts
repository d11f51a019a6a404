// Entries of the change feed, written by the statement that changes the records. They get their sequence numbers there,
// while the rows of the records are locked, so the entries of one record rise with its version.
import { isoText } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { orInSteps, raw, type Sql, sql } from '../../base/sql.ts';
import { insertValues, unwritten, type WrittenColumn } from '../insert-rows.ts';
import type { RecordRef } from '../record-ref.ts';
import { rowSource } from '../row-parameters.ts';

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

const recordColumns: readonly WrittenColumn<FeedEntry>[] = [
  ['kind', 'smallint', (entry) => entryKinds[entry.kind]],
  ['type_id', 'integer', (entry) => entry.typeId],
  ['record_id', 'uuid', (entry) => entry.id],
  ['version', 'bigint', (entry) => entry.version],
  ['changed', 'lines', (entry) => entry.changed ?? '', (text) => sql`nullif(${text}, '')`],
  ['at', 'timestamptz', ({ origin }) => isoText(origin.atMs)],
  ['principal_id', 'text', ({ origin }) => origin.principalId],
  ['request_id', 'uuid', ({ origin }) => origin.requestId],
];
const linkColumns: readonly WrittenColumn<FeedEntry>[] = [
  ['association_type_id', 'integer', (entry) => entry.link?.associationTypeId ?? null],
  ['target_type_id', 'integer', (entry) => entry.link?.targetTypeId ?? null],
  ['target_id', 'uuid', (entry) => entry.link?.targetId ?? null],
];
const leftOutColumns: readonly WrittenColumn<FeedEntry>[] = [
  [
    'left_out',
    'text',
    ({ leftOut }) => (leftOut === undefined ? null : arrayText(leftOut)),
    (text) => sql`${text}::text[]`,
  ],
  ['left_out_bytes', 'integer', ({ leftOut }) => leftOut?.bytes ?? null],
];

/** PostgreSQL's text form of the names. Quoted, because a property may be named `null`. */
export function arrayText({ properties }: LeftOut): string {
  return `{${properties.map((name) => `"${name}"`).join()}}`;
}

const inOrder = raw(' order by k.position');
/** One row is in order without sorting. */
const alone = raw('');
/** The three forms of entries, by the columns that they fill: most have no link, and fewer leave anything out. */
const plainForm = formWith(recordColumns);
const linkedForm = formWith([...recordColumns, ...linkColumns]);
const longForm = formWith([...recordColumns, ...linkColumns, ...leftOutColumns]);

function formWith(columns: readonly WrittenColumn<FeedEntry>[]) {
  const names = columns.map(([name]) => name).join(', ');
  const written = columns.map(([name, , , write = (value: Sql) => value]) => write(raw(`k.${name}`)).text).join(', ');
  return { columns, names: raw(names), written: raw(written), source: rowSource(...columns.map(unwritten)) };
}

/** The part of a statement that adds the entries of the records that it creates, read from `rows`. */
export function insertCreatedEntries(
  orgId: number,
  rows: Sql,
  { atMs, principalId, requestId }: Origin,
  entries: readonly FeedEntry[],
): Sql {
  return orInSteps(
    sql`insert into orrery.change (org_id, xid, kind, type_id, record_id, version, changed, at, principal_id, request_id)
      select ${orgId}::integer, x.xid, ${entryKinds['record.created']}::smallint, k.type_id, k.id, k.version, k.properties,
        ${isoText(atMs)}::timestamptz, ${principalId}::text, ${requestId}::uuid
      from (select pg_current_xact_id() as xid offset 0) as x cross join ${rows} order by k.position`,
    () => standingEntries(orgId, entries),
  );
}

/**
 * The part of a writing statement that adds entries, in their order. Most writes change no links. The transaction gets
 * its number before an entry gets its own: the feed relies on that (see `change_position`).
 */
export function insertEntries(orgId: number, entries: readonly FeedEntry[]): Sql {
  const { source, names, written } = formOf(entries);
  return orInSteps(
    sql`insert into orrery.change (org_id, xid, ${names}) select ${orgId}::integer, x.xid, ${written}
      from (select pg_current_xact_id() as xid offset 0) as x
      cross join ${source(entries)}${entries.length > 1 ? inOrder : alone}`,
    () => standingEntries(orgId, entries),
  );
}

/**
 * The entries as they stand, for distributed tables: both numbers are given by the first server, which keeps the order of the
 * feed, that of the transaction first, and the rows are sent to the server of their org.
 */
function standingEntries(orgId: number, entries: readonly FeedEntry[]): readonly Sql[] {
  const { columns } = formOf(entries);
  const statements: Sql[] = [sql`select pg_current_xact_id()`];
  for (let first = 0; first < entries.length; first += bounds.store.standingRows) {
    const some = entries.slice(first, first + bounds.store.standingRows);
    statements.push(insertValues('change', columns, orgId, some));
  }
  return statements;
}

function formOf(entries: readonly FeedEntry[]): ReturnType<typeof formWith> {
  if (entries.some((entry) => entry.leftOut !== undefined)) return longForm;
  return entries.some((entry) => entry.link !== undefined) ? linkedForm : plainForm;
}
