// The rules of writing records, on a unit of work: create, update, delete, restore. Each checks everything that can fail
// before its first change, so that a refused item of a batch leaves no trace.
import type { Changes } from '../../schema/check-values.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity } from '../../schema/roles/last-activity.ts';
import { type Draft, newDraft, type Properties, textOf, touch } from '../unit/draft.ts';
import { formerValues, withoutLong } from '../unit/long-values.ts';
import type { Unit } from '../unit/unit.ts';
import { applyChanges, changedValues, refuseTooLarge } from './apply-changes.ts';
import { noteActivity, noteAllActivities } from './last-activity.ts';
import { applyLinks, planLinks, planUnlink } from './link.ts';
import { givesVersion, type LinkEffect, type ResolvedLink } from './link-effect.ts';
import { beginsInStage, enterAgain, initialLinks, leaveStage, refuseInUse, stageLinksOf } from './stage.ts';
import { includesKey, refuseTaken } from './unique-values.ts';

/** `at` is the place of the record in the request: '' or '/operations/3'. */
export async function createRecord(
  unit: Unit,
  type: ObjectType,
  changes: Changes,
  links: readonly ResolvedLink[],
  at: string,
): Promise<Draft> {
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  const whole = wholeTypeOf(unit, type);
  const draft = newDraft(whole, unit.call.session.ids.next(), changes);
  refuseTooLarge(textOf(draft), at);
  const claimed = uniqueKeys(whole, draft.properties);
  await refuseTaken(unit, whole, claimed, draft.id, draft.properties, at);
  const all = beginsInStage(unit.call.session, whole) ? [...links, ...(await initialLinks(unit, whole, links))] : links;
  unit.announce(draft.id);
  // Most new records have no links, and a batch may have many.
  const effects = all.length === 0 ? [] : await planLinks(unit, draft, all);
  unit.holders.claim(whole, claimed, draft.id);
  unit.records.add(draft);
  const { userId } = unit.call.session.caller;
  if (userId !== null) unit.users.link({ typeId: whole.id, id: draft.id, userId });
  unit.noteEntry(draft, 'record.created', withoutLong(draft.properties, textOf(draft)));
  if (effects.length > 0) await applyLinks(unit, draft, effects);
  return draft;
}

/** The effects of a write on the links of a record. */
export interface LinkOutcome {
  readonly effects: readonly LinkEffect[];
  /** The timers of the stages that the record has left. */
  readonly timers: readonly Draft[];
}

/** Sets and clears values. An update that changes nothing makes no new version and no entry in the feed. */
export async function updateRecord(
  unit: Unit,
  draft: Draft,
  changes: Changes,
  links: readonly ResolvedLink[],
  at: string,
): Promise<LinkOutcome> {
  const next = applyChanges(draft.properties, changes);
  const effects = await planLinks(unit, draft, links);
  if (next === draft.properties && effects.length === 0) return { effects, timers: [] };
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  return changeRecord(unit, draft, next, effects, at);
}

/** The same for values and links that are known to change, of a record whose org has room for them. */
export async function changeRecord(
  unit: Unit,
  draft: Draft,
  next: Properties,
  effects: readonly LinkEffect[],
  at: string,
): Promise<LinkOutcome> {
  if (next !== draft.properties) refuseTooLarge(JSON.stringify(next), at);
  const former = uniqueKeys(draft.type, draft.properties);
  const wanted = uniqueKeys(draft.type, next);
  const claimed = wanted.filter((key) => !includesKey(former, key));
  await refuseTaken(unit, draft.type, claimed, draft.id, next, at);
  unit.holders.release(
    draft.type,
    former.filter((key) => !includesKey(wanted, key)),
  );
  unit.holders.claim(draft.type, claimed, draft.id);
  const before = draft.properties;
  draft.properties = next;
  if (next !== before || effects.some(givesVersion)) touch(draft, unit.nowMs());
  if (next !== before) {
    const changed = changedValues(before, next);
    unit.noteEntry(draft, 'record.updated', changed);
    if (changed.leftOut !== undefined) unit.noteFormer(draft, formerValues(before, next));
  }
  noteActivity(unit, draft, before, next);
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Removes one link of the record, if it is there. */
export async function unlinkRecord(unit: Unit, draft: Draft, link: ResolvedLink): Promise<LinkOutcome> {
  const effects = await planUnlink(unit, draft, link);
  if (effects.some(givesVersion)) touch(draft, unit.nowMs());
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Moves the record to the trash. It leaves its stages; its links stay, unseen, and its unique values are free. */
export async function deleteRecord(unit: Unit, draft: Draft): Promise<void> {
  await refuseInUse(unit, draft);
  const stages = await stageLinksOf(unit, draft);
  // The links to users are gone when the trash is purged, but the feed reports the deletion for longer than that.
  const users = draft.orgVisible ? null : await unit.users.of({ typeId: draft.type.id, id: draft.id });
  unit.holders.release(draft.type, uniqueKeys(draft.type, draft.properties));
  touch(draft, unit.nowMs());
  draft.place = 'trash';
  unit.noteEntry(draft, 'record.deleted', users && JSON.stringify(users));
  noteActivity(unit, draft, draft.properties, null);
  for (const stage of stages) await leaveStage(unit, draft, stage);
}

/** Takes the record out of the trash, unless another record has taken one of its unique values. */
export async function restoreRecord(unit: Unit, draft: Draft, at: string): Promise<void> {
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  const claimed = uniqueKeys(draft.type, draft.properties);
  // The values became free when the record was deleted and may be taken by now, so they are always looked up.
  await unit.holders.load(claimed.map((key) => ({ ...key, typeId: draft.type.id })));
  await refuseTaken(unit, draft.type, claimed, draft.id, draft.properties, at);
  const stages = await stageLinksOf(unit, draft);
  unit.holders.claim(draft.type, claimed, draft.id);
  touch(draft, unit.nowMs());
  draft.place = 'live';
  unit.noteEntry(draft, 'record.restored', withoutLong(draft.properties, textOf(draft)));
  await enterAgain(unit, draft, stages);
  noteActivity(unit, draft, null, draft.properties);
  if (hasLastActivity(draft.type)) noteAllActivities(unit, draft);
}

/** The type as the org has it, whatever the caller sees of it. */
export function wholeTypeOf(unit: Unit, type: ObjectType): ObjectType {
  return unit.call.session.orgTypes.get(type.id) ?? type;
}
