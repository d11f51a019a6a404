// Splits rows into batches of a bounded number of rows, characters and links. Skips the rows that an earlier run has finished.
import type { CsvRows } from '../../../client/import/files/csv-file.ts';
import type { CsvRow } from '../../../client/import/files/csv-rows.ts';
import { bounds } from '../../base/limits.ts';

export interface Batch {
  readonly rows: readonly CsvRow[];
  /** How much of the file was read when the batch was complete. */
  readonly bytesRead: number;
}

/** `linkColumns` are the indexes of the columns whose cells name records. */
export async function* splitBatches(
  pieces: AsyncIterable<CsvRows>,
  rowsToSkip: number,
  linkColumns: readonly number[],
): AsyncGenerator<Batch> {
  const { importedAtOnce, importedCharacters, importedLinks } = bounds.engine;
  let rows: CsvRow[] = [];
  let characters = 0;
  let links = 0;
  let skipped = 0;
  for await (const piece of pieces) {
    for (const row of piece.rows) {
      if (skipped++ < rowsToSkip) continue;
      rows.push(row);
      characters += row.characters;
      links += linksIn(row, linkColumns);
      if (rows.length < importedAtOnce && characters < importedCharacters && links < importedLinks) continue;
      yield { rows, bytesRead: piece.bytesRead };
      rows = [];
      characters = 0;
      links = 0;
    }
  }
  if (rows.length > 0) yield { rows, bytesRead: Number.POSITIVE_INFINITY };
}

function linksIn({ cells }: CsvRow, linkColumns: readonly number[]): number {
  let count = 0;
  for (const index of linkColumns) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    for (let at = 0; at >= 0; at = cell.indexOf(';', at + 1)) count++;
  }
  return count;
}
