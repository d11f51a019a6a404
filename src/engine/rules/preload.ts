// Reads everything that the items of a batch will look up, for all of them together: a few statements instead of a few for
// each item. It changes no outcome: whatever is not read here is read when it is needed.
import { isId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Named } from '../../query/match.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { Changes } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { isActivity } from '../../schema/roles/last-activity.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import type { HolderBook } from '../unit/holder-book.ts';
import type { LinkRequest } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { activityTarget } from './last-activity.ts';
import { idsNamed } from './named-by-value.ts';
import { loadStages } from './stage.ts';

/** The look-ups of one item of a batch. */
export interface Lookups {
  readonly type: ObjectType;
  /** The ids of live records that it will lock, and of records in the trash. */
  readonly records?: readonly string[];
  readonly trashed?: readonly string[];
  /** Whether these records enter or leave their stages. */
  readonly stages?: true;
  /** Unique values by which it finds records of the type. */
  readonly matches?: readonly Pick<UniqueKey, 'propertyId' | 'value'>[];
  /** Values that it sets, some of which may be unique. */
  readonly claims?: Changes;
  /** External ids that it gives to its record. */
  readonly externalIds?: readonly ExternalName[];
  /** Links that it makes or removes. */
  readonly links?: readonly LinkLookup[];
}

export interface LinkLookup extends LinkRequest {
  /** The source, if it exists already. */
  readonly source?: Named;
}

/**
 * The names under which writes take turns (see `shares/record-turns`): the records, the unique values by which they are
 * found, the targets of activities, which change with the links to them, and the administration of the org.
 */
export function turnsOf(call: Unit['call'], lookups: readonly Lookups[]): readonly string[] {
  const names: string[] = [];
  if (lookups.some(({ type }) => isGoverned(type))) names.push('administration');
  for (const { type, records = [], trashed = [], matches = [], links = [] } of lookups) {
    if (links.length > 0 && isActivity(type)) {
      const wanted = wantedLinks(call, [{ type, links: links.slice(0, bounds.shares.turnsOfLinks) }]);
      names.push(...changedTargets({ call }, wanted).map(({ id }) => id));
    }
    names.push(...records.filter(isId), ...trashed.filter(isId));
    for (const { propertyId, value } of matches.slice(0, bounds.shares.turnsOfMatch)) {
      names.push(`${type.id}/${propertyId}/${value}`);
    }
  }
  return names;
}

/** Locks and reads everything at once, for items that are not many. */
export async function preload(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  await lockAhead(unit, lookups);
  await readAhead(unit, lookups);
}

/** Locks the records that items will change: of all items together, so that everybody takes locks in the same order. */
export async function lockAhead(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const refs = (pick: (each: Lookups) => readonly string[] | undefined): readonly RecordRef[] =>
    lookups.flatMap((each) => (pick(each) ?? []).filter(isId).map((id) => ({ typeId: each.type.id, id })));
  const { slice } = unit.call;
  const matched = await findMatched(unit, lookups);
  await unit.records.lockAll([...refs((each) => each.records), ...matched]);
  if (slice?.isOver() === true) await slice.next();
  await unit.records.lockAllTrashed(refs((each) => each.trashed));
  if (slice?.isOver() === true) await slice.next();
  const staged = lookups.filter(({ stages }) => stages === true);
  await loadStages(
    unit,
    staged.flatMap(({ type, records = [], trashed = [], matches = [] }) => {
      const matched = unit.holders.loaded(matches.map((key) => ({ ...key, typeId: type.id })));
      return unit.records.locked(type, [...records, ...trashed, ...matched.map(({ id }) => id)]);
    }),
  );
  await lockTargets(unit, lookups);
}

/** The records that hold the values by which items find records. */
async function findMatched(unit: Unit, lookups: readonly Lookups[]): Promise<readonly RecordRef[]> {
  const { slice } = unit.call;
  const matched = new Map<string, RecordRef>();
  for (const group of groupsOf(lookups, ({ matches = [] }) => matches.length)) {
    const matches = group.flatMap(({ type, matches: keys = [] }) => keys.map((key) => ({ ...key, typeId: type.id })));
    if (matches.length === 0) continue;
    if (slice?.isOver() === true) await slice.next();
    await unit.holders.load(matches);
    for (const ref of unit.holders.loaded(matches)) matched.set(ref.id, ref);
  }
  return [...matched.values()];
}

/** Locks the targets of activities, which change with the links to them. */
async function lockTargets(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const { slice } = unit.call;
  const changed: RecordRef[] = [];
  for (const group of groupsOf(lookups, ({ links = [] }) => links.length)) {
    if (slice?.isOver() === true) await slice.next();
    await loadNamed(unit, group);
    changed.push(...changedTargets(unit, wantedLinks(unit.call, group, unit.holders)));
  }
  await unit.records.lockAll(changed);
}

function changedTargets(unit: Pick<Unit, 'call'>, wanted: readonly WantedLink[]): readonly RecordRef[] {
  const changed = new Map<string, RecordRef>();
  for (const { targetId, pairs, type } of wanted) {
    for (const pair of pairs) {
      const target = activityTarget(unit, type, pair.id, pair.targetType);
      if (target !== undefined) changed.set(`${target.id}/${targetId}`, { typeId: target.id, id: targetId });
    }
  }
  return [...changed.values()];
}

/** Items whose look-ups are read together, by their weights. An item alone may weigh more. */
export function groupsOf<Item>(items: readonly Item[], weightOf: (item: Item) => number): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  let group: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const more = weightOf(item);
    if (group.length > 0 && weight + more > bounds.engine.lookupsAtOnce) {
      groups.push(group);
      group = [];
      weight = 0;
    }
    group.push(item);
    weight += more;
  }
  return group.length === 0 ? groups : [...groups, group];
}

/** About how much an item looks up besides what it locks: links, and values that may be unique. */
export function weightOf({ claims, links = [], externalIds = [] }: Lookups): number {
  let weight = links.length + externalIds.length;
  for (const value of claims?.values() ?? []) weight += Array.isArray(value) ? value.length : 1;
  return weight;
}

/** Reads the holders of the values and external ids that items claim, and the ends of their links. */
export async function readAhead(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const { slice } = unit.call;
  if (slice?.isOver() === true) await slice.next();
  if (unit.holders.claims === 'looked_up') await unit.holders.load(lookups.flatMap(claimsOf));
  await unit.externalIds.loadClaims(lookups.flatMap(({ externalIds = [] }) => externalIds));
  await readLinks(unit, lookups);
}

function claimsOf({ type, claims = new Map() }: Lookups) {
  const values = Object.fromEntries([...claims].filter(([, value]) => value !== null)) as Record<string, Json>;
  return uniqueKeys(type, values).map((key) => ({ ...key, typeId: type.id }));
}

/** Locks and reads the ends of the links of one record; what was read before for a whole batch is not read again. */
export async function preloadLinks(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  await loadNamed(unit, lookups);
  await unit.records.lockAll(changedTargets(unit, wantedLinks(unit.call, lookups, unit.holders)));
  await readLinks(unit, lookups);
}

async function readLinks(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const named = await loadNamed(unit, lookups);
  await readEnds(unit, wantedLinks(unit.call, lookups, unit.holders));
  // Of the types that the values belong to: a member is a record, and as the owner of others a user.
  const typeIds = new Set(named.map(({ typeId }) => typeId));
  if (named.length > 0)
    await unit.records.loadLive(
      [...typeIds],
      named.map(({ id }) => id),
    );
}

/** Looks up the targets that links name by a value. Returns those that were found. */
async function loadNamed(unit: Unit, lookups: readonly Lookups[]): Promise<readonly RecordRef[]> {
  const values = lookups.flatMap(({ links = [] }) =>
    links.flatMap(({ target }) => (typeof target === 'string' ? [] : target.values)),
  );
  await unit.holders.load(values);
  return unit.holders.loaded(values);
}

interface WantedLink {
  readonly targetId: string;
  readonly sourceId: string | undefined;
  readonly type: ObjectType;
  readonly pairs: readonly AssociationPair[];
}

/** Links whose target and association type are valid. Records that are named by values are among the holders that are loaded. */
function wantedLinks(
  { session: { catalog } }: Unit['call'],
  lookups: readonly Lookups[],
  holders?: HolderBook,
): readonly WantedLink[] {
  const wanted: WantedLink[] = [];
  for (const { type, links = [] } of lookups) {
    for (const link of links) {
      const pairs = catalog.pairsFrom(type.name, link.associationType);
      if (pairs.length === 0) continue;
      const [sourceId] = idsNamed(link.source, holders);
      for (const targetId of idsNamed(link.target, holders)) {
        if (isId(targetId)) wanted.push({ targetId, sourceId, type, pairs });
      }
    }
  }
  return wanted;
}

async function readEnds(unit: Unit, wanted: readonly WantedLink[]): Promise<void> {
  if (wanted.length === 0) return;
  const { catalog } = unit.call.session;
  const targetTypes = new Set(wanted.flatMap(({ pairs }) => pairs.map((pair) => pair.targetType)));
  const typeIds = [...targetTypes].flatMap((name) => catalog.objectTypes.get(name)?.id ?? []);
  await unit.records.loadLive(
    typeIds,
    wanted.map((link) => link.targetId),
  );
  const users = wanted.filter(({ pairs }) => pairs.some((pair) => pair.targetType === 'svc_user'));
  await unit.users.load(users.map((link) => link.targetId));
  // Leaving a stage writes a timer, which is shared with those who see the record.
  const moving = wanted.filter(({ pairs }) => pairs.some((pair) => pair.stage));
  await unit.users.loadLinks(
    moving.flatMap(({ sourceId, type }) =>
      sourceId === undefined || !isId(sourceId) ? [] : [{ typeId: type.id, id: sourceId }],
    ),
  );
  const stored = wanted.flatMap(({ sourceId, targetId, pairs: [pair] }) =>
    sourceId === undefined || pair === undefined || !isId(sourceId)
      ? []
      : [{ sourceId, associationTypeId: pair.id, targetId, cardinality: pair.cardinality }],
  );
  await unit.links.loadTargets(stored.filter((link) => link.cardinality === 'many_to_one'));
  await unit.links.load(stored.filter((link) => link.cardinality === 'many_to_many'));
}
