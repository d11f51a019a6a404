// Splits the rows of a file into batches of a bounded number of rows, characters and links.
import { importBounds } from '../bounds.ts';
import { dataRows, type SourceFile } from '../plan/source-file.ts';
import type { BatchSettings } from './prepare-batch.ts';
import type { ReadRow } from './row-reader.ts';

/** Skips the rows that are done. */
export async function* batchesOf(
  file: SourceFile,
  { reader, match }: Pick<BatchSettings, 'reader' | 'match'>,
  done: number,
): AsyncGenerator<readonly ReadRow[]> {
  const isApart = match === 'external_id' || reader.links.some(({ use }) => use.missing === 'create');
  const linksMost = isApart ? importBounds.batchLinksApart : importBounds.batchLinks;
  let rows: ReadRow[] = [];
  let [characters, links, skipped] = [0, 0, 0];
  for await (const row of dataRows(file)) {
    if (skipped++ < done) continue;
    const read = reader.read(row);
    rows.push(read);
    characters += row.characters;
    for (const names of read.names) links += names.length;
    const isFull =
      rows.length >= importBounds.batchRows || characters >= importBounds.batchCharacters || links >= linksMost;
    if (!isFull) continue;
    yield rows;
    rows = [];
    [characters, links] = [0, 0];
  }
  if (rows.length > 0) yield rows;
}
