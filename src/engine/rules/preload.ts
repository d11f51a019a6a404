// What the items of a batch will ask for, loaded for all of them together: a few statements instead of a few for each.
// It changes no outcome: whatever is not loaded here is asked for when it is needed.
import { isId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import type { Changes } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { Unit } from '../unit/unit.ts';
import { feeds } from './last-activity.ts';
import type { LinkRequest } from './link-effect.ts';
import { loadStages } from './stage.ts';

export interface Needs {
  readonly type: ObjectType;
  readonly records?: readonly string[];
  readonly trashed?: readonly string[];
  /** Whether the records leave or enter stages by it. */
  readonly stages?: true;
  /** Unique values by which a record is to be found. */
  readonly matches?: readonly UniqueKey[];
  /** Values among which there may be unique ones. */
  readonly claims?: Changes;
  /** Links that are to be made or taken away; `sourceId` where the source exists already. */
  readonly links?: readonly NeededLink[];
}

export interface NeededLink extends LinkRequest {
  readonly sourceId?: string;
}

export async function loadNeeds(unit: Unit, needs: readonly Needs[]): Promise<void> {
  const refs = (pick: (each: Needs) => readonly string[] | undefined): readonly RecordRef[] =>
    needs.flatMap((each) => (pick(each) ?? []).filter(isId).map((id) => ({ typeId: each.type.id, id })));
  const matches = needs.flatMap(({ type, matches: keys = [] }) => keys.map((key) => ({ ...key, typeId: type.id })));
  await unit.loadHolders(matches);
  await unit.loadRecords([...refs((each) => each.records), ...unit.holdersAmong(matches)]);
  await unit.loadTrashed(refs((each) => each.trashed));
  const staged = needs.filter(({ stages }) => stages === true);
  await loadStages(
    unit,
    staged.flatMap(({ type, records = [], trashed = [] }) => unit.loaded(type, [...records, ...trashed])),
  );
  if (unit.claims === 'looked_up') await unit.loadHolders(needs.flatMap(claimsOf));
  await loadLinks(unit, needs);
}

function claimsOf({ type, claims = new Map() }: Needs) {
  const values = Object.fromEntries([...claims].filter(([, value]) => value !== null)) as Record<string, Json>;
  return uniqueKeys(type, values).map((key) => ({ ...key, typeId: type.id }));
}

/** What the links of one record lead to; what a batch has loaded for all its items is not asked for again. */
export async function loadLinks(unit: Unit, needs: readonly Needs[]): Promise<void> {
  const { catalog } = unit.call.session;
  const wanted = needs
    .flatMap(({ type, links = [] }) =>
      links.map((link) => ({ ...link, type, pairs: catalog.pairsFrom(type.name, link.associationType) })),
    )
    .filter(({ targetId, pairs }) => isId(targetId) && pairs.length > 0);
  const fed = wanted.flatMap(({ targetId, pairs, type }) =>
    pairs.flatMap((pair) => {
      const target = feeds(unit, type, pair.id, pair.targetType);
      return target === undefined ? [] : [{ typeId: target.id, id: targetId }];
    }),
  );
  await unit.loadRecords(fed);
  const targetTypes = new Set(wanted.flatMap(({ pairs }) => pairs.map((pair) => pair.targetType)));
  const typeIds = [...targetTypes].flatMap((name) => catalog.objectTypes.get(name)?.id ?? []);
  await unit.loadLive(
    typeIds,
    wanted.map((link) => link.targetId),
  );
  const users = wanted.filter(({ pairs }) => pairs.some((pair) => pair.targetType === 'svc_user'));
  await unit.loadUsers(users.map((link) => link.targetId));
  // Whoever leaves a stage has a timer, which is for those who see the record.
  const moving = wanted.filter(({ pairs }) => pairs.some((pair) => pair.stage));
  await unit.links.loadUsers(
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
  await unit.links.loadLinks(stored.filter((link) => link.cardinality === 'many_to_many'));
}
