// The CSV file of an import: opened for each reading, and inspected as a whole before anything is written.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { type CsvFile, type CsvRows, inspectCsv, rowsOf } from '../../base/files/csv-file.ts';
import { bounds } from '../../base/limits.ts';

export interface ImportFile extends CsvFile {
  readonly path: string;
  /** The cells of its first row. */
  readonly headers: readonly string[];
}

export async function openImportFile(path: string): Promise<ImportFile> {
  const file = await inspect(path);
  return { ...file, path, headers: await readHeader(path, file) };
}

/** All rows, the header first. */
export function readRows({ path, ...file }: ImportFile): AsyncIterable<CsvRows> {
  return rowsOf(chunksOf(path), file);
}

async function inspect(path: string): Promise<CsvFile> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    (error: unknown) => {
      throw unreadable(path, error);
    },
  );
  if (!isFile) throw new Failure('invalid_file', `${path} is not a file.`, 'Name a CSV file.');
  const file = await inspectCsv(chunksOf(path));
  if (file.quotes % 2 === 1) await refuseUnclosed(path, file);
  return file;
}

/** Checked before anything is written, because everything after such a quote would be read as one cell. */
async function refuseUnclosed(path: string, file: CsvFile): Promise<void> {
  for await (const { rows } of rowsOf(chunksOf(path), file)) {
    const row = rows.find(({ fault }) => fault === 'unclosed_quote');
    if (row === undefined) continue;
    const sentence = `A quote opened in line ${row.line} of ${path} is never closed.`;
    throw new Failure(
      'invalid_file',
      sentence,
      'Close it, or double it if it belongs to the text. Nothing was imported.',
    );
  }
}

async function readHeader(path: string, file: CsvFile): Promise<readonly string[]> {
  for await (const { rows } of rowsOf(chunksOf(path), file)) {
    const [header] = rows;
    if (header === undefined) continue;
    if (header.fault === undefined) return header.cells;
    const sentence = `The first row of ${path} cannot be read (${header.fault.replace('_', ' ')}).`;
    throw new Failure('invalid_file', sentence, 'It must contain the column names.');
  }
  throw new Failure('invalid_file', `The file ${path} is empty.`, 'Its first row must contain the column names.');
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: bounds.cli.importChunkBytes }))
      yield chunk as Buffer;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure('invalid_file', `The file ${path} cannot be read.`, 'Check its name and permissions.', error);
}
