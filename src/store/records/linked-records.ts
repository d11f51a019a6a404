// The other ends of many records' links, a few for each record, in the order of their ids. Each record is one walk of
// the index of links, so a record with very many links costs no more than any other. Bytes are bounded for all
// together.
import { firstId } from '../../base/id.ts';
import type { TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { join, passedOn, raw, type Sql, sql } from '../../base/sql.ts';
import type { Hop } from '../../query/plan.ts';
import { endsOf } from '../compile/filter.ts';
import { memberName } from '../compile/member-name.ts';
import { compileBytes, compileText } from '../compile/totals.ts';
import type { Reads, Transaction } from '../database.ts';
import { ids, numbers } from '../row-parameters.ts';
import { type Viewer, visibleTo } from '../viewer.ts';

export interface LinkedRecord {
  readonly nearId: string;
  readonly typeId: number;
  readonly id: string;
  readonly version: string;
  /** JSON text; null for every record after the one that fills the bytes. */
  readonly properties: TextPart | null;
  readonly associatedAt: Date;
}

/** An end that is not a record: a user. */
interface LinkedUser {
  readonly nearId: string;
  readonly id: string;
  readonly title: string | null;
  readonly associatedAt: Date;
}

export interface LinkedRequest {
  readonly nearTypeId: number;
  readonly nearIds: readonly string[];
  /** Whether the viewer is known to see the records; otherwise those that it does not see have no links. */
  readonly nearSeen: boolean;
  /** The other end that the previous page ended with; without one, from the beginning. */
  readonly after?: string;
  /** Of each record. */
  readonly limit: number;
  /** Of all records together. */
  readonly bytes: number;
  /** The properties to return; without it, all. It leaves out computed ones only: stored values always come whole. */
  readonly properties?: readonly string[] | undefined;
  readonly hidden: HiddenKeys;
}

/** By type, the keys of the values that the viewer may not see. */
type HiddenKeys = ReadonlyMap<number, readonly string[]>;

/**
 * The records, if few links have to be examined for them: a link can lead to a record that is in the trash, or that the
 * viewer does not see.
 */
export async function tryLinkedRecords(
  transaction: Reads,
  viewer: Viewer,
  hop: Hop,
  request: LinkedRequest,
): Promise<readonly LinkedRecord[] | undefined> {
  const examined = Math.max(request.limit, Math.floor(bounds.store.examinedLinks / request.nearIds.length));
  const rows = await readLinks(transaction, viewer, hop, request, examined);
  return rows.every(isRecord) ? rows : undefined;
}

export async function findLinkedRecords(
  transaction: Reads,
  viewer: Viewer,
  hop: Hop,
  request: LinkedRequest,
): Promise<readonly LinkedRecord[]> {
  return (await readLinks(transaction, viewer, hop, request, allLinks)).filter(isRecord);
}

/** More links than there can be. */
const allLinks = 2 ** 31 - 1;

/** A row without an id says that the record `nearId` has more links than were examined. */
type LinkedRow = LinkedRecord | { readonly nearId: string; readonly id: null };

function isRecord(row: LinkedRow): row is LinkedRecord {
  return row.id !== null;
}

async function readLinks(
  transaction: Reads,
  viewer: Viewer,
  hop: Hop,
  { nearTypeId, nearIds, nearSeen, after = firstId, limit, bytes, properties, hidden }: LinkedRequest,
  examined: number,
): Promise<readonly LinkedRow[]> {
  const { near, far } = endsOf(hop, raw('a'));
  const links = sql`
    select l."nearId", l."typeId", l.id, l.version, l."associatedAt",
      case when l.bytes - l.own < ${bytes} then ${linkedText(viewer, hop, properties, hidden)} end as properties
    from (
      select k.id as "nearId", r.type_id as "typeId", r.id, r.version, r."associatedAt", r.properties, k.position,
        ${linkedBytes(hop, hidden)} as own,
        sum(${linkedBytes(hop, hidden)}) over (order by k.position, r.id) as bytes
      from unnest(${ids(nearIds)}::uuid[]) with ordinality as k (id, position)
      cross join lateral (
        select r.*, f.created_at as "associatedAt" from (
          select ${far.id} as id, ${far.typeId} as type_id, a.created_at, row_number() over (order by ${far.id}) as number
          from orrery.association as a
          where a.org_id = ${viewer.orgId} and ${near.id} = k.id and a.association_type_id = ${hop.associationTypeId}
            and ${near.typeId} = ${nearTypeId} and ${far.id} > ${after}
            and ${far.typeId} = any (${numbers(hop.ends.map((type) => type.id))}::integer[])
          order by ${far.id} limit ${examined}::bigint + 1) as f
        left join lateral (
          select r.* from orrery.record as r
          where f.number <= ${examined} and ${visibleTo(viewer)} and r.type_id = f.type_id and r.id = f.id
          offset 0) as r on true
        where r.id is not null or f.number > ${examined}
        limit ${limit}) as r
      ${nearSeen ? raw('') : sql`where ${isSeen(viewer, nearTypeId)}`}) as l
    order by l.position, l.id`;
  return transaction.query<LinkedRow>(passedOn(links));
}

function isSeen(viewer: Viewer, typeId: number): Sql {
  return sql`exists (
    select 1 from orrery.record as n where ${visibleTo(viewer, raw('n'))} and n.type_id = ${typeId} and n.id = k.id)`;
}

/** The text of the record at the other end; only some types have computed values, or hidden ones, which are not read. */
function linkedText(
  { orgId }: Viewer,
  { ends }: Hop,
  properties: LinkedRequest['properties'],
  hidden: HiddenKeys,
): Sql {
  const others = ends.flatMap((end) => {
    const totals = end.groups.totals.filter(({ name }) => properties?.includes(name) ?? true);
    const omitted = hidden.get(end.id) ?? [];
    return totals.length + omitted.length === 0
      ? []
      : [sql`when ${end.id} then ${compileText(raw('l'), orgId, { omitted, hidden: omitted, renamed: [], totals })}`];
  });
  return others.length === 0
    ? raw('l.properties::text')
    : sql`case l."typeId" ${join(others, ' ')} else l.properties::text end`;
}

/** The bytes of the record at the other end that count. */
function linkedBytes({ ends }: Hop, hidden: HiddenKeys): Sql {
  const row = raw('r');
  const narrowed = ends.flatMap(({ id }) => {
    const keys = hidden.get(id) ?? [];
    return keys.length === 0 ? [] : [sql`when ${id} then ${compileBytes(row, keys)}`];
  });
  const whole = compileBytes(row, []);
  return narrowed.length === 0 ? whole : sql`case r.type_id ${join(narrowed, ' ')} else ${whole} end`;
}

/** The users that records are linked to. */
export async function findLinkedUsers(
  transaction: Transaction,
  { orgId }: Viewer,
  { namesUsers }: Pick<Hop, 'namesUsers'>,
  { nearTypeId, nearIds, after = firstId, limit }: LinkedRequest,
): Promise<readonly LinkedUser[]> {
  const title = namesUsers ? memberName(orgId, raw('l.user_id')) : raw('null::text');
  return transaction.query<LinkedUser>(sql`
    select k.id as "nearId", u.id, u.title, u."associatedAt"
    from unnest(${ids(nearIds)}::uuid[]) with ordinality as k (id, position)
    cross join lateral (
      select l.user_id as id, ${title} as title, l.created_at as "associatedAt"
      from orrery.record_user as l
      where l.org_id = ${orgId} and l.type_id = ${nearTypeId} and l.record_id = k.id and l.user_id > ${after}
      order by l.user_id limit ${limit}) as u
    order by k.position, u.id`);
}

/** Those of the records that are linked to the org, and so are seen by all of its users. */
export async function findOrgVisible(
  transaction: Transaction,
  { orgId }: Viewer,
  { nearTypeId, nearIds }: LinkedRequest,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    select r.id from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${nearTypeId} and r.id = any (${ids(nearIds)}::uuid[]) and r.org_visible`);
  return rows.map(({ id }) => id);
}
