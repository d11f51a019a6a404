// Writes what goes back, by the same rules as any other write: records go to the trash, others come back, then values and
// links return, and last the stages and pipelines go that nobody is in any more. What was done last is undone first.
import { bounds } from '../../base/limits.ts';
import { refusalOf } from '../../base/problem.ts';
import { stageTimerType } from '../../schema/builtin/association-types.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { applyChanges } from '../rules/apply-changes.ts';
import { planLinks, planUnlink } from '../rules/link.ts';
import { type LinkLookup, type Lookups, preload } from '../rules/preload.ts';
import { resolveLink } from '../rules/resolve-links.ts';
import { dateStage, refuseOverlap } from '../rules/stage-timer.ts';
import { changeRecord, deleteRecord, restoreRecord } from '../rules/write.ts';
import type { Draft } from '../unit/draft.ts';
import type { LinkEffect, ResolvedLink } from '../unit/link-effect.ts';
import { formerValues } from '../unit/long-values.ts';
import type { Unit } from '../unit/unit.ts';
import { type RecordPlan, uniqueMoves } from './plan.ts';
import { type Moves, nameOf } from './settle.ts';

/** The steps in their order. What is done first makes room, and brings back what the rest refers to. */
const steps = ['trash', 'restore', 'change', 'trash_last'] as const;
type Step = (typeof steps)[number];

interface PlannedStep {
  readonly plan: RecordPlan;
  readonly step: Step;
}

export function stepsOf(unit: Unit, plans: readonly RecordPlan[]): readonly PlannedStep[] {
  const latest = plans.toSorted((one, other) => other.lastSeq - one.lastSeq);
  const topDown = latest.toSorted((one, other) => rankOf(one) - rankOf(other));
  const bottomUp = latest.toSorted((one, other) => rankOf(other) - rankOf(one));
  const orders = { trash: latest, restore: topDown, change: latest, trash_last: bottomUp };
  return steps.flatMap((step) =>
    orders[step].filter((plan) => needs(unit, plan, step)).map((plan) => ({ plan, step })),
  );
}

/** Platform records that others belong to, from the top: they come back before the others, and go after them. */
const ranks: readonly number[] = [
  platformTypes.objectType,
  platformTypes.property,
  platformTypes.propertyOption,
  platformTypes.associationType,
  platformTypes.role,
  platformTypes.member,
  platformTypes.accessKey,
];

function rankOf({ type }: RecordPlan): number {
  return ranks.indexOf(type.id);
}

function needs(unit: Unit, plan: RecordPlan, step: Step): boolean {
  const changes = plan.values.size + plan.links.length > 0;
  switch (step) {
    case 'trash':
      return goesAtOnce(unit, plan);
    case 'restore':
      return plan.life === 'to_live';
    case 'change':
      return returnsWhole(plan) ? plan.links.length > 0 : changes;
    case 'trash_last':
      return plan.life === 'to_trash' && !goesAtOnce(unit, plan);
  }
}

/** The values of a record that comes back return with it, unless rules of its own say what they may be. */
function returnsWhole({ life, type }: RecordPlan): boolean {
  return life === 'to_live' && !isGoverned(type);
}

/** Whether nothing keeps the record from going to the trash: not what it has to give back first, nor records in a stage. */
export function goesAtOnce(unit: Unit, { life, type, values, links }: RecordPlan): boolean {
  return life === 'to_trash' && values.size + links.length === 0 && !isStage(unit, type) && !isGoverned(type);
}

function isStage({ call }: Unit, type: ObjectType): boolean {
  const { stageOf, pipelineOf } = call.session.orgCatalog.stageRoles(type.name);
  return stageOf.length + pipelineOf.length > 0;
}

/** Unique values that were taken from plans that have not given them up yet: until they have, nothing can be written. */
class Debts {
  readonly #moves: Moves;
  readonly #given = new Set<string>();
  readonly #owed = new Set<string>();

  constructor(moves: Moves) {
    this.#moves = moves;
  }

  get isSettled(): boolean {
    return this.#owed.size === 0;
  }

  /** Before the plan takes its values: those that others still hold count as free. */
  borrow(unit: Unit, plan: RecordPlan): void {
    for (const key of uniqueMoves(plan).claimed) {
      const name = nameOf(plan, key);
      if (this.#moves.get(name)?.to !== plan || this.#given.has(name)) continue;
      this.#owed.add(name);
      unit.holders.release(plan.type, [key]);
    }
  }

  /** The plan was refused: whoever holds the values keeps them for now. */
  giveBack(unit: Unit, plan: RecordPlan): void {
    for (const key of uniqueMoves(plan).claimed) {
      const name = nameOf(plan, key);
      const move = this.#moves.get(name);
      if (move?.to === plan && this.#owed.delete(name)) unit.holders.claim(plan.type, [key], move.from.id);
    }
  }

  /** The plan has given up its values, some of which were taken before. */
  settle(unit: Unit, plan: RecordPlan): void {
    for (const key of uniqueMoves(plan).lost) {
      const name = nameOf(plan, key);
      const move = this.#moves.get(name);
      if (move?.from !== plan) continue;
      this.#given.add(name);
      if (this.#owed.delete(name)) unit.holders.claim(plan.type, [key], move.to.id);
    }
  }
}

export async function applySteps(unit: Unit, planned: readonly PlannedStep[], moves: Moves): Promise<void> {
  const debts = new Debts(moves);
  const run = async ({ plan, step }: PlannedStep) => {
    debts.borrow(unit, plan);
    try {
      await runStep(unit, plan, step);
      debts.settle(unit, plan);
    } catch (error) {
      const { reason } = refusalOf(error);
      debts.giveBack(unit, plan);
      if (reason !== undefined) plan.told.refused.add(reason);
    }
  };
  const { revertsAtOnce } = bounds.engine;
  for (let from = 0; from < planned.length; from += revertsAtOnce) {
    await runSome(unit, planned.slice(from, from + revertsAtOnce), run, debts);
  }
}

/** Some steps, in slices of the org's turns on the thread. What they change is written when it takes too much memory. */
async function runSome(
  unit: Unit,
  some: readonly PlannedStep[],
  run: (step: PlannedStep) => Promise<void>,
  debts: Debts,
): Promise<void> {
  const { slice } = unit.call;
  await preload(unit, some.map(lookupsOf));
  for (const [index, step] of some.entries()) {
    if (slice?.isOver() === true) await slice.next();
    await run(step);
    if (!unit.isHeavy || !debts.isSettled) continue;
    await unit.flush();
    unit.forget();
    await preload(unit, some.slice(index + 1).map(lookupsOf));
  }
}

function lookupsOf({ plan, step }: PlannedStep): Lookups {
  const { type, id, values, links } = plan;
  if (step === 'restore') return { type, trashed: [id], stages: true, claims: values };
  if (step !== 'change') return { type, records: [id], stages: true };
  const wanted = links.map(
    ({ pair, targetId }): LinkLookup => ({ associationType: pair.name, target: targetId, source: id }),
  );
  return { type, records: [id], claims: values, links: wanted };
}

async function runStep(unit: Unit, plan: RecordPlan, step: Step): Promise<void> {
  const { type, id } = plan;
  if (step === 'restore') {
    const draft = await unit.records.lockTrashed(type, id);
    if (draft !== undefined) await comeBack(unit, draft, plan);
    // It has come back with the record that it belongs to.
    else if ((await unit.records.lock(type, id)) !== undefined) plan.told.reverted = true;
    return;
  }
  const draft = await unit.records.lock(type, id);
  if (draft === undefined) return;
  if (step === 'change') await change(unit, draft, plan);
  else {
    await deleteRecord(unit, draft);
    plan.told.reverted = true;
  }
}

/** The record comes back with the values that it had. */
async function comeBack(unit: Unit, draft: Draft, plan: RecordPlan): Promise<void> {
  if (draft.type.id === stageTimerType) await refuseOverlap(unit, draft);
  const before = draft.properties;
  if (returnsWhole(plan)) draft.properties = applyChanges(before, plan.values);
  try {
    await restoreRecord(unit, draft, '');
  } catch (error) {
    draft.properties = before;
    throw error;
  }
  unit.noteFormer(draft, formerValues(before, draft.properties));
  plan.told.reverted = true;
}

async function change(unit: Unit, draft: Draft, plan: RecordPlan): Promise<void> {
  const next = returnsWhole(plan) ? draft.properties : applyChanges(draft.properties, plan.values);
  const effects = await effectsOf(unit, draft, plan);
  const isChange = next !== draft.properties || effects.length > 0;
  if (isChange) {
    const room = isGoverned(draft.type) ? undefined : unit.requireRoom();
    if (room !== undefined) await room;
    await changeRecord(unit, draft, next, effects, '');
  }
  if ((await dateLinks(unit, draft, plan)) || isChange) plan.told.reverted = true;
}

/** Gives the stages that the record is still in the dates that they had; returns whether there was any. */
async function dateLinks(unit: Unit, draft: Draft, { links }: RecordPlan): Promise<boolean> {
  let isDated = false;
  for (const { pair, targetId, change, linkedAtMs } of links) {
    if (change !== 'dated' || linkedAtMs === undefined) continue;
    const stage = await unit.links.target({ sourceId: draft.id, associationTypeId: pair.id });
    if (stage?.targetId !== targetId) continue;
    dateStage(unit, draft, stage, linkedAtMs);
    isDated = true;
  }
  return isDated;
}

/** Links that were made go first: one that comes back may take their place. */
async function effectsOf(unit: Unit, draft: Draft, { type, links, told }: RecordPlan): Promise<readonly LinkEffect[]> {
  const effects: LinkEffect[] = [];
  for (const link of links) {
    if (link.change === 'removed') effects.push(...(await planUnlink(unit, draft, link)));
  }
  const made: ResolvedLink[] = [];
  for (const { pair, targetId, change: kind } of links) {
    if (kind !== 'made') continue;
    const request = { associationType: pair.name, target: targetId };
    const found = await resolveLink(unit, type, request).catch((error: unknown) => {
      const { reason } = refusalOf(error);
      if (reason !== undefined) told.refused.add(reason);
    });
    if (found !== undefined) made.push(found);
  }
  return [...effects, ...(await planLinks(unit, draft, made))];
}
