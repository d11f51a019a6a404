// Pages of the change feed: entries between two snapshots, in the order of their numbers, if the caller may see them
// now. How entries read to a credential of reach `user` is in `sight`.
import type { Json, TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { passedOn, raw, type Sql, sql } from '../../base/sql.ts';
import type { FeedPlace } from '../../query/feed-cursor.ts';
import type { Transaction } from '../database.ts';
import { numbers } from '../row-parameters.ts';
import { isTimed, type Viewer } from '../viewer.ts';
import { entryKinds } from './entries.ts';
import { leftOutValues } from './former-values.ts';
import { bytesOf, type HiddenKeys, mostBytes, seenOfLong, tellsSomething } from './hidden-values.ts';
import { type Sight, sightOfUser } from './sight.ts';

export interface EntryRow {
  readonly seq: string;
  readonly kind: number;
  readonly typeId: number;
  readonly recordId: string;
  readonly version: string;
  /** JSON text, in which values that are left out are null. */
  readonly changed: TextPart | null;
  /** By property, the former and the new value of those that are left out. */
  readonly leftOut: Readonly<Record<string, { readonly old: Json; readonly new: Json }>> | null;
  readonly associationTypeId: number | null;
  readonly targetTypeId: number | null;
  readonly targetId: string | null;
  readonly at: Date;
  readonly principalId: string;
  readonly requestId: string;
  /** How the entry reads to a credential of reach `user`, if not as its own kind. */
  readonly readsAs: 'record.deleted' | 'record.restored' | null;
  /** The present state of a record that came back into sight. */
  readonly currentVersion: string | null;
  readonly current: TextPart | null;
  /** Whether this entry filled the bytes of the page. */
  readonly full: boolean;
}

/** Some entries, and the place after them. */
export interface FeedPage {
  readonly rows: readonly EntryRow[];
  readonly place: FeedPlace;
}

export interface FeedRequest {
  readonly viewer: Viewer;
  /** Null at the beginning of the feed. */
  readonly from: string | null;
  readonly to: string;
  readonly after: string;
  /** The last entry to examine, if there may be more (see `findLastExamined`). */
  readonly end: string | undefined;
  readonly limit: number;
  readonly typeId: number | undefined;
  readonly recordId: string | undefined;
  /** The types that the caller sees and all known types; undefined if it sees all. */
  readonly types: { readonly seen: readonly number[]; readonly known: readonly number[] } | undefined;
  /** By type, the keys of the values that the caller does not see. */
  readonly hidden: HiddenKeys;
}

/** The entries up to `end`; without one, up to the end of the feed. */
export async function findEntries(database: Transaction, request: FeedRequest): Promise<readonly EntryRow[]> {
  const { viewer, limit } = request;
  const { onlyUser } = viewer;
  const seen = onlyUser === null ? sightOfOrg(viewer) : sightOfUser({ ...viewer, onlyUser }, request.from);
  const page = sql`
    select ${columns(request.hidden)}, ${leftOutValues(viewer.orgId, request.hidden)} as "leftOut",
      c.bytes >= ${bounds.store.changesPageBytes} as full from (
      select c.*, o.own, sum(o.own) over (order by c.seq) as bytes from (
        select c.*, ${mostBytes(request.hidden)} as most from (
          select c.*, ${seen.columns} from (${examined(request)}) as c ${seen.joins}
          where ${within(request)} and ${granted(request)} and ${seen.condition} and ${tellsSomething(request.hidden)}
          order by c.seq limit ${limit}) as c) as c
      cross join lateral (select ${bytesOf(request.hidden)} as own) as o) as c
    where c.bytes - c.own < ${bounds.store.changesPageBytes} order by c.seq`;
  return database.query<EntryRow>(passedOn(page));
}

/** What is hidden of long texts stays in the database: it does not count in the size of the page, but would be read with it. */
function columns(hidden: HiddenKeys): Sql {
  return sql`c.seq, c.kind, c.type_id as "typeId", c.record_id as "recordId", c.version,
    ${seenOfLong(hidden, raw('c.changed'))} as changed,
    c.association_type_id as "associationTypeId", c.target_type_id as "targetTypeId", c.target_id as "targetId", c.at,
    c.principal_id as "principalId", c.request_id as "requestId", c.reads_as as "readsAs",
    c.current_version as "currentVersion", ${seenOfLong(hidden, raw('c.current'))} as current`;
}

/**
 * The last entry that a page examines, so that it ends in time however many it leaves out; undefined if it examines
 * all. It is asked first: entries purged meanwhile cannot make the page skip others.
 */
export async function findLastExamined(
  database: Transaction,
  { viewer, after }: Pick<FeedRequest, 'viewer' | 'after'>,
): Promise<string | undefined> {
  const [row] = await database.query<{ seq: string }>(sql`
    select c.seq from orrery.change as c where c.org_id = ${viewer.orgId} and c.seq > ${after}
    order by c.seq offset ${bounds.store.feedEntriesExamined - 1} limit 1`);
  return row?.seq;
}

/** The entries to examine, in their order: of one record or of the org. */
function examined({ viewer, after, end, recordId }: FeedRequest): Sql {
  const entries = sql`select * from orrery.change as c where c.org_id = ${viewer.orgId} and c.seq > ${after}`;
  if (recordId !== undefined) return sql`${entries} and c.record_id = ${recordId} order by c.seq`;
  return end === undefined ? sql`${entries} order by c.seq` : sql`${entries} and c.seq <= ${end} order by c.seq`;
}

/** Entries between the two snapshots. Each snapshot is parsed once, not for every entry. */
export function within({ from, to }: Pick<FeedRequest, 'from' | 'to'>): Sql {
  const known = sql`pg_visible_in_snapshot(c.xid, (select ${to}::pg_snapshot))`;
  return from === null ? known : sql`not pg_visible_in_snapshot(c.xid, (select ${from}::pg_snapshot)) and ${known}`;
}

/**
 * Entries of types in the caller's catalog, and of types that this process does not know yet: none may be skipped
 * silently.
 */
function granted({ types, typeId }: FeedRequest): Sql {
  const asked = typeId === undefined ? raw('true') : sql`c.type_id = ${typeId}`;
  if (types === undefined) return asked;
  const seen = numbers(types.seen);
  const known = numbers(types.known);
  const isSeen = (column: Sql) => sql`(${column} = any (${seen}::integer[]) or ${column} <> all (${known}::integer[]))`;
  // Users and orgs have the number 0 as ends, and everybody knows them.
  return sql`${asked} and ${isSeen(raw('c.type_id'))}
    and (coalesce(c.target_type_id, 0) = 0 or ${isSeen(raw('c.target_type_id'))})`;
}

/** A viewer of all records does not need the entries about what users gain or lose sight of. */
function sightOfOrg(viewer: Viewer): Sight {
  return {
    columns: raw('null::text as reads_as, null::bigint as current_version, null::text as current'),
    joins: raw(''),
    condition: sql`c.kind < ${entryKinds['visibility.lost']} and ${isTimed(viewer, raw('c.type_id'), raw('c.record_id'))}`,
  };
}
