// The rules of writing records, on a unit of work: create, update, delete, restore. Each checks everything that can fail
// before its first change, so that a refused item of a batch leaves no trace.
import type { Changes } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity } from '../../schema/roles/last-activity.ts';
import { guardOf } from '../platform/guards.ts';
import type { Session } from '../process/session.ts';
import { type Draft, newDraft, type Properties, print, printedOf, textOf, touch } from '../unit/draft.ts';
import { givesVersion, type LinkEffect, type ResolvedLink } from '../unit/link-effect.ts';
import { formerValues, withoutLong } from '../unit/long-values.ts';
import { restoreDraft, trashDraft } from '../unit/trash-draft.ts';
import type { Unit } from '../unit/unit.ts';
import { applyChanges, changedValues, refuseFixed, refuseTooLarge } from './apply-changes.ts';
import { noteActivity, noteAllActivities } from './last-activity.ts';
import { applyLinks, planLinks, planUnlink, refuseFixedLink } from './link.ts';
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
  const initial = beginsInStage(unit.call.session, type)
    ? await initialLinks(unit, wholeTypeOf(unit, type), links)
    : [];
  const id = unit.call.session.ids.next();
  return createAsGiven(unit, { type, id, changes, links: initial.length === 0 ? links : [...links, ...initial] }, at);
}

interface GivenRecord {
  readonly type: ObjectType;
  /** The record is dated by it. */
  readonly id: string;
  readonly changes: Changes;
  readonly links: readonly ResolvedLink[];
}

/** The same, with the given id, and in no stage but those among the links. */
export async function createAsGiven(unit: Unit, { type, id, changes, links }: GivenRecord, at: string): Promise<Draft> {
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  const whole = wholeTypeOf(unit, type);
  const draft = newDraft(whole, id, changes);
  const guard = guardOf(whole);
  const follow = guard && (await guard.create(unit, { draft, links, at }));
  refuseTooLarge(printedOf(draft), at);
  const claimed = uniqueKeys(whole, draft.properties);
  await refuseTaken(unit, whole, claimed, draft.id, draft.properties, at);
  unit.announce(draft.id);
  // Most new records have no links, and a batch may have many.
  const effects = links.length === 0 ? [] : await planLinks(unit, draft, links);
  unit.holders.claim(whole, claimed, draft.id);
  unit.records.add(draft);
  const { userId } = unit.call.session.caller;
  follow?.();
  // Whom a record belongs to that the whole org does not see is decided by its guard.
  if (userId !== null && draft.orgVisible) unit.users.link({ typeId: whole.id, id: draft.id, userId });
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
  for (const effect of effects) if (effect.kind !== 'stage') refuseFixedLink(effect, `${at}/associations`);
  if (next === draft.properties && effects.length === 0) return { effects, timers: [] };
  // Who may do what can be changed in a full org, too.
  const room = isGoverned(draft.type) ? undefined : unit.requireRoom();
  if (room !== undefined) await room;
  return changeRecord(unit, draft, next, effects, at);
}

/** The same for values and links that are known to change, of a record whose org has room for them. */
export async function changeRecord(
  unit: Unit,
  draft: Draft,
  wanted: Properties,
  effects: readonly LinkEffect[],
  at: string,
): Promise<LinkOutcome> {
  const guard = guardOf(draft.type);
  const guarded = guard && (await guard.change(unit, { draft, next: wanted, effects, at }));
  refuseFixed(draft, wanted, at);
  const next = guarded?.next ?? wanted;
  const { hiddenKeys } = unit.call.session.catalog;
  if (next !== draft.properties) refuseTooLarge(print(next), at, hiddenKeys.get(draft.type.id));
  const former = uniqueKeys(draft.type, draft.properties);
  const kept = uniqueKeys(draft.type, next);
  const claimed = kept.filter((key) => !includesKey(former, key));
  await refuseTaken(unit, draft.type, claimed, draft.id, next, at);
  unit.holders.release(
    draft.type,
    former.filter((key) => !includesKey(kept, key)),
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
  guarded?.follow();
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Makes one link of the record, if it is not there. */
export async function linkRecord(unit: Unit, draft: Draft, link: ResolvedLink, at: string): Promise<LinkOutcome> {
  refuseFixedLink(link, at);
  return updateRecord(unit, draft, noChanges, [link], at);
}

const noChanges: Changes = new Map();

/** Removes one link of the record, if it is there. */
export async function unlinkRecord(unit: Unit, draft: Draft, link: ResolvedLink): Promise<LinkOutcome> {
  refuseFixedLink(link, '');
  const effects = await planUnlink(unit, draft, link);
  const { properties: next } = draft;
  const guard = effects.length === 0 ? undefined : guardOf(draft.type);
  const guarded = guard && (await guard.change(unit, { draft, next, effects, at: '' }));
  if (effects.some(givesVersion)) touch(draft, unit.nowMs());
  guarded?.follow();
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Moves the record to the trash. It leaves its stages; its links stay, unseen, and its unique values are free. */
export async function deleteRecord(unit: Unit, draft: Draft): Promise<void> {
  await refuseInUse(unit, draft);
  await removeLive(unit, draft);
}

/** The same, even if others need the record. */
export async function removeLive(unit: Unit, draft: Draft): Promise<void> {
  const follow = await guardOf(draft.type)?.remove(unit, draft);
  const stages = await stageLinksOf(unit, draft);
  // The links to users are gone when the trash is purged, but the feed reports the deletion for longer than that.
  const users = draft.orgVisible ? null : await unit.users.of({ typeId: draft.type.id, id: draft.id });
  trashDraft(unit, draft, users);
  follow?.();
  noteActivity(unit, draft, draft.properties, null);
  for (const stage of stages) await leaveStage(unit, draft, stage);
}

/** Takes the record out of the trash, unless another record has taken one of its unique values. */
export async function restoreRecord(unit: Unit, draft: Draft, at: string): Promise<void> {
  const room = unit.requireRoom();
  if (room !== undefined) await room;
  // The values became free when the record was deleted and may be taken by now, so they are always looked up.
  const wanted = uniqueKeys(draft.type, draft.properties);
  await unit.holders.load(wanted.map((key) => ({ ...key, typeId: draft.type.id })));
  await dropTakenUnseen(unit, draft, wanted);
  const claimed = uniqueKeys(draft.type, draft.properties);
  await refuseTaken(unit, draft.type, claimed, draft.id, draft.properties, at);
  const follow = await guardOf(draft.type)?.restore(unit, draft);
  const stages = await stageLinksOf(unit, draft);
  restoreDraft(unit, draft);
  await enterAgain(unit, draft, stages);
  noteActivity(unit, draft, null, draft.properties);
  if (hasLastActivity(draft.type)) noteAllActivities(unit, draft);
  follow?.();
}

/** A value of a deleted property that another record has taken is given up: nobody sees it, and only one can come back. */
async function dropTakenUnseen(unit: Unit, draft: Draft, wanted: readonly UniqueKey[]): Promise<void> {
  const unseen = new Set(draft.type.removed.map(({ id }) => id));
  const keys = wanted.filter(({ propertyId }) => unseen.has(propertyId));
  const taken = keys.length === 0 ? [] : await unit.holders.taken(draft.type, keys, draft.id);
  if (taken.length === 0) return;
  const gone = new Set(taken.map(({ key }) => key.key));
  draft.properties = Object.fromEntries(Object.entries(draft.properties).filter(([key]) => !gone.has(key)));
}

/** Whether a new record of the type needs nothing but itself. */
export function standsAlone(session: Session, type: ObjectType): boolean {
  return !beginsInStage(session, type) && !isGoverned(type);
}

/** The type as the org has it, whatever the caller sees of it. */
export function wholeTypeOf(unit: Unit, type: ObjectType): ObjectType {
  return unit.call.session.orgTypes.get(type.id) ?? type;
}
