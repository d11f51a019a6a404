// Rows into batches that are full when they have so many rows or so many characters. What an earlier run has dealt with
// is passed over.
import type { CsvRows } from '../../base/files/csv-file.ts';
import type { CsvRow } from '../../base/files/csv-rows.ts';
import { bounds } from '../../base/limits.ts';

export interface Batch {
  readonly rows: readonly CsvRow[];
  /** How much of the file has been read by then. */
  readonly bytesRead: number;
}

export async function* splitBatches(pieces: AsyncIterable<CsvRows>, rowsDone: number): AsyncGenerator<Batch> {
  let rows: CsvRow[] = [];
  let characters = 0;
  let passed = 0;
  for await (const piece of pieces) {
    for (const row of piece.rows) {
      if (passed++ < rowsDone) continue;
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
