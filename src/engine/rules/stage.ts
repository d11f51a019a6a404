// The rules of stages, on a unit of work. A record is in one stage at most of each of its stage association types; leaving
// one writes a timer. Times are those of the record's own versions, which are taken under its lock and never go back: so
// timers join end to end whatever the clock does.
import { isoText } from '../../base/clock.ts';
import { newId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import { timerLinksOf } from '../../schema/builtin/association-types.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { NewLink } from '../../store/records/associations.ts';
import { isInUse } from '../../store/records/stages.ts';
import type { Session } from '../process/session.ts';
import { type Draft, newDraft, textOf } from '../unit/draft.ts';
import { noteEntry } from '../unit/note-entry.ts';
import type { Unit } from '../unit/unit.ts';
import type { ResolvedLink } from './link-effect.ts';

/** The links to the stages that the record is in, or was in when it was deleted. */
export async function stageLinksOf(unit: Unit, draft: Draft): Promise<readonly NewLink[]> {
  const sources = stageSources(unit, draft.type, draft.id);
  await unit.links.loadTargets(sources);
  const links = await Promise.all(sources.map((source) => unit.links.target(source)));
  return links.filter((link) => link !== undefined);
}

/** The same for many records at once, with all that leaving a stage asks for. */
export async function loadStages(unit: Unit, drafts: readonly Draft[]): Promise<void> {
  await unit.links.loadTargets(drafts.flatMap(({ type, id }) => stageSources(unit, type, id)));
  const watched: Draft[] = [];
  for (const draft of drafts) {
    if (!draft.orgVisible || (await stageLinksOf(unit, draft)).length > 0) watched.push(draft);
  }
  await unit.links.loadUsers(watched.map(({ type, id }) => ({ typeId: type.id, id })));
}

function stageSources(unit: Unit, type: ObjectType, sourceId: string) {
  const { stages } = unit.call.session.orgCatalog.stageRoles(type.name);
  const associationTypeIds = new Set(stages.map((pair) => pair.id));
  return [...associationTypeIds].map((associationTypeId) => ({ sourceId, associationTypeId }));
}

/** Writes the timer of a stage that the record leaves with its version of now. */
export async function leaveStage(unit: Unit, draft: Draft, left: NewLink): Promise<Draft> {
  const type = unit.call.session.orgCatalog.objectTypes.get('svc_stage_timer');
  if (type === undefined) throw new TypeError('The catalog of an org has no stage timers.');
  const users = await unit.links.usersOf({ typeId: draft.type.id, id: draft.id });
  const leftAtMs = draft.updatedAtMs;
  const values = new Map<string, Json>([
    ['svc_entered_at', isoText(left.atMs)],
    ['svc_left_at', isoText(leftAtMs)],
    ['svc_duration_seconds', ((leftAtMs - left.atMs) / 1_000).toFixed(3)],
  ]);
  const timer = newDraft(type, newId(unit.call.engine.clock), values);
  timer.orgVisible = draft.orgVisible;
  unit.links.addSource(timer.id);
  unit.add(timer);
  for (const userId of users) unit.links.addUser({ typeId: type.id, id: timer.id, userId });
  const { record, stage } = timerLinksOf(left.associationTypeId);
  const link = { sourceId: timer.id, sourceTypeId: type.id, atMs: leftAtMs };
  unit.links.add({ ...link, associationTypeId: record, targetId: draft.id, targetTypeId: draft.type.id });
  unit.links.add({ ...link, associationTypeId: stage, targetId: left.targetId, targetTypeId: left.targetTypeId });
  noteEntry(unit, timer, 'record.created', textOf(timer));
  return timer;
}

/** A restored record is in its stages again, from now on; one that is gone meanwhile has been left when it was deleted. */
export async function enterAgain(unit: Unit, draft: Draft, links: readonly NewLink[]): Promise<void> {
  for (const link of links) {
    if (await unit.isLive({ typeId: link.targetTypeId, id: link.targetId })) {
      unit.links.add({ ...link, atMs: draft.updatedAtMs });
    } else {
      unit.links.remove(link);
      noteEntry(unit, draft, 'association.deleted', null, link);
    }
  }
}

/** The links with which a new record begins, beside those that are named with it. */
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
    const targetId = await unit.firstStage(stageType);
    if (targetId !== undefined) links.push({ pair, targetId });
  }
  return links;
}

/** Whether new records of the type begin in a stage. */
export function beginsInStage({ orgCatalog }: Session, type: ObjectType): boolean {
  return orgCatalog.stageRoles(type.name).stages.some((pair) => pair.initial);
}

/** A stage in which somebody is, or a pipeline with such a stage, stays where it is. */
export async function refuseInUse(unit: Unit, { type, id }: Draft): Promise<void> {
  const { orgCatalog, caller } = unit.call.session;
  const { stageOf, pipelineOf } = orgCatalog.stageRoles(type.name);
  if (stageOf.length === 0 && pipelineOf.length === 0) return;
  // Earlier items of a batch may have moved somebody in or out.
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
