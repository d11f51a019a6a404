// Splits rows into batches of a bounded number of rows and characters. Skips the rows that an earlier run has finished.
import type { CsvRows } from '../../base/files/csv-file.ts';
import type { CsvRow } from '../../base/files/csv-rows.ts';
import { bounds } from '../../base/limits.ts';

export interface Batch {
  readonly rows: readonly CsvRow[];
  /** How much of the file was read when the batch was complete. */
  readonly bytesRead: number;
}

export async function* splitBatches(pieces: AsyncIterable<CsvRows>, rowsToSkip: number): AsyncGenerator<Batch> {
  let rows: CsvRow[] = [];
  let characters = 0;
  let skipped = 0;
  for await (const piece of pieces) {
    for (const row of piece.rows) {
      if (skipped++ < rowsToSkip) continue;
      rows.push(row);
      characters += row.characters;
      if (rows.length < bounds.engine.importedAtOnce && characters < bounds.engine.importedCharacters) continue;
      yield { rows, bytesRead: piece.bytesRead };
      rows = [];
      characters = 0;
    }
  }
  if (rows.length > 0) yield { rows, bytesRead: Number.POSITIVE_INFINITY };
}
