// The rules of stages, on a unit of work. A record is in at most one stage of each of its stage association types; leaving
// one writes a timer. Times are those of the record's own versions, which are taken under its lock and never go back: so
// timers join end to end whatever the clock does.
import { Problem } from '../../base/problem.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { NewLink } from '../../store/records/associations.ts';
import { isInUse, shareTimers } from '../../store/records/stages.ts';
import type { Session } from '../process/session.ts';
import type { Draft } from '../unit/draft.ts';
import type { ResolvedLink, StageLink, StageMove } from '../unit/link-effect.ts';
import type { RuleBook, Unit } from '../unit/unit.ts';
import { makeRecordLink, removeRecordLink } from './record-link.ts';
import { writeTimer } from './stage-timer.ts';

/** The move of a record to the stage, from the one that it is in. */
export async function planMove(unit: Unit, draft: Draft, to: ResolvedLink): Promise<StageMove> {
  return { kind: 'stage', from: await stageLink(unit, draft, to.pair), to };
}

/** The move of a record out of the stage that it is in. */
export async function planLeave(unit: Unit, draft: Draft, pair: AssociationPair): Promise<StageMove> {
  return { kind: 'stage', from: await stageLink(unit, draft, pair), to: undefined };
}

/** Moves the record as planned. The timer of the stage that it leaves is written by `leaveStage`, after all links. */
export function moveStage(unit: Unit, draft: Draft, { from, to }: StageMove): void {
  if (from !== undefined) removeRecordLink(unit, draft, from);
  if (to !== undefined) makeRecordLink(unit, draft, to);
}

/** Writes the timer of a stage that the record leaves with its current version. */
export function leaveStage(unit: Unit, draft: Draft, stage: NewLink): Promise<Draft> {
  const leftAtMs = draft.updatedAtMs;
  return writeTimer(unit, draft, stage, { enteredAtMs: stage.atMs, leftAtMs, linkedAtMs: leftAtMs });
}

/** A restored record is in its stages again, from now on. A stage that is gone was left when the record was deleted. */
export async function enterAgain(unit: Unit, draft: Draft, links: readonly NewLink[]): Promise<void> {
  for (const link of links) {
    if (await unit.records.isLive({ typeId: link.targetTypeId, id: link.targetId })) {
      unit.links.add({ ...link, atMs: draft.updatedAtMs });
    } else {
      unit.links.remove(link);
      unit.noteEntry(draft, 'association.deleted', null, link);
    }
  }
}

/** The links to the stages that the record is in, or was in when it was deleted. */
export async function stageLinksOf(unit: Unit, { type, id }: Pick<Draft, 'type' | 'id'>): Promise<readonly NewLink[]> {
  const sources = stageSources(unit, type, id);
  await unit.links.loadTargets(sources);
  const links = await Promise.all(sources.map((source) => unit.links.target(source)));
  return links.filter((link) => link !== undefined);
}

/** The same for many records at once, with everything that leaving a stage asks for. */
export async function loadStages(
  unit: Unit,
  records: readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[],
): Promise<void> {
  const { slice } = unit.call;
  await unit.links.loadTargets(records.flatMap(({ type, id }) => stageSources(unit, type, id)));
  const shared: Pick<Draft, 'type' | 'id'>[] = [];
  for (const record of records) {
    if (slice?.isOver() === true) await slice.next();
    if (!record.orgVisible || (await stageLinksOf(unit, record)).length > 0) shared.push(record);
  }
  await unit.users.loadLinks(shared.map(({ type, id }) => ({ typeId: type.id, id })));
}

async function stageLink(unit: Unit, draft: Draft, pair: AssociationPair): Promise<StageLink | undefined> {
  const stored = await unit.links.target({ sourceId: draft.id, associationTypeId: pair.id });
  if (stored === undefined) return undefined;
  // The association type may lead to several types of stages.
  const targetType = unit.call.session.orgTypes.get(stored.targetTypeId)?.name ?? pair.targetType;
  return { pair: { ...pair, targetType }, targetId: stored.targetId, stored };
}

function stageSources(unit: Unit, type: ObjectType, sourceId: string) {
  const { stages } = unit.call.session.orgCatalog.stageRoles(type.name);
  const associationTypeIds = new Set(stages.map((pair) => pair.id));
  return [...associationTypeIds].map((associationTypeId) => ({ sourceId, associationTypeId }));
}

/** The stages in which a new record begins, except where a link of that kind is named with it. */
export async function initialLinks(
  unit: Unit,
  type: ObjectType,
  named: readonly ResolvedLink[],
): Promise<readonly ResolvedLink[]> {
  const { orgCatalog } = unit.call.session;
  const links: ResolvedLink[] = [];
  for (const pair of orgCatalog.stageRoles(type.name).stages) {
    const stageType = orgCatalog.objectTypes.get(pair.targetType);
    if (!pair.initial || stageType === undefined || named.some((link) => link.pair.id === pair.id)) continue;
    const targetId = await unit.book(FirstStages).of(unit, stageType);
    if (targetId !== undefined) links.push({ pair, targetId });
  }
  return links;
}

/** Whether new records of the type begin in a stage. */
export function beginsInStage({ orgCatalog }: Session, type: ObjectType): boolean {
  return orgCatalog.stageRoles(type.name).stages.some((pair) => pair.initial);
}

/** The first stage of each type of stages, for as long as no record of that type changes. */
class FirstStages implements RuleBook {
  readonly #ids = new Map<number, string | undefined>();

  async of(unit: Unit, { id }: ObjectType): Promise<string | undefined> {
    if (!this.#ids.has(id)) {
      await unit.flush();
      this.#ids.set(id, await unit.reads.findFirstStage(unit.transaction, unit.call.session.caller.orgId, id));
    }
    return this.#ids.get(id);
  }

  changed({ id }: ObjectType): void {
    this.#ids.delete(id);
  }

  forget(): void {
    this.#ids.clear();
  }
}

/** Refuses to delete or merge a stage that a record is in, or a pipeline that has such a stage. */
export async function refuseInUse(unit: Unit, { type, id }: Draft): Promise<void> {
  const { orgCatalog, caller } = unit.call.session;
  const { stageOf, pipelineOf } = orgCatalog.stageRoles(type.name);
  if (stageOf.length === 0 && pipelineOf.length === 0) return;
  // Earlier items of a batch may have moved a record in or out.
  await unit.flush();
  const allStages = orgCatalog.stageAssociationTypes;
  if (!(await isInUse(unit.transaction, { orgId: caller.orgId, typeId: type.id, id, stageOf, pipelineOf, allStages })))
    return;
  throw new Problem(
    'conflict',
    'stage_in_use',
    `Records are in this ${type.label}, so it cannot be deleted or merged. Move them to another stage first.`,
  );
}

/** At the end of the unit, the timers of the record are shared with those who see the record. */
export function shareTimersOf(unit: Unit, record: RecordRef): void {
  unit.book(SharedTimers).records.set(record.id, record);
}

class SharedTimers implements RuleBook {
  readonly records = new Map<string, RecordRef>();
  readonly ending = {
    phase: 'visibility',
    run: ({ transaction, call, origin }: Unit) =>
      shareTimers(transaction, call.session.caller.orgId, [...this.records.values()], origin),
  } as const;
}
