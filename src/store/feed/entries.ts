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

export interface FeedEntry extends RecordRef {
  readonly origin: Origin;
  readonly kind: EntryKind;
  readonly version: number;
  /**
   * JSON text: all values of a created or restored record, `{"<property>": {"old", "new"}}` of an updated one, and for
   * a deleted one the users who could see it, unless everybody could.
   */
  readonly changed: string | null;
  readonly link?: {
    readonly associationTypeId: number;
    readonly targetTypeId: number;
    readonly targetId: string | null;
  };
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
const entrySource = rowSource(...recordColumns);
const linkedEntrySource = rowSource(...recordColumns, ...linkColumns);

const inOrder = raw(' order by k.position');
const linkNames = raw(', association_type_id, target_type_id, target_id');
const linkValues = raw(', k.association_type_id, k.target_type_id, k.target_id');
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
  const linked = entries.some((entry) => entry.link !== undefined);
  return sql`insert into orrery.change (org_id, xid, kind, type_id, record_id, version, changed, at, principal_id, request_id
      ${linked ? linkNames : alone})
    select ${orgId}::integer, x.xid, k.kind, k.type_id, k.record_id, k.version, nullif(k.changed, ''),
      k.at, k.principal_id, k.request_id${linked ? linkValues : alone}
    from (select pg_current_xact_id() as xid offset 0) as x
    cross join ${linked ? linkedEntrySource(entries) : entrySource(entries)}${entries.length > 1 ? inOrder : alone}`;
}
