// The other ends of records' links: the first few for each of many records, or a page for one record. Both are read with
// the same statements and end early when the values of a page would take too many bytes.
import { firstId, idTimeMs, isId } from '../../base/id.ts';
import { asString, type Json, type TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Hop } from '../../query/plan.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { findOrg } from '../../store/org/orgs.ts';
import {
  findLinkedRecords,
  findLinkedUsers,
  findOrgVisible,
  type LinkedRecord,
  type LinkedRequest,
  tryLinkedRecords,
} from '../../store/records/linked-records.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { namedValues, type Projection, type ReadRecord, readRecord } from './records.ts';

/** An association type that a request includes, and where it leads. */
export interface Inclusion {
  readonly name: string;
  readonly hop: Hop;
}

/** The other end of a link: a record, or a user or the org, which have only a title. */
export type Associated =
  | { readonly type: ObjectType; readonly record: ReadRecord; readonly associatedAtMs: number }
  | {
      readonly type: 'svc_user' | 'svc_org';
      readonly id: string;
      readonly title: string;
      readonly associatedAtMs: number;
    };

/** The first other ends of one record's links of one association type. */
export interface IncludedList extends Inclusion {
  readonly items: readonly Associated[];
  /** The id after which the list continues; undefined if it is complete. */
  readonly last: string | undefined;
}

interface Included {
  /** For each record, by its id, one list for each inclusion. */
  readonly lists: ReadonlyMap<string, readonly IncludedList[]>;
  /** The records for which not everything fitted. */
  readonly cut: ReadonlySet<string>;
}

/** Reads the other ends of the links of each record. */
export async function readIncluded(
  call: Call,
  type: ObjectType,
  ids: readonly string[],
  inclusions: readonly Inclusion[],
  itemsMax: number,
): Promise<Included> {
  const lists = new Map<string, IncludedList[]>(ids.map((id) => [id, []]));
  const cut = new Set<string>();
  if (ids.length === 0) return { lists, cut };
  for (const { name, hop } of inclusions) {
    const request: LinkedRequest = {
      nearTypeId: type.id,
      nearIds: ids,
      nearSeen: true,
      // One more than needed shows whether there are more.
      limit: itemsMax + 1,
      bytes: Math.floor(bounds.store.pageBytes / inclusions.length),
      hidden: call.session.catalog.hiddenKeys,
    };
    const found = await readEnds(call, hop, request);
    for (const id of ids) {
      const ends = found.get(id) ?? [];
      const page = pageOf(ends, itemsMax);
      if (page.items.length < Math.min(ends.length, itemsMax)) cut.add(id);
      lists.get(id)?.push({ name, hop, items: page.items, last: page.isComplete ? undefined : (page.last ?? firstId) });
    }
  }
  return { lists, cut };
}

/** A page of the other ends of one record's links. */
interface AssociatedPage {
  readonly items: readonly Associated[];
  /** The id of the last item, if there are more. */
  readonly last: string | undefined;
}

/** A record is found together with its links. One that has none is looked up by itself. */
export async function readAssociated(
  call: Call,
  type: ObjectType,
  id: string,
  hop: Hop,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  projection: Projection,
): Promise<AssociatedPage> {
  const isFoundWithLinks = hop.hidden === undefined && isId(id);
  if (!isFoundWithLinks) await readRecord(call, type, id, []);
  const request: LinkedRequest = {
    nearTypeId: type.id,
    nearIds: [id],
    nearSeen: !isFoundWithLinks,
    ...(after === undefined ? {} : { after }),
    // One more than needed shows whether there are more.
    limit: limit + 1,
    bytes: bounds.store.pageBytes,
    properties: projection,
    hidden: call.session.catalog.hiddenKeys,
  };
  const ends = (await readEnds(call, hop, request)).get(id) ?? [];
  if (isFoundWithLinks && ends.length === 0) await readRecord(call, type, id, []);
  const { items, isComplete, last } = pageOf(ends, limit);
  return { items, last: isComplete ? undefined : last };
}

/** One end that was found. */
interface End {
  readonly id: string;
  /** Undefined if the page is full before it. */
  readonly item: Associated | undefined;
}

function pageOf(ends: readonly End[], itemsMax: number) {
  const items: Associated[] = [];
  let last: string | undefined;
  for (const { id, item } of ends.slice(0, itemsMax)) {
    if (item === undefined) continue;
    items.push(item);
    last = id;
  }
  return { items, last, isComplete: ends.length === items.length };
}

async function readEnds(call: Call, hop: Hop, request: LinkedRequest): Promise<ReadonlyMap<string, readonly End[]>> {
  const { database } = call;
  const viewer = viewerOf(call);
  if (hop.hidden === 'svc_org') {
    const org = await findOrg(database, viewer.orgId);
    const visible = await findOrgVisible(database, viewer, request);
    const id = String(viewer.orgId);
    const title = org?.name ?? '';
    // When a record was linked to the org is not stored; the record's creation is the best answer.
    const end = (nearId: string): End => ({
      id,
      item: { type: 'svc_org', id, title, associatedAtMs: idTimeMs(nearId) },
    });
    // There is only one org, so a later page is empty.
    return new Map(request.after === undefined ? visible.map((nearId) => [nearId, [end(nearId)]]) : []);
  }
  if (hop.hidden === 'svc_user') {
    const users = await findLinkedUsers(database, viewer, hop, request);
    return grouped(users, ({ id, title, associatedAt }) => ({
      id,
      item: { type: 'svc_user', id, title: title ?? '', associatedAtMs: associatedAt.getTime() },
    }));
  }
  const types = new Map(hop.ends.map((type) => [type.id, type]));
  const records =
    (await tryLinkedRecords(database, viewer, hop, request)) ??
    (await findLinkedRecords(database.lane, viewer, hop, request));
  return grouped(records, (found) => {
    const type = types.get(found.typeId);
    return { id: found.id, item: type && associatedRecord(type, found, request.properties) };
  });
}

function grouped<Row extends { readonly nearId: string }>(rows: readonly Row[], toEnd: (row: Row) => End) {
  const groups = new Map<string, End[]>();
  for (const row of rows) {
    const group = groups.get(row.nearId);
    if (group === undefined) groups.set(row.nearId, [toEnd(row)]);
    else group.push(toEnd(row));
  }
  return groups;
}

/** What the caller may not see is not read. Values that are not under their names, or not asked for, are put in order here. */
function associatedRecord(
  type: ObjectType,
  { id, version, properties, associatedAt }: LinkedRecord,
  projection: Projection,
): Associated | undefined {
  if (properties === null) return undefined;
  const all = projection === undefined && type.groups.renamed.length === 0;
  const shown = all ? properties : shownText(type, properties, projection);
  return { type, record: { id, version, properties: shown }, associatedAtMs: associatedAt.getTime() };
}

/** The values under the names of their properties, without those that the caller did not ask for. */
function shownText(type: ObjectType, properties: TextPart, projection: Projection): string {
  const values = namedValues(type, JSON.parse(asString(properties)) as Record<string, Json>);
  if (projection === undefined) return JSON.stringify(values);
  return JSON.stringify(Object.fromEntries(Object.entries(values).filter(([name]) => projection.includes(name))));
}
