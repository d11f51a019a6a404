// The links of a copy. The feed has an entry for each link that is created or removed, but not for the links of a record
// that is deleted or restored. So an entry that affects a record's links makes the copy read all of them again.
import type { Client } from './client.ts';
import { OrreryProblem } from './errors.ts';
import type { AnySchema, RecordOf } from './schema.ts';
import type { CopiedLinks } from './sync-store.ts';
import type { AssociationEnd, Change } from './wire.ts';

/** The links to copy. */
export interface LinkPlan {
  /** The association types by the name of their source type. */
  readonly from: ReadonlyMap<string, readonly string[]>;
  /** The association types by the name of a target type. It grows: a schema can add target types while a sync runs. */
  readonly to: Map<string, readonly string[]>;
  /** Each association type with both ends that the key can see. */
  readonly pairs: readonly string[];
}

/** The most association types that the service accepts in `include`. */
const includesMax = 5;
/** Records per request; their links are included. */
const recordsAtOnce = 100;
const linksAtOnce = 500;

export async function planLinks(
  client: Client,
  objectTypes: readonly string[],
  associations: readonly string[],
  signal: AbortSignal | undefined,
): Promise<LinkPlan> {
  const from = new Map<string, readonly string[]>();
  const to = new Map<string, readonly string[]>();
  const pairs: string[] = [];
  for (const type of objectTypes) {
    // Also called when no links are copied: it fails for a type that the key cannot see, while the feed is just empty.
    const { data } = await client.listAssociationTypes(type, { signal });
    for (const { name, direction, target_type } of data) {
      if (direction !== 'outgoing' || !associations.includes(name) || isUntold(type, target_type)) continue;
      addName(from, type, name);
      addName(to, target_type, name);
      pairs.push(`${type} ${name} ${target_type}`);
    }
    const own = from.get(type) ?? [];
    if (own.length > includesMax) {
      throw new TypeError(
        `associations may name at most ${includesMax} association types with the source ${type}; got ${own.join(', ')}.`,
      );
    }
  }
  const nowhere = associations.find((name) => ![...from.values()].some((names) => names.includes(name)));
  if (nowhere === undefined) return { from, to, pairs: pairs.toSorted() };
  throw new TypeError(
    `${objectTypes.join(' or ')} is not the source of an association type ${JSON.stringify(nowhere)}.`,
  );
}

/** A stage timer is visible to those who see its record. Its links to users and the org follow, without feed entries. */
function isUntold(type: string, target: string): boolean {
  return type === 'svc_stage_timer' && (target === 'svc_user' || target === 'svc_org');
}

function addName(names: Map<string, readonly string[]>, type: string, name: string): void {
  const known = names.get(type) ?? [];
  if (!known.includes(name)) names.set(type, [...known, name]);
}

/** The links included with the records, and the rest of their pages. */
export async function linksWith(
  client: Client,
  records: readonly RecordOf<AnySchema, string>[],
  { from, to }: LinkPlan,
  signal: AbortSignal | undefined,
): Promise<readonly CopiedLinks[]> {
  const links: CopiedLinks[] = [];
  for (const { id, object_type, associations = {} } of records) {
    for (const name of from.get(object_type) ?? []) {
      const { items = [], next_cursor: cursor = null } = associations[name] ?? {};
      const targets = items.map(endOf);
      if (cursor !== null) {
        const more = client
          .records(object_type)
          .listAssociated(id, name, { direction: 'outgoing', limit: linksAtOnce, cursor, signal });
        // A record that has been deleted since has no links; the feed has an entry for the delete.
        await unlessGone(async () => {
          for await (const each of more) targets.push(endOf(each));
        });
      }
      for (const target of targets) addName(to, target.object_type, name);
      links.push({ source: { object_type, id }, association_type: name, targets });
    }
  }
  return links;
}

/** The current links of all records that a page of the feed affects. */
export async function touchedLinks(
  client: Client,
  entries: readonly Change[],
  plan: LinkPlan,
  signal: AbortSignal | undefined,
): Promise<readonly CopiedLinks[]> {
  const touched = new Map<string, Set<string>>();
  const touch = ({ object_type, id }: AssociationEnd) => {
    if (plan.from.has(object_type)) touched.set(object_type, (touched.get(object_type) ?? new Set()).add(id));
  };
  for (const { type, object_type, record_id: id, association_type = '', target_type } of entries) {
    const isLink = type.startsWith('association.') && plan.from.get(object_type)?.includes(association_type) === true;
    const isBack = type === 'record.restored';
    // Its target may be in the trash by now, and be restored later.
    if (isLink && target_type !== undefined) addName(plan.to, target_type, association_type);
    if (isLink || isBack || type === 'record.created') touch({ object_type, id });
    for (const name of isBack ? (plan.to.get(object_type) ?? []) : []) {
      const sources = client
        .records(object_type)
        .listAssociated(id, name, { direction: 'incoming', limit: linksAtOnce, signal });
      await unlessGone(async () => {
        for await (const source of sources) touch(source);
      });
    }
  }
  const links: CopiedLinks[] = [];
  for (const [type, ids] of touched) links.push(...(await readLinks(client, type, [...ids], plan, signal)));
  return links;
}

async function readLinks(
  client: Client,
  type: string,
  ids: readonly string[],
  plan: LinkPlan,
  signal: AbortSignal | undefined,
): Promise<readonly CopiedLinks[]> {
  const include = plan.from.get(type) ?? [];
  const links: CopiedLinks[] = [];
  for (let start = 0; start < ids.length; start += recordsAtOnce) {
    const value = ids.slice(start, start + recordsAtOnce);
    const filter = { property: 'id', operator: 'in', value } as const;
    const found = client.records(type).query({ filter, include, properties: [], limit: recordsAtOnce }, { signal });
    for await (const page of found.pages()) links.push(...(await linksWith(client, page.data, plan, signal)));
  }
  return links;
}

function endOf({ id, object_type }: AssociationEnd): AssociationEnd {
  return { object_type, id };
}

async function unlessGone(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof OrreryProblem && error.reason === 'record_unknown')) throw error;
  }
}
