// The CSV file of an import: inspected as a whole once, then read row by row as often as needed. Memory holds one piece of it.
import { isWorkbook, readBeginning, unclosedQuote, withoutNotes } from '../../../../client/import/files/beginning.ts';
import { type CsvFile, type CsvRows, inspectCsv, rowsOf } from '../../../../client/import/files/csv-file.ts';
import type { CsvRow } from '../../../../client/import/files/csv-rows.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { OpenedFile } from '../messages.ts';
import { Refusal } from '../refusal.ts';

export interface SourceFile extends CsvFile {
  readonly blob: Blob;
  readonly name: string;
  readonly headers: readonly string[];
  readonly notes: number;
  /** The beginnings of the cells of some rows, by which the columns are guessed. */
  readonly sample: readonly (readonly string[])[];
  readonly rowCount: number;
}

/** `seen` is told how many bytes of how many were read: the file is read twice. */
export async function openSource(
  blob: Blob,
  name: string,
  seen: (bytes: number, of: number) => void,
): Promise<SourceFile> {
  if (isWorkbook(new Uint8Array(await blob.slice(0, 4).arrayBuffer()))) throw new Refusal(runTexts.workbook(name));
  const of = blob.size * 2;
  const file = await inspectCsv(piecesOf(blob, (bytes) => seen(bytes, of)));
  const pieces = (told: (bytes: number) => void = () => {}) => rowsOf(piecesOf(blob, told), file);
  const line = file.quotes % 2 === 1 ? await unclosedQuote(pieces()) : undefined;
  if (line !== undefined) throw new Refusal(runTexts.unclosed(line));
  const { header, notes, rows: sample } = await readBeginning(pieces());
  if (header === undefined) throw new Refusal(runTexts.empty(name));
  if (header.fault !== undefined) throw new Refusal(runTexts.badHeader(name));
  let rowCount = -1 - notes;
  for await (const { rows } of pieces((bytes) => seen(blob.size + bytes, of))) rowCount += rows.length;
  return { ...file, blob, name, headers: header.cells, notes, sample, rowCount };
}

/** The rows after the header. */
export async function* dataRows(file: SourceFile): AsyncGenerator<CsvRow> {
  let isHeader = true;
  for await (const { rows } of withoutNotes(rowsIn(file), file.notes)) {
    for (const row of rows) {
      if (!isHeader) yield row;
      isHeader = false;
    }
  }
}

export function shownFile({
  blob,
  name,
  encoding,
  delimiter,
  headers,
  sample,
  notes,
  rowCount,
}: SourceFile): OpenedFile {
  const rows = sample.slice(0, importBounds.rowsShown);
  return { name, bytes: blob.size, encoding, delimiter, headers, rows, notesSkipped: notes, rowCount };
}

function rowsIn({ blob, ...file }: SourceFile): AsyncGenerator<CsvRows> {
  return rowsOf(
    piecesOf(blob, () => {}),
    file,
  );
}

async function* piecesOf(blob: Blob, seen: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += importBounds.pieceBytes) {
    const piece = blob.slice(at, at + importBounds.pieceBytes);
    const bytes = await piece.arrayBuffer().catch(() => {
      // A file on disk that has changed since it was chosen can no longer be read.
      throw new Refusal(runTexts.unreadable);
    });
    seen(at + bytes.byteLength);
    yield new Uint8Array(bytes);
  }
}
