// Pages of the change feed: entries between two snapshots, in the order of their numbers, as far as the caller may see them
// now. What a credential of reach `user` gains or loses is told as a record that came back or went.
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Transaction } from '../database.ts';
import { numbers } from '../row-parameters.ts';
import { isTimed, type Viewer, visibleTo } from '../viewer.ts';
import { entryKinds } from './entries.ts';

export interface EntryRow {
  readonly seq: string;
  readonly kind: number;
  readonly typeId: number;
  readonly recordId: string;
  readonly version: string;
  readonly changed: string | null;
  readonly associationTypeId: number | null;
  readonly targetTypeId: number | null;
  readonly targetId: string | null;
  readonly at: Date;
  readonly principalId: string;
  readonly requestId: string;
  /** How the entry reads to a credential of reach `user`, if not as it stands. */
  readonly readsAs: 'record.deleted' | 'record.restored' | null;
  /** Of a record that came back: as it is now. */
  readonly currentVersion: string | null;
  readonly current: string | null;
  /** Whether the page was full of bytes with this entry. */
  readonly full: boolean;
}

export interface FeedRequest {
  readonly viewer: Viewer;
  /** Null at the beginning of the feed. */
  readonly from: string | null;
  readonly to: string;
  readonly after: string;
  /** The last entry to look at, if there may be more (see `findLastExamined`). */
  readonly end: string | undefined;
  readonly limit: number;
  readonly typeId: number | undefined;
  readonly recordId: string | undefined;
  /** The types that the caller sees and those that there are; undefined when it sees all. */
  readonly types: { readonly seen: readonly number[]; readonly known: readonly number[] } | undefined;
}

/** The entries up to `end`; without one, up to the end of the feed. */
export async function findEntries(database: Transaction, request: FeedRequest): Promise<readonly EntryRow[]> {
  const { viewer, limit } = request;
  const seen = viewer.onlyUser === null ? wholeOrg(viewer) : reachOf(viewer, viewer.onlyUser, request);
  return database.query<EntryRow>(sql`
    select ${columns}, c.bytes >= ${bounds.store.pageBytes} as full from (
      select c.*, o.own, sum(o.own) over (order by c.seq) as bytes from (
        select c.*, ${seen.columns} from (${looked(request)}) as c ${seen.joins}
        where ${within(request)} and ${granted(request)} and ${seen.condition}
        order by c.seq limit ${limit}) as c
      cross join lateral (
        select coalesce(octet_length(c.changed), 0) + coalesce(octet_length(c.current), 0) as own) as o) as c
    where c.bytes - c.own < ${bounds.store.pageBytes} order by c.seq`);
}

const columns = sql`c.seq, c.kind, c.type_id as "typeId", c.record_id as "recordId", c.version, c.changed,
  c.association_type_id as "associationTypeId", c.target_type_id as "targetTypeId", c.target_id as "targetId", c.at,
  c.principal_id as "principalId", c.request_id as "requestId", c.reads_as as "readsAs",
  c.current_version as "currentVersion", c.current`;

/**
 * Up to which entry a page looks, so that it ends in time whatever it leaves out; undefined when it looks at all there are.
 * Asked first: what is purged meanwhile is then not looked at in vain, but nothing else is passed over.
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

/** Entries in their order, of one record or of the org. */
function looked({ viewer, after, end, recordId }: FeedRequest): Sql {
  const entries = sql`select * from orrery.change as c where c.org_id = ${viewer.orgId} and c.seq > ${after}`;
  if (recordId !== undefined) return sql`${entries} and c.record_id = ${recordId} order by c.seq`;
  return end === undefined ? sql`${entries} order by c.seq` : sql`${entries} and c.seq <= ${end} order by c.seq`;
}

/** Between the two snapshots. Each is read once and not for every entry. */
function within({ from, to }: FeedRequest): Sql {
  const known = sql`pg_visible_in_snapshot(c.xid, (select ${to}::pg_snapshot))`;
  return from === null ? known : sql`not pg_visible_in_snapshot(c.xid, (select ${from}::pg_snapshot)) and ${known}`;
}

/** What the caller's catalog has, and what nobody here knows yet: it must not be passed over in silence. */
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

interface Sight {
  readonly columns: Sql;
  readonly joins: Sql;
  readonly condition: Sql;
}

const lost = entryKinds['visibility.lost'];
/** Written out, so that a plan for all values can use the index that is made for them. */
const visibilityList = raw(`(${visibilityTypes.user}, ${visibilityTypes.org})`);

/** Those who see all records have no use for what others gain and lose. */
function wholeOrg(viewer: Viewer): Sight {
  return {
    columns: raw('null::text as reads_as, null::bigint as current_version, null::text as current'),
    joins: raw(''),
    condition: sql`c.kind < ${lost} and ${isTimed(viewer, raw('c.type_id'), raw('c.record_id'))}`,
  };
}

/**
 * By what the user sees now. Taking away what let the user see a record reads as its end, if the user sees it no more and
 * could know of it; giving it reads as its return, as it is now, and nothing from before is told.
 */
function reachOf(viewer: Viewer, user: string, { from }: FeedRequest): Sight {
  const { orgId } = viewer;
  const concerns = (entry: Sql) => sql`(${entry}.association_type_id = ${visibilityTypes.org}
    or ${entry}.association_type_id = ${visibilityTypes.user} and ${entry}.target_id = ${user}::uuid)`;
  const gains = (entry: Sql) => sql`(${entry}.kind in (${entryKinds['association.created']},
    ${entryKinds['visibility.gained']}) and ${concerns(entry)})`;
  const loses = sql`(c.kind in (${entryKinds['association.deleted']}, ${lost}) and ${concerns(raw('c'))})`;
  const regained = sql`exists (select 1 from orrery.change as g
    where g.org_id = ${orgId} and g.record_id = c.record_id and g.seq > c.seq
      and g.association_type_id in ${visibilityList} and ${gains(raw('g'))})`;
  const justCame = sql`exists (select 1 from orrery.change as m
    where m.org_id = ${orgId} and m.record_id = c.record_id and m.xid = c.xid and m.seq < c.seq
      and (m.kind = ${entryKinds['record.created']} or ${gains(raw('m'))}))`;
  // Whoever begins with the feed knows of nothing that was hidden before, and nobody of what came and went at once.
  const couldKnow = from === null ? raw('false') : sql`not ${justCame}`;
  const seesTarget = sql`(coalesce(c.target_type_id, 0) = 0 or
    ${seen(viewer, raw('record'), raw('c.target_type_id'), raw('c.target_id'))} or
    ${seen(viewer, raw('trash'), raw('c.target_type_id'), raw('c.target_id'))})`;
  const sees = sql`(r.id is not null or t.id is not null)`;
  const isDeleted = sql`c.kind = ${entryKinds['record.deleted']}`;
  // Of a record that is nowhere any more, the last deletion knows who could see it.
  const wasSeen = sql`(c.changed is null or jsonb_exists(c.changed::jsonb, ${user}))
    and not exists (select 1 from orrery.record as x
      where x.org_id = ${orgId} and x.type_id = c.type_id and x.id = c.record_id)
    and not exists (select 1 from orrery.trash as x
      where x.org_id = ${orgId} and x.type_id = c.type_id and x.id = c.record_id)
    and not exists (select 1 from orrery.change as d
      where d.org_id = ${orgId} and d.record_id = c.record_id and d.seq > c.seq
        and d.kind = ${entryKinds['record.deleted']})`;
  return {
    columns: sql`case when r.id is not null and ${gains(raw('c'))} then 'record.restored'
        when not ${sees} and ${loses} then 'record.deleted' end as reads_as,
      case when ${gains(raw('c'))} then r.version end as current_version,
      case when ${gains(raw('c'))} then r.properties::text end as current`,
    joins: sql`left join lateral (${seenRow(viewer, raw('record'))}) as r on true
      left join lateral (${seenRow(viewer, raw('trash'))}) as t on true`,
    condition: sql`case
      when ${isDeleted} and not ${sees} then ${wasSeen}
      when ${loses} and not ${sees} then ${couldKnow}
      when ${gains(raw('c'))} then r.id is not null and not ${regained}
      when c.kind >= ${lost} then false
      else ${sees} and not ${regained} and ${seesTarget} end`,
  };
}

/** The record of an entry, if the viewer sees it, live or in the trash. */
function seenRow(viewer: Viewer, place: Sql): Sql {
  return sql`select r.id, r.version, r.properties from orrery.${place} as r
    where ${visibleTo(viewer)} and r.type_id = c.type_id and r.id = c.record_id offset 0`;
}

function seen(viewer: Viewer, place: Sql, typeId: Sql, id: Sql): Sql {
  return sql`exists (select 1 from orrery.${place} as r
    where ${visibleTo(viewer)} and r.type_id = ${typeId} and r.id = ${id})`;
}
