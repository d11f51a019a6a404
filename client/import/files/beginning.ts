// The beginning of a CSV file: the row with the names of the columns, and the rows by which the columns are guessed.
import { fileBounds } from '../file-bounds.ts';
import { notesAbove } from '../notes-above.ts';
import type { CsvRows } from './csv-file.ts';
import type { CsvRow } from './csv-rows.ts';

interface Beginning {
  /** Undefined if the file is empty. */
  readonly header: CsvRow | undefined;
  /** The rows before it, which are notes of the program that wrote the file. */
  readonly notes: number;
  /** The beginnings of the cells of some rows after it. */
  readonly rows: readonly (readonly string[])[];
}

/** `pieces` are the rows of the file from the first on; they are read only as far as they are needed. */
export async function readBeginning(pieces: AsyncIterable<CsvRows>): Promise<Beginning> {
  const rows: CsvRow[] = [];
  for await (const piece of pieces) {
    rows.push(...piece.rows.slice(0, fileBounds.rowsSampled - rows.length));
    const isEnough = rows.length === fileBounds.rowsSampled || piece.bytesRead > fileBounds.bytesSampled;
    if (isEnough && rows.length > 0) break;
  }
  const notes = notesAbove(rows.map(({ cells }) => cells));
  const beginnings = ({ cells }: CsvRow) => cells.map((cell) => cell.slice(0, fileBounds.cellSampled));
  return { header: rows[notes], notes, rows: rows.slice(notes + 1).map(beginnings) };
}

/** All rows from the header on. */
export async function* withoutNotes(pieces: AsyncIterable<CsvRows>, notes: number): AsyncGenerator<CsvRows> {
  let toSkip = notes;
  for await (const { rows, bytesRead } of pieces) {
    const kept = rows.slice(toSkip);
    toSkip -= rows.length - kept.length;
    yield { rows: kept, bytesRead };
  }
}

/** The line of a quote that is never closed: everything after it would be read as one cell. */
export async function unclosedQuote(pieces: AsyncIterable<CsvRows>): Promise<number | undefined> {
  for await (const { rows } of pieces) {
    const row = rows.find(({ fault }) => fault === 'unclosed_quote');
    if (row !== undefined) return row.line;
  }
  return undefined;
}

/** The beginnings of workbooks: of .xlsx, which is a ZIP file, and of .xls. */
const workbooks = ['504b0304', 'd0cf11e0'];

/** Whether a file that begins with these four bytes is a workbook of a spreadsheet program. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return workbooks.includes(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}
