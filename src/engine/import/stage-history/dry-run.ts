// A batch of stage history in a dry run: it is judged like any other, with the timers and entry times of the batches before,
// and rolled back.
import type { OwnConnection } from '../../../store/database.ts';
import {
  findDryRunEntries,
  findDryRunTimes,
  keepDryRunEntries,
  keepDryRunTimes,
} from '../../../store/import/dry-run-history.ts';
import type { UnitCall } from '../../process/call.ts';
import { dryRun } from '../../unit/transact.ts';
import type { BatchOutcome } from '../outcome.ts';
import type { ImportedRow } from '../read-row.ts';
import type { HistoryColumn } from './columns.ts';
import { writeHistory } from './write-history.ts';

export async function dryRunHistory(
  call: UnitCall,
  connection: OwnConnection,
  columns: readonly HistoryColumn[],
  rows: readonly ImportedRow[],
): Promise<BatchOutcome> {
  const earlier = {
    find: findDryRunTimes.bind(undefined, connection),
    entries: findDryRunEntries.bind(undefined, connection),
  };
  const work = (unit: Parameters<typeof writeHistory>[0]) => writeHistory(unit, columns, rows, earlier);
  const { outcome, timers, entries } = await dryRun(call, work, 'looked_up');
  await keepDryRunTimes(connection, timers);
  await keepDryRunEntries(connection, entries);
  return outcome;
}
