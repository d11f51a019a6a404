// Merges a duplicate into the record that is kept (contract 5): values that this one lacks are filled from the duplicate,
// lists are united, links move, and the duplicate goes to the trash.
import type { Json } from '../../base/json.ts';
import { limits } from '../../base/limits.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Changes } from '../../schema/check-values.ts';
import { isKeptByService } from '../../schema/roles/kept-by-service.ts';
import { moveExternalIds } from '../../store/records/external-ids.ts';
import {
  moveFacts,
  moveIncomingLinks,
  moveOutgoingLinks,
  moveUserLinks,
  noteMerge,
} from '../../store/records/merge-links.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import { type Draft, print, touch } from '../unit/draft.ts';
import type { StageMove } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { applyChanges, refuseTooLarge } from './apply-changes.ts';
import { noteAllActivities } from './last-activity.ts';
import { applyLinks } from './link.ts';
import { refuseInUse, shareTimersOf, stageLinksOf } from './stage.ts';
import { changeRecord, deleteRecord } from './write.ts';

export async function mergeRecords(unit: Unit, kept: Draft, duplicate: Draft, at: string): Promise<void> {
  // Asked once: if the org became full half-way, the duplicate would already be in the trash.
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  await refuseInUse(unit, kept);
  await refuseInUse(unit, duplicate);
  const { orgId } = unit.call.session.caller;
  const { pairs } = unit.call.session.orgCatalog;
  const merge = {
    orgId,
    typeId: kept.type.id,
    keptId: kept.id,
    duplicateId: duplicate.id,
    toOne: associationTypes(pairs, (pair) => pair.cardinality === 'many_to_one'),
    // Timers are the history of their record.
    unmoved: associationTypes(pairs, (pair) => pair.sourceType === 'svc_stage_timer'),
  };
  const stages = associationTypes(pairs, (pair) => pair.stage);
  const changes = mergedValues(kept, duplicate);
  refuseTooLarge(print(applyChanges(kept.properties, changes)), at);
  // The links that earlier items of a batch made move as well.
  await unit.flush();
  // A link to a stage does not move: the duplicate leaves the stage, and the kept record enters it.
  const moved = await moveOutgoingLinks(unit.transaction, { ...merge, unmoved: [...merge.unmoved, ...stages] });
  const former = kept.version;
  const given = await planStages(unit, kept, duplicate);
  // Both records get a version and entries: the duplicate may be restored, and then has none of these links.
  if (moved.length + given.length > 0) touch(duplicate, unit.nowMs());
  for (const link of moved) unit.noteEntry(duplicate, 'association.deleted', null, link);
  await applyLinks(unit, duplicate, given);
  await deleteRecord(unit, duplicate);
  // The unique values of the duplicate are free now, so the kept record can take them.
  const merged = applyChanges(kept.properties, changes);
  if (merged !== kept.properties) await changeRecord(unit, kept, merged, [], at);
  if (moved.length + given.length > 0 && kept.version === former) touch(kept, unit.nowMs());
  const gainsOrg = duplicate.orgVisible && !kept.orgVisible;
  kept.orgVisible ||= duplicate.orgVisible;
  for (const link of moved) unit.noteEntry(kept, 'association.created', null, link);
  const entered = given.map(({ from }): StageMove => ({ kind: 'stage', from: undefined, to: from }));
  await applyLinks(unit, kept, entered);
  await unit.flush();
  const entries = await moveIncomingLinks(unit.transaction, merge, unit.origin);
  const ref = { typeId: kept.type.id, id: kept.id };
  await moveFacts(unit.transaction, merge, kept.type.slots);
  await noteMerge(unit.transaction, merge);
  await moveExternalIds(unit.transaction, merge);
  const gainedUsers = await moveUserLinks(unit.transaction, orgId, ref, duplicate.id);
  unit.growth += rowBytes.entry * entries + rowBytes.user * gainedUsers.length;
  noteVisibility(unit, kept, [...(gainsOrg ? [null] : []), ...gainedUsers]);
  shareTimersOf(unit, ref);
  // Records that linked to the duplicate have new versions, which this unit does not know.
  unit.forget();
  // Activities have moved, or have other targets.
  noteAllActivities(unit, kept);
  noteAllActivities(unit, duplicate);
}

/** Everybody who saw the duplicate sees the kept record: users by their ids, and null for the org. */
function noteVisibility(unit: Unit, kept: Draft, gained: readonly (string | null)[]): void {
  for (const targetId of gained) {
    const associationTypeId = targetId === null ? visibilityTypes.org : visibilityTypes.user;
    unit.noteEntry(kept, 'association.created', null, { associationTypeId, targetTypeId: 0, targetId });
  }
}

/** The stages that the duplicate leaves and the kept record enters, because it is in none of that kind. */
async function planStages(unit: Unit, kept: Draft, duplicate: Draft): Promise<readonly StageMove[]> {
  const own = await stageLinksOf(unit, kept);
  const others = await stageLinksOf(unit, duplicate);
  const { stages } = unit.call.session.orgCatalog.stageRoles(kept.type.name);
  return others.flatMap((stored) => {
    const { associationTypeId, targetId, targetTypeId } = stored;
    const targetType = unit.call.session.orgTypes.get(targetTypeId)?.name;
    const pair = stages.find((each) => each.id === associationTypeId && each.targetType === targetType);
    const taken = own.some((link) => link.associationTypeId === associationTypeId);
    return pair === undefined || taken ? [] : [{ kind: 'stage', from: { pair, targetId, stored }, to: undefined }];
  });
}

function associationTypes(
  pairs: readonly AssociationPair[],
  condition: (pair: AssociationPair) => boolean,
): readonly number[] {
  return [...new Set(pairs.filter(condition).map((pair) => pair.id))];
}

/** The values that the kept record gets: those that it has not set, and elements of lists that it does not have. */
function mergedValues(kept: Draft, duplicate: Draft): Changes {
  const changes = new Map<string, Json>();
  for (const property of kept.type.properties.values()) {
    const { key, multiValued, fieldType } = property;
    if (!Object.hasOwn(duplicate.properties, key) || isKeptByService(property)) continue;
    const other = duplicate.properties[key] as Json;
    if (!Object.hasOwn(kept.properties, key)) changes.set(key, other);
    else if (multiValued) {
      const own = kept.properties[key] as readonly Json[];
      const known = new Set(own.map((value) => fieldType.key(value)));
      const more = (other as readonly Json[]).filter((value) => !known.has(fieldType.key(value)));
      if (more.length > 0) changes.set(key, [...own, ...more].slice(0, limits.valuesPerProperty));
    }
  }
  return changes;
}
