// The dry run of an import: every row is checked against the database and against the rows before it, and nothing is
// stored. Batches run one after the other, each in a transaction that is rolled back. What a batch would have written is
// kept in a layer over the database, where the next batch finds it.
import type { OwnConnection } from '../../store/database.ts';
import { beginHistoryDryRun } from '../../store/import/dry-run-history.ts';
import type { ImportCounts } from '../../store/import/imports.ts';
import { type DryRunLayer, openDryRunLayer } from '../../store/layer/dry-run-layer.ts';
import { requireRoom, systemCall, type UnitCall } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { dryRun } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { type BatchOutcome, withOutcome } from './outcome.ts';
import { type ImportedRow, type RowForm, readRow } from './read-row.ts';
import type { RunRequest } from './run.ts';
import type { Batch } from './split-batches.ts';
import { dryRunHistory } from './stage-history/dry-run.ts';
import { loadRows, writeRows } from './write-rows.ts';

type DryRunRequest = Pick<RunRequest, 'engine' | 'events' | 'current' | 'counts'> & {
  readonly connection: OwnConnection;
};

export async function dryRunImport(request: DryRunRequest, batches: AsyncIterable<Batch>): Promise<ImportCounts> {
  const { engine, events, connection, current } = request;
  const { known: begun, form: first } = await current();
  const judge = await openBatches(connection, begun.org.orgId, first);
  let { counts } = request;
  let grown = 0;
  for await (const batch of batches) {
    const { known, form } = await current();
    await requireRoom(engine, withRoomFor(known, grown));
    const nowMs = engine.clock.nowMs();
    const rows = batch.rows.map((row) => readRow(form, row, nowMs));
    const { outcome, growth } = await judge(systemCall(engine, known), form, rows);
    grown += growth;
    const { reported } = outcome;
    const { errorsBytes } = counts;
    const length = reported.length === 0 ? errorsBytes : await events.keepReported(reported, errorsBytes);
    counts = withOutcome(counts, rows.length, outcome, length);
    events.progressed(counts, batch.bytesRead);
  }
  return counts;
}

type JudgeBatch = (call: UnitCall, form: RowForm, rows: readonly ImportedRow[]) => Promise<DryRun>;

/** Opens the place where batches keep what they would have written. */
async function openBatches(connection: OwnConnection, orgId: number, first: RowForm): Promise<JudgeBatch> {
  if (first.history !== undefined) {
    await beginHistoryDryRun(connection);
    return async (call, { history = [] }, rows) => {
      return { outcome: await dryRunHistory(call, connection, history, rows), growth: 0 };
    };
  }
  const layer = await openDryRunLayer(connection, orgId, titledTypes(first));
  return (call, form, rows) => dryRun({ ...call, layer }, (unit) => dryRunRows(unit, layer, form, rows), 'looked_up');
}

interface DryRun {
  readonly outcome: BatchOutcome;
  /** What the rows would add to what the org stores. */
  readonly growth: number;
}

function dryRunRows(unit: Unit, layer: DryRunLayer, form: RowForm, rows: readonly ImportedRow[]): Promise<DryRun> {
  // A second attempt begins with the layer as it was.
  return layer.transaction(async () => {
    const targets = await loadRows(unit, form, rows);
    const outcome = await writeRows(unit, form, rows, targets);
    await unit.finish();
    return { outcome, growth: unit.growth };
  });
}

/** The org as if it had stored so much more. */
function withRoomFor(known: KnownOrg, bytes: number): KnownOrg {
  const { org } = known;
  return org.storageQuota === null ? known : { ...known, org: { ...org, storageQuota: org.storageQuota - bytes } };
}

/** The types whose records are named by their titles. */
function titledTypes({ links }: RowForm): readonly { readonly typeId: number; readonly key: string }[] {
  const titled = new Map<number, string>();
  for (const { use, ends } of links) {
    if (use.by !== 'title') continue;
    for (const { type, property } of ends) if (property !== undefined) titled.set(type.id, property.key);
  }
  return [...titled].map(([typeId, key]) => ({ typeId, key }));
}
