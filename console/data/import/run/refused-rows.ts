// The file of refused rows: their cells as they are in the file, after a column with the reasons. It is made in pieces, one for each
// batch, and can be imported again: the reasons are ignored.
import { toCsvLine } from '../../../../client/import/files/to-csv-line.ts';
import { reasonsHeader } from '../../../../client/import/guess-columns.ts';
import type { SourceFile } from '../plan/source-file.ts';
import type { SettledRow } from './settle-batch.ts';

/** The first line; the reasons of an earlier import are dropped. */
export function refusedHead(file: SourceFile): string {
  const mark = file.marked || file.encoding === 'windows-1252' ? '\ufeff' : '';
  return mark + lineOf(file, reasonsHeader, file.headers);
}

export function refusedLines(file: SourceFile, settled: readonly SettledRow[]): string {
  return settled.map(({ row, reason }) => (reason === undefined ? '' : lineOf(file, reason, row.cells))).join('');
}

function lineOf({ headers, delimiter }: SourceFile, reason: string, cells: readonly string[]): string {
  const reasons = headers.indexOf(reasonsHeader);
  return toCsvLine([reason, ...(reasons < 0 ? cells : cells.toSpliced(reasons, 1))], delimiter);
}
