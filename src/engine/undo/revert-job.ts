// Takes back what a request or an import wrote, however much it is: as a job of the operator, in steps, each of which is a
// transaction. It goes twice through the records, from the last one back: first lives and values, then links, which may
// lead to records that have come back only then. After a kill it goes on where it stopped.
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { isGoverned } from '../../schema/object-type.ts';
import { isActivity } from '../../schema/roles/last-activity.ts';
import type { Reads } from '../../store/database.ts';
import {
  advanceRevert,
  beginRevert,
  endRevert,
  findEntriesBefore,
  findRevert,
  findWrittenAmong,
  lockRevert,
  type RevertCounts,
  type RevertName,
  type RevertPlace,
} from '../../store/feed/reverts.ts';
import { commitLazily } from '../../store/import/import-connection.ts';
import { asJob } from '../admin/jobs.ts';
import { requireOrg } from '../admin/orgs.ts';
import { type CommandEngine, systemCall, type UnitCall } from '../process/call.ts';
import { commit } from '../unit/transact.ts';
import { Unit } from '../unit/unit.ts';
import { applySteps, goesAtOnce, stepsOf } from './apply.ts';
import type { RecordPlan } from './plan.ts';
import {
  planSome,
  requireKept,
  type UndoneName,
  undoableTypes,
  undoneUnknown,
  type Verdict,
  verdictOf,
} from './revert.ts';
import { settleUnique } from './settle.ts';

export interface RevertRequest {
  readonly orgId: number;
  readonly name: UndoneName;
  /** How long the feed keeps what happened. */
  readonly keptMs: number;
  /** Told after each step, and with what became of its records. */
  progressed(counts: RevertCounts, verdicts: readonly Verdict[]): void;
}

interface RevertOutcome extends RevertCounts {
  readonly jobId: string;
}

const noCounts: RevertCounts = { reverted: 0, kept: 0, refused: 0 };
const beginning: RevertPlace = { pass: 1, doneFrom: null, leaves: false };

/** Runs it as a job, or goes on with one that was interrupted. */
export async function revertAsJob(engine: CommandEngine, request: RevertRequest): Promise<RevertOutcome> {
  const { orgId, name } = request;
  await requireFound(engine, request);
  const row: RevertName = { orgId, requestId: name.id };
  const holding = await engine.database.connect();
  try {
    if (!(await lockRevert(holding, row))) throw beingReverted(name);
    const before = await findRevert(engine.database, row);
    const begun = { orgId, kind: 'revert', message: `${name.kind} ${name.id}`, continues: before?.jobId } as const;
    return await asJob(
      engine,
      begun,
      async (job) => {
        await beginRevert(engine.database, row, job.id);
        const counts = await runSteps(engine, request, job.id, before ?? { ...noCounts, ...beginning }, (done) =>
          job.show({ done: done.reverted, failed: done.refused }),
        );
        await engine.database.transaction((transaction) => endRevert(transaction, row));
        return { ...counts, jobId: job.id };
      },
      ({ reverted, refused }) => ({
        done: reverted,
        failed: refused,
        total: reverted,
        audit: { action: 'request.reverted', detail: `${name.kind} ${name.id}` },
      }),
    );
  } finally {
    await holding.close();
  }
}

/** The same in one transaction that is rolled back. */
export async function dryRevert(engine: CommandEngine, request: RevertRequest): Promise<RevertCounts> {
  const call = await requireFound(engine, request);
  return engine.database.dryRun(async (transaction) => {
    let counts = noCounts;
    for (let place: RevertPlace | undefined = beginning; place !== undefined; ) {
      const unit = new Unit(call, transaction, 'looked_up');
      const step: PlannedStep = await planStep(unit, request, place);
      const verdicts = await step.write();
      await unit.finish();
      counts = added(counts, verdicts);
      request.progressed(counts, verdicts);
      place = step.next;
    }
    return counts;
  });
}

/** A call of the operator, if the request wrote something that is still known. */
async function requireFound(engine: CommandEngine, { orgId, name, keptMs }: RevertRequest): Promise<UnitCall> {
  await requireOrg(engine.database, orgId);
  const call = await operatorCall(engine, orgId);
  await requireKept(call, name, keptMs);
  if ((await entriesBefore(call, name, null, 1)).length === 0) throw undoneUnknown(name);
  return call;
}

async function operatorCall(engine: CommandEngine, orgId: number): Promise<UnitCall> {
  const known = await engine.directory.find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  return systemCall(engine, known);
}

function entriesBefore(
  call: UnitCall,
  name: UndoneName,
  before: string | null,
  limit: number,
  database: Reads = call.database,
) {
  const scope = {
    orgId: call.session.caller.orgId,
    requestId: name.id,
    typeIds: [...undoableTypes(call.session).keys()],
  };
  return findEntriesBefore(database, scope, before, limit);
}

/**
 * Each step commits how far it has come. While the records of one only go to the trash, which nothing else depends on, the
 * next one begins, so that the process and the database both have work. They commit one after the other.
 */
async function runSteps(
  engine: CommandEngine,
  request: RevertRequest,
  jobId: string,
  from: RevertPlace & RevertCounts,
  show: (counts: RevertCounts) => void,
): Promise<RevertCounts> {
  const row = { orgId: request.orgId, requestId: request.name.id };
  let counts: RevertCounts = { reverted: from.reverted, kept: from.kept, refused: from.refused };
  const begin = async (place: RevertPlace, before: Promise<void>) => {
    const call = { ...(await operatorCall(engine, request.orgId)), requestId: jobId };
    let plan: (step: PlannedStep) => void = () => {};
    const planned = new Promise<PlannedStep>((resolve) => {
      plan = resolve;
    });
    const work = async (unit: Unit) => {
      await commitLazily(unit.transaction);
      const step = await planStep(unit, request, place);
      plan(step);
      // What the step before gives up may be what this one takes.
      if (!step.isPlain) await before;
      const verdicts = await step.write();
      await unit.finish();
      await before;
      const sum = added(counts, verdicts);
      await advanceRevert(unit.transaction, row, step.next ?? place, sum);
      return { sum, verdicts };
    };
    const done = commit(call, work, 'looked_up').then(({ sum, verdicts }) => {
      counts = sum;
      request.progressed(sum, verdicts);
      show(sum);
    });
    return { planned, done };
  };
  let place: RevertPlace | undefined = { pass: from.pass, doneFrom: from.doneFrom, leaves: from.leaves };
  let before = Promise.resolve();
  let running: readonly Promise<void>[] = [];
  try {
    while (place !== undefined) {
      const { planned, done } = await begin(place, before);
      running = [before, done];
      // A step that fails has no plan.
      const step = await Promise.race([planned, done.then((): undefined => undefined)]);
      await (step?.isPlain === true ? before : done);
      before = done;
      place = step?.next;
    }
    await before;
  } finally {
    await Promise.allSettled(running);
  }
  return counts;
}

function added(counts: RevertCounts, verdicts: readonly Verdict[]): RevertCounts {
  const of = (which: (verdict: Verdict) => boolean) => verdicts.filter(which).length;
  return {
    reverted: counts.reverted + of(({ reverted }) => reverted),
    kept: counts.kept + of(({ kept }) => kept),
    refused: counts.refused + of(({ refused }) => refused !== undefined),
  };
}

interface PlannedStep {
  /** Whether its records only go to the trash, and nothing waits for them or has to be done before. */
  readonly isPlain: boolean;
  /** Where to go on; undefined at the end. */
  readonly next: RevertPlace | undefined;
  write(): Promise<readonly Verdict[]>;
}

/** Plans the next records, those that the request wrote last. */
async function planStep(unit: Unit, { name }: RevertRequest, place: RevertPlace): Promise<PlannedStep> {
  const { call } = unit;
  const types = undoableTypes(call.session);
  const { revertsPlannedAtOnce } = bounds.engine;
  const entries = await entriesBefore(call, name, place.doneFrom, revertsPlannedAtOnce, unit.transaction);
  const records = new Map(entries.map((entry) => [entry.id, entry]));
  if (entries.some(({ typeId }) => isGoverned(types.get(typeId) ?? { nature: 'open' }))) await unit.govern();
  const found = await planSome(unit, { name, types }, [...records.values()], [call.requestId]);
  // A record is done where it was written last: the others were done before.
  const plans = found.filter(({ lastSeq }) => place.doneFrom === null || lastSeq < Number(place.doneFrom));
  const leaves = place.leaves || plans.some((plan) => isLeft(unit, plan));
  return {
    isPlain: plans.every((plan) => goesAtOnce(unit, plan) && !isActivity(plan.type)),
    next: nextPlace({ ...place, leaves }, entries),
    write: async () => {
      const written = place.pass === 1 ? await doFirst(unit, plans) : await doLast(unit, plans);
      return written.map(verdictOf);
    },
  };
}

/** A second pass is needed only if the first one leaves something for it. */
function nextPlace(
  { pass, leaves }: RevertPlace,
  entries: readonly { readonly seq: string }[],
): RevertPlace | undefined {
  const last = entries.at(-1);
  if (last !== undefined) return { pass, doneFrom: last.seq, leaves };
  return pass === 1 && leaves ? { pass: 2, doneFrom: null, leaves } : undefined;
}

/** Whether the record has something that can only be done when all others are done. */
function isLeft(unit: Unit, plan: RecordPlan): boolean {
  return plan.links.length > 0 || (plan.life === 'to_trash' && !goesAtOnce(unit, plan));
}

async function doFirst(unit: Unit, plans: readonly RecordPlan[]): Promise<readonly RecordPlan[]> {
  for (const plan of plans) {
    if (plan.life === 'to_trash' && isLeft(unit, plan)) plan.life = undefined;
    plan.links = [];
  }
  const moves = await settleUnique(unit, plans, () => true);
  await applySteps(unit, stepsOf(unit, plans), moves);
  return plans;
}

/** Does what the first pass has left. A record that it has reported is not counted again. */
async function doLast(unit: Unit, plans: readonly RecordPlan[]): Promise<readonly RecordPlan[]> {
  const left = plans.filter((plan) => isLeft(unit, plan));
  const known = new Map(left.map((plan) => [plan.id, plan.told.refused.size]));
  for (const plan of left) {
    plan.values.clear();
    plan.told.kept = false;
    if (plan.life === 'to_live') plan.life = undefined;
  }
  const { orgId } = unit.call.session.caller;
  const told = await findWrittenAmong(
    unit.transaction,
    { orgId, requestId: unit.call.requestId },
    left.map(({ id }) => id),
  );
  await applySteps(unit, stepsOf(unit, left), new Map());
  return left.flatMap((plan) => {
    const isNew = known.get(plan.id) === 0;
    const reverted = plan.told.reverted && !told.has(plan.id);
    const refused = isNew ? plan.told.refused : new Set<never>();
    return reverted || refused.size > 0 ? [{ ...plan, told: { reverted, kept: false, refused } }] : [];
  });
}

function beingReverted({ kind }: UndoneName): Failure {
  const sentence = `This ${kind} is being taken back by another process.`;
  return new Failure('usage', sentence, 'Let it finish, or stop it and run this command again to go on.');
}
