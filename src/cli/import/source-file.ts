// The CSV file of an import: opened for each reading, and inspected as a whole before anything is written.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isWorkbook, readBeginning, unclosedQuote, withoutNotes } from '../../../client/import/files/beginning.ts';
import { type CsvFile, type CsvRows, inspectCsv, rowsOf } from '../../../client/import/files/csv-file.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';

export interface ImportFile extends CsvFile {
  /** SHA-256 of all bytes. */
  readonly digest: Buffer;
  readonly path: string;
  /** As messages call it. */
  readonly name: string;
  /** The file beside which the errors file is written. */
  readonly errorsBeside: string;
  /** The cells of the row with the column names. */
  readonly headers: readonly string[];
  /** The rows before that one, which are notes of the program that wrote the file. */
  readonly notes: number;
  /** The beginnings of the cells of some rows after it. */
  readonly rows: readonly (readonly string[])[];
}

export async function openImportFile(path: string): Promise<ImportFile> {
  const file = await inspect(path);
  return { ...file, path, name: path, errorsBeside: path, ...(await readHeader(path, file)) };
}

/** Standard input, which is read more than once: it is kept in a file of its own while `use` runs. */
export async function withStandardInput<T>(use: (file: ImportFile) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-import-'));
  try {
    const path = join(folder, 'standard-input.csv');
    try {
      await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      throw new Failure(
        'invalid_file',
        'Standard input cannot be kept.',
        'Check the free space for temporary files.',
        error,
      );
    }
    return await use({ ...(await openImportFile(path)), name: 'standard input', errorsBeside: 'import.csv' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function refuseWorkbook(path: string): Promise<void> {
  const handle = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (!isWorkbook(buffer.subarray(0, bytesRead))) return;
  } finally {
    await handle.close();
  }
  const fix =
    'In the spreadsheet program choose "Save as" and "CSV UTF-8", once for each sheet, and import these files.';
  throw new Failure('invalid_file', `${path} is a workbook of a spreadsheet program, not a CSV file.`, fix);
}

/** All rows from the header on. */
export function readRows({ path, notes, ...file }: ImportFile): AsyncGenerator<CsvRows> {
  return withoutNotes(rowsOf(chunksOf(path), file), notes);
}

async function inspect(path: string): Promise<CsvFile & Pick<ImportFile, 'digest'>> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    (error: unknown) => {
      throw unreadable(path, error);
    },
  );
  if (!isFile) throw new Failure('invalid_file', `${path} is not a file.`, 'Name a CSV file.');
  await refuseWorkbook(path);
  const sha = createHash('sha256');
  const file = await inspectCsv(chunksOf(path, (chunk) => sha.update(chunk)));
  if (file.quotes % 2 === 1) await refuseUnclosed(path, file);
  return { ...file, digest: sha.digest() };
}

/** Checked before anything is written, because everything after such a quote would be read as one cell. */
async function refuseUnclosed(path: string, file: CsvFile): Promise<void> {
  const line = await unclosedQuote(rowsOf(chunksOf(path), file));
  if (line === undefined) return;
  const sentence = `A quote opened in line ${line} of ${path} is never closed.`;
  throw new Failure(
    'invalid_file',
    sentence,
    'Close it, or double it if it belongs to the text. Nothing was imported.',
  );
}

/** The header, and the rows by which its columns are guessed. */
async function readHeader(path: string, file: CsvFile): Promise<Pick<ImportFile, 'headers' | 'notes' | 'rows'>> {
  const { header, notes, rows } = await readBeginning(rowsOf(chunksOf(path), file));
  if (header === undefined) {
    throw new Failure('invalid_file', `The file ${path} is empty.`, 'Its first row must contain the column names.');
  }
  if (header.fault !== undefined) {
    const sentence = `The first row of ${path} cannot be read (${header.fault.replace('_', ' ')}).`;
    throw new Failure('invalid_file', sentence, 'It must contain the column names.');
  }
  return { headers: header.cells, notes, rows };
}

async function* chunksOf(path: string, seen: (chunk: Buffer) => void = () => {}): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: bounds.cli.importChunkBytes })) {
      seen(chunk as Buffer);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure('invalid_file', `The file ${path} cannot be read.`, 'Check its name and permissions.', error);
}
