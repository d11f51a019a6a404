// POST /batch/: up to 1,000 operations on any types in one transaction, all or nothing or each on its own.
import { counted } from '../base/counted.ts';
import { JsonText } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import { type Fault, Problem, refusalOf } from '../base/problem.ts';
import { LostRace } from '../engine/groups/lost-race.ts';
import { mayBeStale } from '../engine/process/schema-changed.ts';
import type { Lookups } from '../engine/rules/preload.ts';
import { runItems } from '../engine/rules/run-items.ts';
import { standsAlone } from '../engine/rules/write.ts';
import type { Unit } from '../engine/unit/unit.ts';
import { batchExamples } from './examples/batch.ts';
import { type DataAnswer, type KeyCall, keyOperation } from './operation.ts';
import { BatchResultShape, batchBody } from './shapes/batch.ts';
import type { ItemResult, ParsedItem, Refs, UnpreparedItem } from './shared/batch-item.ts';
import { parseItem } from './shared/batch-items.ts';
import { problemBody } from './shared/problem-body.ts';
import { runPlainWrite, runWrite, writeHeaders, writeProblems } from './shared/record-write.ts';
import { withoutQuotes } from './shared/redact-answer.ts';

export const batch = keyOperation({
  id: 'batch',
  method: 'POST',
  path: '/batch/',
  tag: 'Records',
  access: 'key',
  summary: 'Run several operations in one request',
  description:
    'Runs the operations in order; each one sees the effects of the earlier ones. With `atomic`, the first failure is the ' +
    'answer and nothing is written; without it, each item succeeds or fails on its own. An item can name its record with ' +
    '`ref`, and later items can use `{"ref": "name"}` instead of any id, and `{"match": {"property": value}}` names the live ' +
    'record that has this value of a unique property. ' +
    `A batch has at most ${counted(limits.batchOperations)} operations. It costs one unit of the rate limit for every ` +
    `${bounds.operations.batchOperationsPerUnit} operations or part of them, or for every ` +
    `${bounds.shares.bodyBytesPerUnit / 1_024} KiB of its body or part of them, whichever is more.`,
  headers: writeHeaders,
  body: batchBody,
  answer: {
    status: 200,
    description: 'Every item succeeded.',
    schema: BatchResultShape,
    headers: ['Svc-Idempotent-Replay'],
    or: { status: 207, description: 'Some items failed.', headers: ['Svc-Idempotent-Replay'] },
  },
  problems: writeProblems,
  examples: batchExamples,
  parse: (_, { body, conditions }) => {
    if (body === undefined) return undefined;
    const { atomic = false, operations } = body;
    if (operations.length > limits.batchOperations) throw tooMany(operations.length);
    return { atomic, operations, conditions };
  },
  cost: ({ operations }) => Math.ceil(operations.length / bounds.operations.batchOperationsPerUnit),
  run: async (caller, { atomic, operations, conditions }) => {
    const parsed = await parseNewest(paced(caller, operations.length), operations);
    const { call, items } = await prepareItems(parsed);
    const work = async (unit: Unit) => {
      const outcomes = atomic ? await runAll(unit, items) : await runEach(unit, items);
      // What an erasure leaves is known at the end.
      if (outcomes.some(hasNote)) await unit.finish();
      return answerOf(call, outcomes);
    };
    const lookups = items.flatMap(lookupsOf);
    // If all items only create, the table of unique values decides who gets a value. Otherwise that must be known at each
    // item, because a later item may release the value.
    const creates = items.every((item) => !(item instanceof Problem) && item.isCreate);
    const run = creates && isBrief(call, lookups) ? runPlainWrite : runWrite;
    const typeOf = (index: number) => (operations[index] as { readonly object_type?: unknown } | null)?.object_type;
    return run(call, { conditions, lookups, claims: creates ? 'assumed' : 'looked_up', typeOf }, work);
  },
});

type Outcome = ItemResult | Problem;

function hasNote(outcome: Outcome): boolean {
  return !(outcome instanceof Problem) && outcome.note !== undefined;
}

/** Whether the items are few, and need nothing but each other. */
function isBrief({ session }: KeyCall, lookups: readonly Lookups[]): boolean {
  if (lookups.length > bounds.engine.groupedWrites) return false;
  return lookups.every(({ type, links = [] }) => links.length === 0 && standsAlone(session, type));
}

/** The call, with slices for its work if that may be long. */
function paced(call: KeyCall, operations: number): KeyCall {
  if (call.slice !== undefined || operations <= bounds.operations.batchOperationsPerUnit) return call;
  return { ...call, slice: call.engine.thread.slice(call.session.caller.orgId) };
}

/** The items, and the call with the schema that they were parsed with: one that has come meanwhile may have other names. */
async function parseNewest(call: KeyCall, operations: readonly unknown[]) {
  const items = await parseItems(call, operations);
  const session = items.some(mayBeStale) ? await call.newerSession() : undefined;
  if (session === undefined) return { call, items };
  const newer = { ...call, session };
  return { call: newer, items: await parseItems(newer, operations) };
}

/** Each item parsed, or the problem with it. The items share the faults that are reported; then each has one left. */
async function parseItems(
  { session, slice }: KeyCall,
  operations: readonly unknown[],
): Promise<readonly (ParsedItem | UnpreparedItem | Problem)[]> {
  const refs = new Set<string>();
  const items: (ParsedItem | UnpreparedItem | Problem)[] = [];
  let faultsLeft: number = bounds.base.faultsReported;
  for (const [index, operation] of operations.entries()) {
    if (slice?.isOver() === true) await slice.next();
    const parsed = caught(() => {
      const item = parseItem(session, operation, placeOf(index), Math.max(1, faultsLeft));
      if (item.ref !== undefined && refs.has(item.ref)) throw repeatedRef(item.ref, placeOf(index));
      if (item.ref !== undefined) refs.add(item.ref);
      return item;
    });
    if (parsed instanceof Problem) faultsLeft -= parsed.errors?.length ?? 1;
    items.push(parsed);
  }
  return items;
}

interface Prepared {
  readonly call: KeyCall;
  readonly items: readonly (ParsedItem | Problem)[];
}

/** Finds the records of items that do not name them. They cost as much as if each was an operation. */
async function prepareItems({ call, items }: Awaited<ReturnType<typeof parseNewest>>): Promise<Prepared> {
  if (!items.some(isUnprepared)) return { call, items: items as Prepared['items'] };
  const prepared: (ParsedItem | Problem)[] = [];
  let room: number = bounds.engine.revertedRecords;
  let operations = 0;
  for (const item of items) {
    const ready = isUnprepared(item) ? await item.prepare(call, room).catch(refusalOf) : item;
    const records = ready instanceof Problem ? 1 : ready.records;
    operations += records;
    prepared.push(ready);
    if (!isUnprepared(item)) continue;
    // Each look-up is work, even if it finds nothing.
    room -= records;
    await call.charge(Math.ceil(operations / bounds.operations.batchOperationsPerUnit));
  }
  return { call: paced(call, operations), items: prepared };
}

function isUnprepared(item: ParsedItem | UnpreparedItem | Problem): item is UnpreparedItem {
  return !(item instanceof Problem) && 'prepare' in item;
}

async function runEach(unit: Unit, items: readonly (ParsedItem | Problem)[]): Promise<readonly Outcome[]> {
  const refs: Refs = new Map();
  const outcomes: Outcome[] = [];
  await runItems(unit, items, aheadOf, async (item) => {
    outcomes.push(item instanceof Problem ? item : await runItem(unit, item, refs).catch(refusalOf));
  });
  return outcomes;
}

function lookupsOf(item: ParsedItem | Problem): readonly Lookups[] {
  return item instanceof Problem ? [] : item.lookups;
}

/** What is read and locked for all items together. An item of many records does that by itself, some at a time. */
function aheadOf(item: ParsedItem | Problem): readonly Lookups[] {
  return item instanceof Problem || item.records > 1 ? [] : item.lookups;
}

/** The first failure ends the batch; the transaction rolls back what was done so far. */
async function runAll(unit: Unit, items: readonly (ParsedItem | Problem)[]): Promise<readonly Outcome[]> {
  const failed = items.findIndex((item) => item instanceof Problem);
  const sound = items.slice(0, failed < 0 ? items.length : failed) as readonly ParsedItem[];
  const refs: Refs = new Map();
  const outcomes: Outcome[] = [];
  unit.becomeAtomic();
  await runItems(unit, sound, aheadOf, async (item) => {
    const outcome = await runItem(unit, item, refs).catch((error: unknown) => {
      const refusal = refusalOf(error);
      // An earlier item may want a value that was only assumed to be free: then that is the first failure.
      if (unit.holders.claims === 'assumed') throw new LostRace();
      throw placed(withoutUnmade(refusal, outcomes), outcomes.length);
    });
    outcomes.push(outcome);
  });
  if (failed >= 0) throw placed(items[failed] as Problem, failed);
  await unit.checkAll();
  return outcomes;
}

async function runItem(unit: Unit, item: ParsedItem, refs: Refs): Promise<ItemResult> {
  const result = await item.run(unit, refs);
  if (item.ref !== undefined && result.id !== undefined) refs.set(item.ref, result.id);
  return result;
}

/** The record that holds a value may have been created by the batch itself; after the rollback it does not exist. */
function withoutUnmade(problem: Problem, outcomes: readonly Outcome[]): Problem {
  const { code, reason, message, errors, conflict } = problem;
  const made = outcomes.some(
    (outcome) => !(outcome instanceof Problem) && outcome.status === 201 && outcome.id === conflict?.existingId,
  );
  if (conflict === undefined || !made) return problem;
  const { existingId, ...rest } = conflict;
  return new Problem(code, reason, message, { conflict: rest, ...(errors === undefined ? {} : { errors }) });
}

/** Adds the item's place to a problem that has no pointer. */
function placed(problem: Problem, index: number): Problem {
  if (problem.errors !== undefined) return problem;
  const { code, reason, message, conflict, headers } = problem;
  const errors = reason === undefined ? [] : [{ pointer: placeOf(index), reason, detail: message }];
  return new Problem(code, reason, message, { errors, headers, ...(conflict === undefined ? {} : { conflict }) });
}

function answerOf({ origin, requestId }: KeyCall, outcomes: readonly Outcome[]): DataAnswer {
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length;
  const errors = boundedErrors();
  const results = outcomes.map((outcome, index) => {
    if (!(outcome instanceof Problem)) return { index, ...resultOf(outcome) };
    const body = problemBody(placed(outcome, index), origin(), requestId);
    return { index, status: outcome.status, problem: { ...body, errors: errors(body.errors ?? []) } };
  });
  const data = { results, succeeded: outcomes.length - failed, failed };
  // Problems may quote values of what the same batch has erased: they are answered, and not kept.
  const kept = outcomes.some(hasNote) ? { kept: withoutQuotes(data) } : {};
  return { status: failed === 0 ? 200 : 207, data, ...withKeys(data, outcomes), ...kept };
}

function resultOf({ status, id, version, note, undone }: ItemResult) {
  return {
    status,
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
    ...(note === undefined ? {} : { note: note() }),
    ...undone,
  };
}

/** The results with the keys whose secrets the batch has made. */
function withKeys(
  data: { readonly results: readonly object[] },
  outcomes: readonly Outcome[],
): Pick<DataAnswer, 'once'> {
  const keyOf = (outcome: Outcome | undefined) => (outcome instanceof Problem ? undefined : outcome?.key);
  if (!outcomes.some((outcome) => keyOf(outcome) !== undefined)) return {};
  const results = data.results.map((result, index) => {
    const key = keyOf(outcomes[index]);
    return key === undefined ? result : { ...result, properties: { svc_key: key } };
  });
  return { once: new JsonText(JSON.stringify({ ...data, results })) };
}

/** Reports all faults with their shapes at first, then without shapes, which can be long, and then one fault of each item. */
function boundedErrors(): (faults: readonly Fault[]) => readonly Fault[] {
  let reported = 0;
  return (faults) => {
    const some = reported < bounds.base.faultsReported ? faults : faults.slice(0, 1);
    return some.map((fault) => {
      const { expected, allowed, ...short } = fault;
      return reported++ < bounds.operations.faultShapesReported ? fault : short;
    });
  };
}

function placeOf(index: number): string {
  return `/operations/${index}`;
}

function caught<Item>(parse: () => Item): Item | Problem {
  try {
    return parse();
  } catch (error) {
    return refusalOf(error);
  }
}

function repeatedRef(ref: string, at: string): Problem {
  const detail = `An earlier item already has the ref ${JSON.stringify(ref)}.`;
  return new Problem('invalid_request', 'invalid_member', detail, {
    errors: [{ pointer: `${at}/ref`, reason: 'invalid_member', detail }],
  });
}

function tooMany(count: number): Problem {
  const detail = `A batch can have at most ${limits.batchOperations} operations; this one has ${count}.`;
  return new Problem('payload_too_large', 'too_many_operations', detail, {
    errors: [{ pointer: '/operations', reason: 'too_many_operations', detail }],
  });
}
