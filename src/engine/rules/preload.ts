// Reads everything that the items of a batch will look up, for all of them together: a few statements instead of a few for
// each item. It changes no outcome: whatever is not read here is read when it is needed.
import { isId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import type { Changes } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { Unit } from '../unit/unit.ts';
import { activityTarget } from './last-activity.ts';
import type { LinkRequest } from './link-effect.ts';
import { loadStages } from './stage.ts';

/** The look-ups of one item of a batch. */
export interface Lookups {
  readonly type: ObjectType;
  /** The ids of live records that it will lock, and of records in the trash. */
  readonly records?: readonly string[];
  readonly trashed?: readonly string[];
  /** Whether these records enter or leave their stages. */
  readonly stages?: true;
  /** Unique values by which it finds a record. */
  readonly matches?: readonly UniqueKey[];
  /** Values that it sets, some of which may be unique. */
  readonly claims?: Changes;
  /** Links that it makes or removes. */
  readonly links?: readonly LinkLookup[];
}

export interface LinkLookup extends LinkRequest {
  /** The source, if it exists already. */
  readonly sourceId?: string;
}

/**
 * The names under which writes take turns (see `shares/record-turns`): the records, and the unique values by which they are
 * found.
 */
export function turnsOf(lookups: readonly Lookups[]): readonly string[] {
  const names: string[] = [];
  for (const { type, records = [], trashed = [], matches = [] } of lookups) {
    names.push(...records.filter(isId), ...trashed.filter(isId));
    for (const { propertyId, value } of matches) names.push(`${type.id}/${propertyId}/${value}`);
  }
  return names;
}

export async function preload(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const refs = (pick: (each: Lookups) => readonly string[] | undefined): readonly RecordRef[] =>
    lookups.flatMap((each) => (pick(each) ?? []).filter(isId).map((id) => ({ typeId: each.type.id, id })));
  const matches = lookups.flatMap(({ type, matches: keys = [] }) => keys.map((key) => ({ ...key, typeId: type.id })));
  await unit.holders.load(matches);
  await unit.records.lockAll([...refs((each) => each.records), ...unit.holders.loaded(matches)]);
  await unit.records.lockAllTrashed(refs((each) => each.trashed));
  const staged = lookups.filter(({ stages }) => stages === true);
  await loadStages(
    unit,
    staged.flatMap(({ type, records = [], trashed = [] }) => unit.records.locked(type, [...records, ...trashed])),
  );
  if (unit.holders.claims === 'looked_up') await unit.holders.load(lookups.flatMap(claimsOf));
  await preloadLinks(unit, lookups);
}

/**
 * Writes what the unit has changed, forgets it, and reads what the next items of the batch will look up. It changes no
 * outcome: whatever is needed again is read again.
 */
export async function relieve(unit: Unit, next: readonly Lookups[]): Promise<void> {
  await unit.flush();
  unit.forget();
  await preload(unit, next);
}

function claimsOf({ type, claims = new Map() }: Lookups) {
  const values = Object.fromEntries([...claims].filter(([, value]) => value !== null)) as Record<string, Json>;
  return uniqueKeys(type, values).map((key) => ({ ...key, typeId: type.id }));
}

/** Reads the ends of the links; what was read before for a whole batch is not read again. */
export async function preloadLinks(unit: Unit, lookups: readonly Lookups[]): Promise<void> {
  const { catalog } = unit.call.session;
  const wanted = lookups
    .flatMap(({ type, links = [] }) =>
      links.map((link) => ({ ...link, type, pairs: catalog.pairsFrom(type.name, link.associationType) })),
    )
    .filter(({ targetId, pairs }) => isId(targetId) && pairs.length > 0);
  // The target of an activity changes with the link, so it is locked.
  const changed = wanted.flatMap(({ targetId, pairs, type }) =>
    pairs.flatMap((pair) => {
      const target = activityTarget(unit, type, pair.id, pair.targetType);
      return target === undefined ? [] : [{ typeId: target.id, id: targetId }];
    }),
  );
  await unit.records.lockAll(changed);
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
