// The records that answered records are linked to, for those who ask with `include`: the first few of each, with a cursor
// that goes on where listing the association does.
import { isoText } from '../../base/clock.ts';
import { firstId, idTimeMs } from '../../base/id.ts';
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
} from '../../store/records/linked-records.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { type Projection, recordJson } from './records.ts';

/** An association type that is asked for, and where it leads. */
export interface Inclusion {
  readonly name: string;
  readonly hop: Hop;
}

/** The text of one item, and the id by which the list goes on after it. */
interface Item {
  readonly id: string;
  /** Undefined for what no longer fits. */
  readonly text: string | undefined;
}

export interface Included {
  /** The JSON of `associations` for each record, by its id. */
  readonly texts: ReadonlyMap<string, string>;
  /** The records of which something did not fit. */
  readonly cut: ReadonlySet<string>;
}

/** What is linked to each of the records. */
export async function readIncluded(
  call: Call,
  type: ObjectType,
  ids: readonly string[],
  inclusions: readonly Inclusion[],
  itemsMax: number,
): Promise<Included> {
  const members = new Map<string, string[]>(ids.map((id) => [id, []]));
  const cut = new Set<string>();
  if (ids.length === 0) return { texts: new Map(), cut };
  for (const { name, hop } of inclusions) {
    const request: LinkedRequest = {
      nearTypeId: type.id,
      nearIds: ids,
      // One more than answered tells whether there is more.
      limit: itemsMax + 1,
      bytes: Math.floor(bounds.store.pageBytes / inclusions.length),
    };
    const items = await readItems(call, hop, request);
    for (const id of ids) {
      const found = items.get(id) ?? [];
      const fitting = found.slice(0, itemsMax).filter(({ text }) => text !== undefined);
      const more = found.length > fitting.length;
      if (fitting.length < Math.min(found.length, itemsMax)) cut.add(id);
      const scope = associatedScope(type, id, name, hop);
      const cursor = more ? await call.engine.cursors.seal(call.session, scope, fitting.at(-1)?.id ?? firstId) : null;
      const list = fitting.map(({ text }) => text).join(',');
      members.get(id)?.push(`${JSON.stringify(name)}:{"items":[${list}],"next_cursor":${JSON.stringify(cursor)}}`);
    }
  }
  return { texts: new Map([...members].map(([id, list]) => [id, `{${list.join(',')}}`])), cut };
}

/** A page of the other ends of one record's links, as JSON. */
export interface AssociatedPage {
  readonly text: string;
  /** Where the page ended, if there is more. */
  readonly last: string | undefined;
}

export async function readAssociated(
  call: Call,
  type: ObjectType,
  id: string,
  hop: Hop,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  projection: Projection,
): Promise<AssociatedPage> {
  const request: LinkedRequest = {
    nearTypeId: type.id,
    nearIds: [id],
    ...(after === undefined ? {} : { after }),
    // One more than answered tells whether there is more.
    limit: limit + 1,
    bytes: bounds.store.pageBytes,
    properties: projection,
  };
  const found = (await readItems(call, hop, request)).get(id) ?? [];
  const fitting = found.slice(0, limit).filter(({ text }) => text !== undefined);
  const more = found.length > fitting.length;
  return { text: `[${fitting.map(({ text }) => text).join(',')}]`, last: more ? fitting.at(-1)?.id : undefined };
}

/** What a cursor is bound to that goes on with the links of one record. */
export function associatedScope(type: ObjectType, id: string, name: string, { direction }: Hop): readonly string[] {
  return ['listAssociated', type.name, id, name, direction];
}

async function readItems(call: Call, hop: Hop, request: LinkedRequest): Promise<ReadonlyMap<string, readonly Item[]>> {
  const { database } = call.engine;
  const viewer = viewerOf(call);
  if (hop.hidden === 'svc_org') {
    const org = await findOrg(database, viewer.orgId);
    const visible = await findOrgVisible(database, viewer, request);
    // The link to the org is as old as the record, as far as is known.
    const item = (nearId: string) => hiddenItem('svc_org', String(viewer.orgId), org?.name ?? '', idTimeMs(nearId));
    // There is one org, and nothing comes after it.
    return new Map(request.after === undefined ? visible.map((nearId) => [nearId, [item(nearId)]]) : []);
  }
  if (hop.hidden === 'svc_user') {
    const users = await findLinkedUsers(database, viewer, request);
    return grouped(users, (user) => hiddenItem('svc_user', user.id, user.title, user.associatedAt.getTime()));
  }
  const types = new Map(hop.ends.map((type) => [type.id, type]));
  return grouped(await findLinkedRecords(database, viewer, hop, request), (found) => {
    const end = types.get(found.typeId);
    return { id: found.id, text: end && linkedText(call, end, found, request.properties) };
  });
}

function grouped<Row extends { readonly nearId: string }>(rows: readonly Row[], toItem: (row: Row) => Item) {
  const groups = new Map<string, Item[]>();
  for (const row of rows) {
    const group = groups.get(row.nearId);
    if (group === undefined) groups.set(row.nearId, [toItem(row)]);
    else group.push(toItem(row));
  }
  return groups;
}

function hiddenItem(objectType: 'svc_user' | 'svc_org', id: string, title: string, atMs: number): Item {
  return { id, text: JSON.stringify({ id, object_type: objectType, title, associated_at: isoText(atMs) }) };
}

function linkedText(
  { session }: Call,
  type: ObjectType,
  found: LinkedRecord,
  projection: Projection,
): string | undefined {
  if (found.properties === null) return undefined;
  const whole = session.orgTypes.get(type.id) ?? type;
  const all = projection === undefined && whole.properties.size === type.properties.size;
  const properties = all ? found.properties : shownText(type, found.properties, projection);
  const at = isoText(found.associatedAt.getTime());
  return `${recordJson(type, { ...found, properties }).slice(0, -1)},"associated_at":"${at}"}`;
}

/** The values without those that the caller's catalog does not have, or that were not asked for. */
function shownText(type: ObjectType, properties: string, projection: Projection): string {
  const values = Object.entries(JSON.parse(properties) as Record<string, unknown>);
  const isShown = (name: string) => type.properties.has(name) && (projection?.includes(name) ?? true);
  return JSON.stringify(Object.fromEntries(values.filter(([name]) => isShown(name))));
}
