// The rules of writing records, on a unit of work: create, update, delete, restore. Each checks everything that can fail
// before it changes the first thing, so that a refused item of a batch leaves no trace.
import { newId } from '../../base/id.ts';
import { type Json, pointerStep, sameJson } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity } from '../../schema/roles/last-activity.ts';
import { type Draft, newDraft, type Properties, textOf, touch } from '../unit/draft.ts';
import { noteEntry } from '../unit/note-entry.ts';
import type { TakenValue, Unit } from '../unit/unit.ts';
import { stirActivity, stirAll } from './last-activity.ts';
import { applyLinks, planLinks, planUnlink } from './link.ts';
import type { LinkEffect, ResolvedLink } from './link-effect.ts';
import { enterAgain, initialLinks, leaveStage, refuseInUse, stageLinksOf } from './stage.ts';

/** `at` is the place of the record in the request: '' or '/operations/3'. */
export async function createRecord(
  unit: Unit,
  type: ObjectType,
  changes: Changes,
  links: readonly ResolvedLink[],
  at: string,
): Promise<Draft> {
  const whole = wholeTypeOf(unit, type);
  const draft = newDraft(whole, newId(unit.call.engine.clock), changes);
  refuseTooLarge(textOf(draft), at);
  const claimed = uniqueKeys(whole, draft.properties);
  await refuseTaken(unit, whole, claimed, draft.id, draft.properties, at);
  const begun = [...links, ...(await initialLinks(unit, whole, links))];
  unit.links.addSource(draft.id);
  const effects = await planLinks(unit, draft, begun);
  unit.claim(whole, claimed, draft.id);
  unit.add(draft);
  const { userId } = unit.call.session.caller;
  if (userId !== null) unit.links.addUser({ typeId: whole.id, id: draft.id, userId });
  noteEntry(unit, draft, 'record.created', textOf(draft));
  await applyLinks(unit, draft, effects);
  return draft;
}

/** What a write did to the links of a record. */
export interface LinkOutcome {
  readonly effects: readonly LinkEffect[];
  /** The timers of the stages that it left. */
  readonly timers: readonly Draft[];
}

/** Sets and clears what is named. What changes nothing makes no new version and no entry in the feed. */
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
  if (next !== draft.properties) refuseTooLarge(JSON.stringify(next), at);
  const former = uniqueKeys(draft.type, draft.properties);
  const wanted = uniqueKeys(draft.type, next);
  const claimed = wanted.filter((key) => !includesKey(former, key));
  await refuseTaken(unit, draft.type, claimed, draft.id, next, at);
  unit.release(
    draft.type,
    former.filter((key) => !includesKey(wanted, key)),
  );
  unit.claim(draft.type, claimed, draft.id);
  const before = draft.properties;
  draft.properties = next;
  if (next !== before || effects.some((effect) => effect.kind === 'record')) touch(draft, unit.nowMs());
  if (next !== before) noteEntry(unit, draft, 'record.updated', changedValues(before, next));
  stirActivity(unit, draft, before, next);
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Takes one link of the record away, if it is there. */
export async function unlinkRecord(unit: Unit, draft: Draft, link: ResolvedLink): Promise<LinkOutcome> {
  const effects = await planUnlink(unit, draft, link);
  if (effects.some((effect) => effect.kind === 'record')) touch(draft, unit.nowMs());
  return { effects, timers: await applyLinks(unit, draft, effects) };
}

/** Moves the record to the trash. It leaves its stages; its links stay, unseen, and its unique values are free. */
export async function deleteRecord(unit: Unit, draft: Draft): Promise<void> {
  await refuseInUse(unit, draft);
  const stages = await stageLinksOf(unit, draft);
  // Who could see a record that is not for all is known only as long as it is in the trash, but told for longer.
  const users = draft.orgVisible ? null : await unit.links.usersOf({ typeId: draft.type.id, id: draft.id });
  unit.release(draft.type, uniqueKeys(draft.type, draft.properties));
  touch(draft, unit.nowMs());
  draft.place = 'trash';
  noteEntry(unit, draft, 'record.deleted', users && JSON.stringify(users));
  stirActivity(unit, draft, draft.properties, null);
  for (const link of stages) await leaveStage(unit, draft, link);
}

/** Takes the record out of the trash, if nobody has taken its unique values meanwhile. */
export async function restoreRecord(unit: Unit, draft: Draft, at: string): Promise<void> {
  const claimed = uniqueKeys(draft.type, draft.properties);
  // A value that was free when the record was deleted may be taken now: here it is always worth a look.
  await unit.loadHolders(claimed.map((key) => ({ ...key, typeId: draft.type.id })));
  await refuseTaken(unit, draft.type, claimed, draft.id, draft.properties, at);
  const stages = await stageLinksOf(unit, draft);
  unit.claim(draft.type, claimed, draft.id);
  touch(draft, unit.nowMs());
  draft.place = 'live';
  noteEntry(unit, draft, 'record.restored', textOf(draft));
  await enterAgain(unit, draft, stages);
  stirActivity(unit, draft, null, draft.properties);
  if (hasLastActivity(draft.type)) stirAll(unit, draft);
}

/** The type as the org has it, whatever the caller sees of it. */
export function wholeTypeOf(unit: Unit, type: ObjectType): ObjectType {
  return unit.call.session.orgTypes.get(type.id) ?? type;
}

/** The values with what is named set and cleared; the same object if that changes nothing. */
export function applyChanges(properties: Properties, changes: Changes): Properties {
  const next: Record<string, Json> = { ...properties };
  let changed = false;
  for (const [name, value] of changes) {
    const former = Object.hasOwn(next, name) ? (next[name] as Json) : null;
    if (sameJson(former, value)) continue;
    changed = true;
    if (value === null) delete next[name];
    else next[name] = value;
  }
  return changed ? next : properties;
}

/** The feed leaves out the dates that the service keeps itself. */
const unreported = new Set(['svc_created_at', 'svc_updated_at']);

function changedValues(before: Properties, after: Properties): string {
  const changed: Record<string, { old?: Json; new?: Json }> = Object.create(null) as Record<string, object>;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, name) ? (before[name] as Json) : null;
    const fresh = Object.hasOwn(after, name) ? (after[name] as Json) : null;
    if (unreported.has(name) || sameJson(old, fresh)) continue;
    changed[name] = { ...(old === null ? {} : { old }), ...(fresh === null ? {} : { new: fresh }) };
  }
  return JSON.stringify(changed);
}

/** A record grows with every value that is added to it, and is read whole. */
export function refuseTooLarge(text: string, at: string): void {
  if (text.length * 3 <= bounds.engine.recordBytes || Buffer.byteLength(text) <= bounds.engine.recordBytes) return;
  const detail = `A record may have at most ${bounds.engine.recordBytes.toLocaleString('en-US')} bytes of values.`;
  throw problemOf('validation_failed', [{ pointer: `${at}/properties`, reason: 'too_long', detail }]);
}

export function includesKey(keys: readonly UniqueKey[], wanted: UniqueKey): boolean {
  return keys.some((key) => key.propertyId === wanted.propertyId && key.value === wanted.value);
}

async function refuseTaken(
  unit: Unit,
  type: ObjectType,
  keys: readonly UniqueKey[],
  recordId: string,
  properties: Properties,
  at: string,
): Promise<void> {
  const taken = keys.length === 0 ? [] : await unit.taken(type, keys, recordId);
  const [first] = taken;
  if (first === undefined) return;
  const errors = taken.map(({ key }) => takenFault(type, key, pointerOf(type, key, properties, at)));
  throw await uniqueValueTaken(unit, type, first, errors);
}

export function takenFault(type: ObjectType, { property }: UniqueKey, pointer: string): Fault {
  const detail = `Another record of ${type.name} has this ${property} already; no two records can share one.`;
  return { pointer, property, reason: 'unique_value_taken', detail };
}

/** The conflict names the holder of the first value, and only if the caller can see it. */
export async function uniqueValueTaken(
  unit: Unit,
  type: ObjectType,
  { key, holder }: TakenValue,
  errors: readonly Fault[],
): Promise<Problem> {
  const visible = (await unit.typeOfLive([type.id], holder)) !== undefined;
  return takenProblem(type, key, errors, visible ? holder : undefined);
}

export function takenProblem(
  type: ObjectType,
  key: UniqueKey,
  errors: readonly Fault[],
  holder: string | undefined,
): Problem {
  return new Problem('conflict', 'unique_value_taken', errors[0]?.detail ?? '', {
    errors,
    conflict: {
      objectType: type.name,
      property: key.property,
      ...(holder === undefined ? {} : { existingId: holder }),
    },
  });
}

/** Where the value stands in the request. */
export function pointerOf(type: ObjectType, key: UniqueKey, properties: Properties, at: string): string {
  const pointer = `${at}/properties${pointerStep(key.property)}`;
  const value = properties[key.property];
  if (!Array.isArray(value)) return pointer;
  const index = value.findIndex((element: Json) => includesKey(uniqueKeys(type, { [key.property]: [element] }), key));
  return `${pointer}${pointerStep(Math.max(0, index))}`;
}
