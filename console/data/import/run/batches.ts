// Splits the rows of a file into batches of a bounded number of rows, characters and links.
import { importBounds } from '../bounds.ts';
import { dataRows, type SourceFile } from '../plan/source-file.ts';
import type { ReadRow, RowReader } from './row-reader.ts';

/** Skips the rows that are done. */
export async function* batchesOf(
  file: SourceFile,
  reader: RowReader,
  done: number,
): AsyncGenerator<readonly ReadRow[]> {
  let rows: ReadRow[] = [];
  let [characters, links, skipped] = [0, 0, 0];
  for await (const row of dataRows(file)) {
    if (skipped++ < done) continue;
    const read = reader.read(row);
    rows.push(read);
    characters += row.characters;
    for (const names of read.names) links += names.length;
    const isFull =
      rows.length >= importBounds.batchRows ||
      characters >= importBounds.batchCharacters ||
      links >= importBounds.batchLinks;
    if (!isFull) continue;
    yield rows;
    rows = [];
    [characters, links] = [0, 0];
  }
  if (rows.length > 0) yield rows;
}
