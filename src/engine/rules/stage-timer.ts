// The timers of stages, on a unit of work. A timer that the service wrote when a record left a stage is linked with the time at
// which it was left; one of an imported history is linked later, when it is imported. By this the two are told apart.
import { isoText } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import { stageTimerType, timedByIds, timedInIds, timerLinksOf } from '../../schema/builtin/association-types.ts';
import { findStoredTimes } from '../../store/import/stored-timers.ts';
import type { NewLink } from '../../store/records/associations.ts';
import { type Draft, newDraft, textOf, touch } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';

/** A stage of a record, by the association type that it was in it by. */
type TimedStage = Pick<NewLink, 'associationTypeId' | 'targetId' | 'targetTypeId'>;

interface TimerTimes {
  readonly enteredAtMs: number;
  readonly leftAtMs: number;
  /** From when the links of the timer are. */
  readonly linkedAtMs: number;
}

/** Writes the timer of a stage. The record is locked: those who see it see the timer. */
export async function writeTimer(
  unit: Unit,
  draft: Draft,
  stage: TimedStage,
  { enteredAtMs, leftAtMs, linkedAtMs }: TimerTimes,
): Promise<Draft> {
  const type = unit.call.session.orgTypes.get(stageTimerType);
  if (type === undefined) throw new TypeError('The catalog of an org has no stage timers.');
  const users = await unit.users.of({ typeId: draft.type.id, id: draft.id });
  const values = new Map<string, Json>([
    ['svc_entered_at', isoText(enteredAtMs)],
    ['svc_left_at', isoText(leftAtMs)],
    ['svc_duration_seconds', ((leftAtMs - enteredAtMs) / 1_000).toFixed(3)],
  ]);
  const timer = newDraft(type, unit.call.session.ids.next(), values);
  timer.orgVisible = draft.orgVisible;
  unit.announce(timer.id);
  unit.records.add(timer);
  for (const userId of users) unit.users.link({ typeId: type.id, id: timer.id, userId });
  const ids = timerLinksOf(stage.associationTypeId);
  const link = { sourceId: timer.id, sourceTypeId: type.id, atMs: linkedAtMs };
  unit.links.add({ ...link, associationTypeId: ids.record, targetId: draft.id, targetTypeId: draft.type.id });
  unit.links.add({
    ...link,
    associationTypeId: ids.stage,
    targetId: stage.targetId,
    targetTypeId: stage.targetTypeId,
  });
  unit.noteEntry(timer, 'record.created', textOf(timer));
  return timer;
}

/** Whether the timer was imported as history. */
export async function isHistory(unit: Unit, timer: Pick<Draft, 'id' | 'properties'>): Promise<boolean> {
  await unit.links.loadTargets(timerSources([timer]));
  const link = await firstTarget(unit, timer.id, timedByIds);
  return link !== undefined && isoText(link.atMs) !== timer.properties['svc_left_at'];
}

/** Refuses that a timer comes back whose time others have taken. */
export async function refuseOverlap(unit: Unit, { id, properties }: Draft): Promise<void> {
  const record = await firstTarget(unit, id, timedByIds);
  const stage = await firstTarget(unit, id, timedInIds);
  const { svc_entered_at: enteredAt, svc_left_at: leftAt } = properties;
  if (record === undefined || stage === undefined || typeof enteredAt !== 'string' || typeof leftAt !== 'string')
    return;
  const links = { record: record.associationTypeId, stage: stage.associationTypeId };
  const scope = { recordId: record.targetId, links, stageTypeIds: [stage.targetTypeId] };
  const wanted = { scope, stageId: stage.targetId, enteredAt, leftAt };
  const [stored] = await findStoredTimes(unit.transaction, unit.call.session.caller.orgId, [wanted]);
  if (stored === undefined || stored.overlapping === null) return;
  throw new Problem('invalid_request', 'invalid_value', `The record was in a stage from ${stored.overlapping}.`);
}

async function firstTarget(unit: Unit, timerId: string, among: readonly number[]): Promise<NewLink | undefined> {
  for (const associationTypeId of among) {
    const link = await unit.links.target({ sourceId: timerId, associationTypeId });
    if (link !== undefined) return link;
  }
  return undefined;
}

/** By what the records that timers timed are found. */
export function timerSources(timers: readonly Pick<Draft, 'id'>[]) {
  return timers.flatMap(({ id }) => timedByIds.map((associationTypeId) => ({ sourceId: id, associationTypeId })));
}

/**
 * Gives the stage that the record is in another entry time. For the feed the record leaves the stage and enters it again; the
 * entry about the first has the time that goes, so that it can be taken back.
 */
export function dateStage(unit: Unit, draft: Draft, stage: NewLink, atMs: number): void {
  touch(draft, unit.nowMs());
  const { associationTypeId, targetTypeId, targetId } = stage;
  const link = { associationTypeId, targetTypeId, targetId };
  unit.links.add({ ...stage, atMs });
  unit.noteEntry(draft, 'association.deleted', JSON.stringify({ associated_at: isoText(stage.atMs) }), link);
  unit.noteEntry(draft, 'association.created', null, link);
}
