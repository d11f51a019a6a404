// Keeps a copy of all records of some object types: loads every page, then follows the change feed from the place where
// the first page was read. Each step is one batch, stored together with the place it leads to, so a sync that is killed
// continues after its last step. When its cursor has expired, it loads everything again and removes deleted records.
import type { Client } from './client.ts';
import { OrreryProblem } from './errors.ts';
import type { SchemaShape, TypeName } from './schema.ts';
import { applyChange, toCopied } from './sync-changes.ts';
import { type LinkPlan, linksWith, planLinks, touchedLinks } from './sync-links.ts';
import type { CopiedRecord, SyncBatch, SyncStore } from './sync-store.ts';
import type { AssociationEnd, Change } from './wire.ts';

export interface SyncOptions<T extends string = string> {
  readonly objectTypes: readonly T[];
  readonly store: SyncStore;
  /** Association types whose links are copied too. Their source must be one of the object types; at most 5 for each. */
  readonly associations?: readonly string[] | undefined;
  /** Records per page of the load, up to 500, which is the default. */
  readonly pageSize?: number | undefined;
  /** How long a request waits for changes when there are none: 1 to 25 seconds, which is the default. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The batch that a step has stored. */
export interface SyncStep extends SyncBatch {
  readonly phase: 'load' | 'follow';
  /** Whether the copy was complete and up to date when the step was read. */
  readonly isCaughtUp: boolean;
}

/** The state of a store. Only this file reads it. */
interface Place {
  readonly orgId: number;
  /** Determines which records the copy has. If it differs, the copy is loaded again. */
  readonly scope: string;
  readonly generation: number;
  /** The place in the feed; null until the first page is loaded. */
  readonly feed: string | null;
  /** The association types of which the store may have links, including those that are no longer copied. */
  readonly links: readonly string[];
  /** The progress of the load; null when it is complete. */
  readonly load: { readonly typeIndex: number; readonly cursor: string | null } | null;
}

interface Sync {
  readonly client: Client;
  readonly options: SyncOptions;
  readonly plan: LinkPlan;
}

/** How many loads in a row may end with a place in the feed that has expired meanwhile. */
const reloadsMax = 3;
const pageSizeDefault = 500;
const entriesPerPage = 1_000;
const waitSecondsDefault = 25;

/** Yields each step after storing it. There is no last step: stop when the copy is caught up, or never. */
export async function* sync<S extends SchemaShape<S>>(
  client: Client<S>,
  options: SyncOptions<TypeName<S>>,
): AsyncGenerator<SyncStep, void, undefined> {
  const { store, objectTypes, associations = [], signal, waitSeconds = waitSecondsDefault } = options;
  if (objectTypes.length === 0) throw new TypeError('objectTypes must name at least one object type.');
  if (!Number.isInteger(waitSeconds) || waitSeconds < 1 || waitSeconds > 25) {
    throw new TypeError('waitSeconds must be a whole number from 1 to 25.');
  }
  // From here on, types are only names: a copy follows the feed, not the schema.
  const loose = client as unknown as Client;
  const all: Sync = { client: loose, options, plan: await planLinks(loose, objectTypes, associations, signal) };
  let place = await beginning(all);
  let isCaughtUp = false;
  for (let reloads = 0; ; ) {
    signal?.throwIfAborted();
    let step: SyncStep;
    try {
      step = place.load === null ? await follow(all, place, isCaughtUp ? waitSeconds : 0) : await loadPage(all, place);
      if (place.load === null) reloads = 0;
    } catch (error) {
      if (!isLost(error) || ++reloads > reloadsMax) throw error;
      step = stepOf('load', startOf(place, place.generation + 1), {});
    }
    await store.apply(step);
    place = step.state as Place;
    isCaughtUp = step.isCaughtUp;
    yield step;
  }
}

/** The place of the store, or the start of a new load if it has a copy of something else. */
async function beginning({ client, options, plan }: Sync): Promise<Place> {
  const { store, objectTypes, associations = [], signal } = options;
  const { org_id: orgId, reach, principal_id: principal } = (await client.getSelf({ signal })).data;
  const scope = [objectTypes.join(), ...plan.pairs, reach === 'org' ? 'org' : principal].join('; ');
  const stored = (await store.load()) as Place | undefined | null;
  if (stored === undefined || stored === null) return startOf({ orgId, scope, links: associations }, 1);
  if (stored.orgId !== orgId) {
    throw new TypeError(
      `The store has a copy of org ${stored.orgId}, but the key belongs to org ${orgId}. Use another store.`,
    );
  }
  if (stored.scope === scope) return stored;
  const links = [...new Set([...stored.links, ...associations])];
  return startOf({ orgId, scope, links }, stored.generation + 1);
}

function startOf({ orgId, scope, links }: Pick<Place, 'orgId' | 'scope' | 'links'>, generation: number): Place {
  return { orgId, scope, links, generation, feed: null, load: { typeIndex: 0, cursor: null } };
}

/** Whether the service no longer accepts the place: it has expired, or belongs to another key. */
function isLost(error: unknown): boolean {
  return error instanceof OrreryProblem && (error.code === 'gone' || error.reason === 'invalid_cursor');
}

function isOverloaded(error: unknown): boolean {
  return error instanceof OrreryProblem && error.reason === 'overloaded';
}

function stepOf(phase: SyncStep['phase'], state: Place, parts: Partial<SyncStep>): SyncStep {
  const none = { upserts: [], deletes: [], links: [], sweep: false, isCaughtUp: false };
  return { phase, generation: state.generation, ...none, ...parts, state };
}

/** Loads one page of one type. The page is authoritative: the records of the copy may be older. */
async function loadPage({ client, options, plan }: Sync, place: Place): Promise<SyncStep> {
  const { objectTypes, associations = [], pageSize: limit = pageSizeDefault, signal } = options;
  const { typeIndex, cursor } = place.load ?? { typeIndex: 0, cursor: null };
  const type = objectTypes[typeIndex] ?? '';
  const include = plan.from.get(type) ?? [];
  const asked = { limit, cursor: cursor ?? undefined, signal };
  const page = await client
    .records(type)
    .list(include.length === 0 ? asked : { ...asked, include })
    .first();
  const { nextCursor } = page;
  const next = nextCursor === null ? { typeIndex: typeIndex + 1, cursor: null } : { typeIndex, cursor: nextCursor };
  const isLoaded = next.typeIndex >= objectTypes.length;
  // The very first page is the oldest: the feed from there has everything that a page may have missed.
  const feed = place.feed ?? page.changesCursor ?? null;
  // The load visits every record that stays, so it also removes links that are no longer copied.
  const dropped = place.links.filter((name) => !associations.includes(name));
  const none = page.data.flatMap(({ id, object_type }) =>
    dropped.map((association_type) => ({ source: { object_type, id }, association_type, targets: [] })),
  );
  const links = [...(await linksWith(client, page.data, plan, signal)), ...none];
  const state = { ...place, feed, links: isLoaded ? associations : place.links, load: isLoaded ? null : next };
  return stepOf('load', state, { upserts: page.data.map(toCopied), links, sweep: isLoaded });
}

async function follow({ client, options, plan }: Sync, place: Place, wait: number): Promise<SyncStep> {
  const { objectTypes, store, signal } = options;
  // With links, entries of every type matter, because any record may be the end of a link.
  const objectType = objectTypes.length === 1 && plan.from.size === 0 ? objectTypes[0] : undefined;
  const cursor = place.feed ?? 'earliest';
  const asked = { cursor, limit: entriesPerPage, objectType, signal };
  const page = await client
    .listChanges({ ...asked, wait })
    .first()
    .catch((error: unknown) => {
      // Too many requests wait already, still so after all retries and their pauses: entries come without waiting too.
      if (wait === 0 || !isOverloaded(error)) throw error;
      return client.listChanges(asked).first();
    });
  const entries = page.data;
  const { upserts, deletes } = await applyEntries(store, entries, objectTypes);
  const links = await touchedLinks(client, entries, plan, signal);
  // Deleting a record that is not copied itself also removes the links to it.
  const others = entries.filter((entry) => plan.to.has(entry.object_type) && !objectTypes.includes(entry.object_type));
  const state = { ...place, feed: page.nextCursor };
  const gone = [...deletes, ...lastDeleted(others)];
  return stepOf('follow', state, { upserts, deletes: gone, links, isCaughtUp: entries.length === 0 });
}

/** The records of a page of the feed after all its entries. */
async function applyEntries(store: SyncStore, entries: readonly Change[], objectTypes: readonly string[]) {
  const told = entries.filter(({ object_type }) => objectTypes.includes(object_type));
  const touched = [...new Map(told.map((entry) => [entry.record_id, endOf(entry)])).values()];
  const before = new Map((touched.length === 0 ? [] : await store.read(touched)).map((record) => [record.id, record]));
  const after = new Map<string, CopiedRecord | undefined>(before);
  const ended = new Set(told.filter(({ type }) => type === 'record.deleted').map(({ record_id }) => record_id));
  for (const entry of told) after.set(entry.record_id, applyChange(after.get(entry.record_id), entry));
  return {
    upserts: [...after.values()]
      .filter((record) => record !== undefined)
      .filter((each) => before.get(each.id) !== each),
    // Includes records that the copy does not have: links are read in their current state, which can be ahead.
    deletes: touched.filter(({ id }) => ended.has(id) && after.get(id) === undefined),
  };
}

/** The records whose last entry is a delete. */
function lastDeleted(entries: readonly Change[]): readonly AssociationEnd[] {
  const own = entries.filter(({ type }) => type.startsWith('record.'));
  const last = new Map(own.map((entry) => [entry.record_id, entry]));
  return [...last.values()].filter(({ type }) => type === 'record.deleted').map(endOf);
}

function endOf({ object_type, record_id: id }: Change): AssociationEnd {
  return { object_type, id };
}
