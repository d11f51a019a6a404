// The dry run of an import: every row is checked against the database and against the rows before it, and nothing is
// stored. Batches run one after the other, each in a transaction that is rolled back. What a batch would have written is
// kept in temporary tables, where the next batch finds it.
import type { Json } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { OwnConnection } from '../../store/database.ts';
import { findDryRunRecords, findDryRunValues, keepDryRun } from '../../store/import/dry-run-tables.ts';
import { type ImportCounts, noCounts } from '../../store/import/imports.ts';
import type { UniqueValue } from '../../store/records/unique-values.ts';
import type { WriteSet } from '../../store/records/write-records.ts';
import { systemCall } from '../process/call.ts';
import { draftOf } from '../unit/draft.ts';
import { dryRun } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { uniqueValuesOf } from './link-targets.ts';
import { type BatchOutcome, withOutcome } from './outcome.ts';
import { type ImportedRow, type RowForm, readRow } from './read-row.ts';
import type { RunRequest } from './run.ts';
import type { Batch } from './split-batches.ts';
import { loadRows, writeRows } from './write-rows.ts';

type DryRunRequest = Pick<RunRequest, 'engine' | 'events' | 'current'> & { readonly connection: OwnConnection };

export async function dryRunImport(request: DryRunRequest, batches: AsyncIterable<Batch>): Promise<ImportCounts> {
  const { engine, events, connection, current } = request;
  let counts = noCounts;
  for await (const batch of batches) {
    const { known, form } = await current();
    const nowMs = engine.clock.nowMs();
    const rows = batch.rows.map((row) => readRow(form, row, nowMs));
    const work = (unit: Unit) => dryRunRows(unit, connection, form, rows);
    const { outcome, set } = await dryRun(systemCall(engine, known), work, 'looked_up');
    await keepDryRun(connection, set);
    const { reported } = outcome;
    const { errorsBytes } = counts;
    const length = reported.length === 0 ? errorsBytes : await events.keepReported(reported, errorsBytes);
    counts = withOutcome(counts, rows.length, outcome, length);
    events.progressed(counts, batch.bytesRead);
  }
  return counts;
}

interface DryRun {
  readonly outcome: BatchOutcome;
  /** The rows that would have been written. */
  readonly set: WriteSet;
}

async function dryRunRows(
  unit: Unit,
  connection: OwnConnection,
  form: RowForm,
  rows: readonly ImportedRow[],
): Promise<DryRun> {
  await addEarlier(unit, connection, form, rows);
  const targets = await loadRows(unit, form, rows);
  const outcome = await writeRows(unit, form, rows, targets);
  return { outcome, set: await unit.takeWriteSet() };
}

/** Adds to the unit what earlier batches would have created, changed, claimed and released, as far as these rows need it. */
async function addEarlier(
  unit: Unit,
  connection: OwnConnection,
  { type, match, links }: RowForm,
  rows: readonly ImportedRow[],
): Promise<void> {
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  const own = items.flatMap(({ changes }) => keysOf(type, changes));
  const named = uniqueValuesOf(
    links,
    items.map(({ targets }) => targets),
  );
  for (const { typeId, recordId, ...value } of await findDryRunValues(connection, [...own, ...named])) {
    const ofType = unit.call.session.orgTypes.get(typeId);
    if (ofType === undefined) continue;
    if (recordId === null) unit.holders.release(ofType, [value]);
    else unit.holders.claim(ofType, [value], recordId);
  }
  if (match === undefined && links.length === 0) return;
  await unit.holders.load(own);
  const held = unit.holders.loaded(own);
  // Locks records as the import would; records that exist only in the dry run cannot be locked.
  if (match !== undefined) await unit.records.lockAll(held);
  for (const record of await findDryRunRecords(
    connection,
    [...held, ...unit.holders.loaded(named)].map(({ id }) => id),
  )) {
    const ofType = unit.call.session.orgTypes.get(record.typeId);
    if (ofType !== undefined) unit.records.add(draftOf(ofType, 'live', record));
  }
}

function keysOf(type: ObjectType, changes: ReadonlyMap<string, Json>): readonly UniqueValue[] {
  return uniqueKeys(type, Object.fromEntries(changes)).map((key) => ({ ...key, typeId: type.id }));
}
