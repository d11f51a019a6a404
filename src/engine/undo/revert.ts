// Takes back what a request wrote, as far as nobody has changed it since: finds its records, decides for each what goes back,
// and writes that in a unit of work. In the feed these are changes like any others, so they can be taken back as well.

import { shorten } from '../../../client/import/described.ts';
import { counted } from '../../base/counted.ts';
import { idTimeMs, isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem, type Reason } from '../../base/problem.ts';
import { stageTimerType } from '../../schema/builtin/association-types.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { findWritten } from '../../store/feed/requests.ts';
import { isJob } from '../../store/org/jobs.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { Administration } from '../platform/administration.ts';
import { isOperator, type UnitCall, viewerOf } from '../process/call.ts';
import type { Session } from '../process/session.ts';
import type { Lookups } from '../rules/preload.ts';
import type { Unit } from '../unit/unit.ts';
import { applySteps, goesAtOnce, stepsOf } from './apply.ts';
import { planRecords, type RecordPlan } from './plan.ts';
import { settleUnique } from './settle.ts';

/** A request or a job, as the caller names it. */
export interface UndoneName {
  readonly kind: 'request' | 'job';
  readonly id: string;
}

/** What a request wrote in records of the types that the caller sees. */
interface Undone {
  readonly name: UndoneName;
  readonly types: ReadonlyMap<number, ObjectType>;
  readonly records: readonly RecordRef[];
}

/** The verdict on a record. Of several reasons for a refusal, the first is given. */
export interface Verdict {
  readonly typeName: string;
  readonly id: string;
  readonly reverted: boolean;
  readonly kept: boolean;
  readonly refused: Reason | undefined;
}

/**
 * The types whose records can be undone. What the service itself writes stays: time did pass, and it did happen. Timers that
 * were imported are taken back by the operator, who alone imports them.
 */
export function undoableTypes(session: Session): ReadonlyMap<number, ObjectType> {
  const ofService = [platformTypes.auditEntry, platformTypes.job];
  const staying: readonly number[] = isOperator(session) ? ofService : [...ofService, stageTimerType];
  const types = [...session.catalog.objectTypes.values()].filter(({ id }) => !staying.includes(id));
  return new Map(types.map((type) => [type.id, type]));
}

/** Finds what the request wrote. Throws a Problem if there is nothing, no longer, or more than one unit of work can do. */
export async function findUndone(call: UnitCall, name: UndoneName, keptMs: number): Promise<Undone> {
  await requireKept(call, name, keptMs);
  const types = undoableTypes(call.session);
  const { caller, catalog } = call.session;
  const hidden = Object.fromEntries(catalog.hiddenKeys);
  const scope = { orgId: caller.orgId, requestId: name.id, typeIds: [...types.keys()], hidden };
  const { revertedEntries, revertedRecords, revertedBytes } = bounds.engine;
  const written = await findWritten(call.database, viewerOf(call), scope, revertedEntries + 1);
  const records = written.flatMap(({ typeId, ids }) => ids.map((id) => ({ typeId, id })));
  const entries = written.reduce((sum, each) => sum + each.entries, 0);
  const bytes = written.reduce((sum, each) => sum + each.bytes, 0);
  const isTooMuch = records.length > revertedRecords || entries > revertedEntries || bytes > revertedBytes;
  if (isTooMuch) throw tooMuch(name, scope.orgId);
  if (records.length === 0) throw undoneUnknown(name);
  return { name, types, records };
}

/** Refuses a name that nothing can be found by: of another form, too old, or of a job that does not exist. */
export async function requireKept({ engine, session, database }: UnitCall, name: UndoneName, keptMs: number) {
  const { kind, id } = name;
  if (!isId(id) || id.charAt(14) !== '7') throw undoneUnknown(name);
  if (engine.clock.nowMs() - idTimeMs(id) > keptMs) {
    const detail = 'What this request changed is no longer kept in the feed, so it cannot be taken back.';
    throw new Problem('gone', 'cursor_expired', detail);
  }
  if (kind === 'job' && !(await isJob(database, session.caller.orgId, id))) throw undoneUnknown(name);
}

export function undoneUnknown({ kind, id }: UndoneName): Problem {
  const asked = JSON.stringify(shorten(id, 64));
  return new Problem('not_found', 'record_unknown', `There is no ${kind} ${asked} whose changes this key can see.`);
}

function tooMuch({ kind, id }: UndoneName, orgId: number): Problem {
  const most = counted(bounds.engine.revertedRecords);
  const detail =
    `This ${kind} changed more than ${most} records or too many values to be taken back in one request. ` +
    `An operator can take it back: orrery revert --org ${orgId} --${kind} ${id}`;
  return new Problem('payload_too_large', 'too_many_operations', detail);
}

/** The records that it waits for. They are locked in the order of their keys, like those of everybody else. */
export function undoneLookups({ types, records }: Undone): readonly Lookups[] {
  return [...byType(records)].flatMap(([typeId, trashed]) => {
    const type = types.get(typeId);
    return type === undefined ? [] : [{ type, trashed, stages: true as const }];
  });
}

function byType(records: readonly RecordRef[]): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const { typeId, id } of records) {
    const group = groups.get(typeId);
    if (group === undefined) groups.set(typeId, [id]);
    else group.push(id);
  }
  return groups;
}

/** Takes everything back in one unit of work, and tells what became of each record that the caller sees. */
export async function revertAll(unit: Unit, undone: Undone): Promise<readonly Verdict[]> {
  // Earlier items of a batch may have changed the records.
  await unit.flush();
  const plans: RecordPlan[] = [];
  const { revertsAtOnce } = bounds.engine;
  for (let from = 0; from < undone.records.length; from += revertsAtOnce) {
    plans.push(...(await planSome(unit, undone, undone.records.slice(from, from + revertsAtOnce), [])));
    // Nothing has changed yet, so nothing is lost.
    if (unit.isHeavy) unit.forget();
  }
  if (plans.length === 0) throw undoneUnknown(undone.name);
  const room = plans.some(grows) ? unit.requireRoom() : undefined;
  if (room !== undefined) await room;
  const moves = await settleUnique(unit, plans, (plan) => plan.life === undefined || goesAtOnce(unit, plan));
  await applySteps(unit, stepsOf(unit, plans), moves);
  noteRevert(unit, undone.name, plans);
  return plans.toSorted((one, other) => one.lastSeq - other.lastSeq).map(verdictOf);
}

function grows({ life, values, links }: RecordPlan): boolean {
  return life === 'to_live' || values.size + links.length > 0;
}

/** The plans of some records. What the requests `own` changed does not count as changed by others. */
export async function planSome(
  unit: Unit,
  { name, types }: Pick<Undone, 'name' | 'types'>,
  refs: readonly RecordRef[],
  own: readonly string[],
): Promise<readonly RecordPlan[]> {
  const { slice, session } = unit.call;
  if (slice?.isOver() === true) await slice.next();
  await unit.records.lockAllTrashed(refs);
  const records = [...byType(refs)].flatMap(([typeId, ids]) => {
    const type = session.orgTypes.get(typeId);
    return type === undefined ? [] : unit.records.locked(type, ids);
  });
  return planRecords(unit, { requestId: name.id, types, own: [name.id, ...own] }, records);
}

/** What goes back is noted in the audit once. */
function noteRevert(unit: Unit, { kind, id }: UndoneName, plans: readonly RecordPlan[]): void {
  if (!plans.some(({ told }) => told.reverted)) return;
  unit.book(Administration).note({ action: 'request.reverted', detail: `${kind} ${id}` });
}

export function verdictOf({ type, id, told }: RecordPlan): Verdict {
  const [refused] = told.refused;
  return { typeName: type.name, id, reverted: told.reverted, kept: told.kept, refused };
}
