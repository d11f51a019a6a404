// The dry run of an import: every row is checked against the database and against the rows before it, and nothing is
// stored. Batches run one after the other, each in a transaction that is rolled back. What a batch would have written is
// kept in temporary tables, where the next batch finds it.
import type { Json } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { OwnConnection } from '../../store/database.ts';
import { findDryRunRecords, findDryRunValues, keepDryRun } from '../../store/import/dry-run-tables.ts';
import { type ImportCounts, noCounts } from '../../store/import/imports.ts';
import type { WriteSet } from '../../store/records/write-records.ts';
import { systemCall } from '../process/call.ts';
import { draftOf } from '../unit/draft.ts';
import { dryRun } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { type ImportedRow, type RowForm, readRow } from './read-row.ts';
import type { RunRequest } from './run.ts';
import type { Batch } from './split-batches.ts';
import { type BatchOutcome, loadRows, writeRows } from './write-rows.ts';

type DryRunRequest = Pick<RunRequest, 'engine' | 'events' | 'current'> & { readonly connection: OwnConnection };

export async function dryRunImport(request: DryRunRequest, batches: AsyncIterable<Batch>): Promise<ImportCounts> {
  const { engine, events, connection, current } = request;
  let counts = noCounts;
  for await (const batch of batches) {
    const { known, form } = await current();
    const rows = batch.rows.map((row) => readRow(form, row));
    const work = (unit: Unit) => dryRunRows(unit, connection, form, rows);
    const { outcome, set } = await dryRun(systemCall(engine, known), work, 'looked_up');
    await keepDryRun(connection, set);
    const { created, updated, unchanged, refused } = outcome;
    counts = {
      rows: counts.rows + rows.length,
      created: counts.created + created,
      updated: counts.updated + updated,
      unchanged: counts.unchanged + unchanged,
      refused: counts.refused + refused.length,
      errorsBytes: refused.length === 0 ? counts.errorsBytes : await events.keepRefused(refused, counts.errorsBytes),
    };
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
  { type, match }: RowForm,
  rows: readonly ImportedRow[],
): Promise<DryRun> {
  await loadRows(unit, type, rows, match);
  await addEarlier(unit, connection, type, rows, match);
  const outcome = await writeRows(unit, type, rows, match);
  return { outcome, set: await unit.takeWriteSet() };
}

/** Adds to the unit what earlier batches would have created, changed, claimed and released, as far as these rows need it. */
async function addEarlier(
  unit: Unit,
  connection: OwnConnection,
  type: ObjectType,
  rows: readonly ImportedRow[],
  match: string | undefined,
): Promise<void> {
  const keys = rows.flatMap(({ item }) => (item instanceof Problem ? [] : keysOf(type, item.changes)));
  const wanted = keys.map((key) => ({ ...key, typeId: type.id }));
  const values = await findDryRunValues(connection, wanted);
  const known = new Map(keys.map((key) => [key.propertyId, key]));
  for (const { propertyId, value, recordId } of values) {
    const { property = '', key: member = '' } = known.get(propertyId) ?? {};
    const key: UniqueKey = { propertyId, value, property, key: member };
    if (recordId === null) unit.holders.release(type, [key]);
    else unit.holders.claim(type, [key], recordId);
  }
  if (match === undefined) return;
  const held = unit.holders.loaded(wanted);
  // Locks records as the import would; records that exist only in the dry run cannot be locked.
  await unit.records.lockAll(held);
  for (const record of await findDryRunRecords(
    connection,
    held.map(({ id }) => id),
  )) {
    unit.records.add(draftOf(type, 'live', record));
  }
}

function keysOf(type: ObjectType, changes: ReadonlyMap<string, Json>): readonly UniqueKey[] {
  return uniqueKeys(type, Object.fromEntries(changes));
}
