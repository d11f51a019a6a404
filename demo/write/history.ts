// Writes the steps of the demo at the times at which they happened. Every step follows the rules of a request or of a line of
// ingest, with a clock set to the time of the step. So versions, timers, feed entries and computed values are as if the
// service had run all that time; no table is written directly.
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/id.ts';
import { bounds } from '../../src/base/limits.ts';
import { type Ingest, openIngest } from '../../src/engine/ingest/ingest.ts';
import type { CommandEngine } from '../../src/engine/process/call.ts';
import { systemCall } from '../../src/engine/process/call.ts';
import type { KnownOrg } from '../../src/engine/process/directory.ts';
import { preload } from '../../src/engine/rules/preload.ts';
import { transact } from '../../src/engine/unit/transact.ts';
import type { Unit } from '../../src/engine/unit/unit.ts';
import type { Refs } from '../../src/operations/shared/batch-item.ts';
import { parseItem } from '../../src/operations/shared/batch-items.ts';
import { ingestSource } from '../../src/schema/roles/ingested-type.ts';
import { findExternalIds } from '../../src/store/records/external-ids.ts';
import { broughtAs, type Line, type Named, type Operation, type Step } from '../steps/step.ts';

/** A clock that is set by hand. It still measures waits. */
export interface SetClock extends Clock {
  set(nowMs: number): void;
}

export function openSetClock(firstMs: number): SetClock {
  let currentMs = firstMs;
  return {
    nowMs: () => currentMs,
    monotonicMs: () => systemClock.monotonicMs(),
    set: (nowMs) => {
      currentMs = nowMs;
    },
  };
}

interface Scribe {
  readonly engine: CommandEngine;
  readonly clock: SetClock;
  readonly known: KnownOrg;
  /** The ids of records by their names in the story. */
  readonly refs: Refs;
}

/** Writes all steps, which must be in the order of time. */
export async function writeHistory(scribe: Scribe, steps: readonly Step[]): Promise<void> {
  const ingests = new Map<string, Ingest>();
  for (const part of partsOf(steps)) {
    // Times that are set when a part is written are those of its last step.
    scribe.clock.set(part.at(-1)?.atMs ?? 0);
    const operations = part.filter((step) => 'operation' in step);
    if (operations.length > 0) await writeOperations(scribe, operations);
    const lines = part.filter((step) => 'line' in step);
    const objectType = lines[0]?.objectType;
    if (objectType === undefined) continue;
    const ingest = ingests.get(objectType) ?? (await openIngest(scribe.engine, scribe.known.org.orgId, objectType));
    ingests.set(objectType, ingest);
    await writeLines(
      scribe,
      ingest,
      objectType,
      lines.map(({ line }) => line),
    );
  }
}

const weekMs = 7 * 86_400_000;

/** Consecutive operations of a week, or lines of one type of an evening: each part is one write. */
function* partsOf(steps: readonly Step[]): Generator<readonly Step[]> {
  const wayOf = (step: Step) => ('line' in step ? step.objectType : Math.floor(step.atMs / weekMs));
  let part: Step[] = [];
  for (const step of steps) {
    const [first] = part;
    if (first !== undefined && (wayOf(first) !== wayOf(step) || part.length >= bounds.engine.ingestedAtOnce)) {
      yield part;
      part = [];
    }
    part.push(step);
  }
  if (part.length > 0) yield part;
}

type OperationStep = Extract<Step, { readonly operation: Operation }>;

/**
 * A week in one unit of work, while the clock moves from step to step: each record, version and entry of the feed has the
 * time of its step, as if each step were a request.
 */
async function writeOperations({ engine, clock, known, refs }: Scribe, steps: readonly OperationStep[]): Promise<void> {
  const call = systemCall(engine, known);
  const items = steps.map(({ atMs, operation }) => {
    const item = parseItem(call.session, withIds(operation, refs), '');
    if ('prepare' in item) throw new TypeError('The demo takes nothing back.');
    return { atMs, item };
  });
  const work = async (unit: Unit) => {
    await preload(
      unit,
      items.flatMap(({ item }) => item.lookups),
    );
    for (const { atMs, item } of items) {
      clock.set(atMs);
      unit.continueAs({ atMs, requestId: newId(clock) });
      const { id } = await item.run(unit, refs);
      if (item.ref !== undefined && id !== undefined) refs.set(item.ref, id);
    }
  };
  await transact(call, work);
}

async function writeLines(
  { engine, known, refs }: Scribe,
  ingest: Ingest,
  objectType: string,
  lines: readonly Line[],
): Promise<void> {
  const { refusals } = await ingest(
    lines.map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(withIds(line, refs))) })),
  );
  const [refusal] = refusals;
  if (refusal !== undefined) throw refusal.problem;
  const typeId = known.catalog.objectTypes.get(objectType)?.id ?? 0;
  const fresh = lines.flatMap(({ external_id: id }) =>
    id === undefined || refs.has(broughtAs(objectType, id)) ? [] : [{ typeId, source: ingestSource, externalId: id }],
  );
  for (const { externalId, recordId } of await findExternalIds(engine.database, known.org.orgId, fresh)) {
    refs.set(broughtAs(objectType, externalId), recordId);
  }
}

/** Replaces names by the ids of existing records, so that all can be loaded together; a batch resolves its own names. */
function withIds(sent: Operation | Line, refs: Refs): unknown {
  const idOf = (named: Named) => refs.get(named.ref) ?? named;
  return {
    ...sent,
    ...('id' in sent ? { id: idOf(sent.id) } : {}),
    ...('target_id' in sent ? { target_id: idOf(sent.target_id) } : {}),
    ...('associations' in sent && sent.associations !== undefined
      ? { associations: sent.associations.map((link) => ({ ...link, target_id: idOf(link.target_id) })) }
      : {}),
  };
}
