// Merging a duplicate into the record that stays (contract 5): values that the one lacks are filled from the other,
// lists are united, links move, and the duplicate goes to the trash.
import type { Json } from '../base/json.ts';
import { limits } from '../base/limits.ts';
import type { AssociationPair } from '../schema/association-type.ts';
import type { Changes } from '../schema/check-values.ts';
import { moveIncomingLinks, moveOutgoingLinks, moveUserLinks } from '../store/merge-links.ts';
import { type Draft, touch } from './draft.ts';
import type { Unit } from './unit.ts';
import { applyChanges, deleteRecord, refuseTooLarge, updateRecord } from './write.ts';

export async function mergeRecords(unit: Unit, kept: Draft, duplicate: Draft, at: string): Promise<void> {
  const { orgId } = unit.call.session.caller;
  const { pairs } = unit.call.session.orgCatalog;
  const merge = {
    orgId,
    typeId: kept.type.id,
    keptId: kept.id,
    duplicateId: duplicate.id,
    toOne: associationTypes(pairs, (pair) => pair.cardinality === 'many_to_one'),
    unmoved: associationTypes(pairs, (pair) => pair.sourceType === 'svc_stage_timer'),
  };
  const changes = mergedValues(kept, duplicate);
  refuseTooLarge(JSON.stringify(applyChanges(kept.properties, changes)), at);
  // The links that earlier items of a batch made move as well.
  await unit.flush();
  const moved = await moveOutgoingLinks(unit.transaction, merge);
  const former = kept.version;
  deleteRecord(unit, duplicate);
  // What the duplicate held is free now, so nothing that the merged record wants of it can be refused.
  await updateRecord(unit, kept, changes, [], at);
  if (moved.length > 0 && kept.version === former) touch(kept, unit.atMs);
  kept.orgVisible ||= duplicate.orgVisible;
  for (const link of moved) {
    const { version, id } = kept;
    const entry = { kind: 'association.created', typeId: kept.type.id, id, version, changed: null, link } as const;
    unit.changes.push({ origin: unit.origin, ...entry });
  }
  await unit.flush();
  await moveIncomingLinks(unit.transaction, merge, unit.origin);
  await moveUserLinks(unit.transaction, orgId, { typeId: kept.type.id, id: kept.id }, duplicate.id);
  // Records that link to the duplicate have new versions, which this unit does not know of.
  unit.forget();
}

function associationTypes(
  pairs: readonly AssociationPair[],
  condition: (pair: AssociationPair) => boolean,
): readonly number[] {
  return [...new Set(pairs.filter(condition).map((pair) => pair.id))];
}

/** What the record that stays gets: unset values, and those elements of lists that it does not have. */
function mergedValues(kept: Draft, duplicate: Draft): Changes {
  const changes = new Map<string, Json>();
  for (const property of kept.type.properties.values()) {
    const { name, multiValued, fieldType } = property;
    if (!Object.hasOwn(duplicate.properties, name) || name === 'svc_created_at' || name === 'svc_updated_at') continue;
    const other = duplicate.properties[name] as Json;
    if (!Object.hasOwn(kept.properties, name)) changes.set(name, other);
    else if (multiValued) {
      const own = kept.properties[name] as readonly Json[];
      const keys = new Set(own.map((value) => fieldType.key(value)));
      const more = (other as readonly Json[]).filter((value) => !keys.has(fieldType.key(value)));
      if (more.length > 0) changes.set(name, [...own, ...more].slice(0, limits.valuesPerProperty));
    }
  }
  return changes;
}
