// The errors file of an import: each refused row with its cells as they were, and in front of them its line and what was
// wrong. What is mended there is imported like any other file, and that column is not read. The database knows how long
// the file is with each batch, so that one that was broken off has every refused row once.
import { access, constants, type FileHandle, open, truncate, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { toCsvLine } from '../../base/files/to-csv-line.ts';
import { bounds } from '../../base/limits.ts';
import { reasonsHeader } from '../../engine/import/guess-columns.ts';
import type { RefusedRow } from '../../engine/import/write-rows.ts';
import { refusalText } from '../terminal/refusal.ts';
import type { ImportFile } from './source-file.ts';

export interface ErrorsFile {
  readonly path: string;
  /** The length from which on refused rows are added: as much of it as an earlier run has left. */
  readonly length: number;
  /** Writes rows at this length, cuts off what was there, and gives the new length once all of it is on the disk. */
  keep(refused: readonly RefusedRow[], length: number): Promise<number>;
  /** Where it is; null while no row was refused. */
  kept(): string | null;
  close(): Promise<void>;
}

/** For those who only want to be told. */
export const noErrorsFile: ErrorsFile = {
  path: '',
  length: 0,
  keep: (_, length) => Promise.resolve(length),
  kept: () => null,
  close: () => Promise.resolve(),
};

/**
 * `contacts.csv` has its errors in `contacts.errors.csv`, beside it. Somebody may be mending one of an earlier import: it
 * is left alone, and the next name taken.
 */
export async function errorsPathOf(path: string): Promise<string> {
  const stem = `${path.replace(/\.csv$/i, '')}.errors`;
  for (let number = 1; number <= bounds.cli.errorsFiles; number++) {
    const candidate = resolve(number === 1 ? `${stem}.csv` : `${stem}-${number}.csv`);
    if ((await headOf(candidate)) === undefined) return candidate;
  }
  throw exists(resolve(`${stem}.csv`));
}

/**
 * The file is made with its first row. Of one that belongs to the same import, `left` is how much of it does. One that an
 * earlier import left under a name that was asked for is replaced; any other file is left alone.
 */
export async function openErrorsFile(path: string, file: ImportFile, left: number | undefined): Promise<ErrorsFile> {
  const { headers, delimiter } = file;
  const head = await headOf(path);
  const found = head?.length;
  if (head === undefined || found === undefined) await requireFolder(path);
  else if (left === undefined && !isErrorsFile(head)) throw exists(path);
  else if (found < (left ?? 0)) throw changed(path);
  else if (found > (left ?? 0)) await cutOff(path, left ?? 0);
  // Columns are told apart by place, so that the file of an errors file has the reasons once.
  const reasons = headers.indexOf(reasonsHeader);
  const lineOf = (reason: string, cells: readonly string[]) =>
    toCsvLine([reason, ...(reasons < 0 ? cells : cells.toSpliced(reasons, 1))], delimiter);
  const length = found === undefined ? 0 : (left ?? 0);
  let handle: FileHandle | undefined;
  return {
    path,
    length,
    kept: () => (handle === undefined && length === 0 ? null : path),
    keep: async (refused, at) => {
      handle ??= await opened(path);
      const mark = file.marked || file.encoding === 'windows-1252' ? '\ufeff' : '';
      const start = at === 0 ? mark + lineOf(reasonsHeader, headers) : '';
      const rows = refused
        .map((each) => lineOf(refusalText(each.row.line, each.problem, bounds.cli.faultsPrintedPerRow), each.row.cells))
        .join('');
      const bytes = Buffer.from(start + rows);
      await written(path, handle, bytes, at);
      return at + bytes.length;
    },
    close: async () => handle?.close(),
  };
}

/** What a batch wrote that was not committed comes again; without it there may be nothing left to keep. */
async function cutOff(path: string, length: number): Promise<void> {
  try {
    await (length === 0 ? unlink(path) : truncate(path, length));
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function written(path: string, handle: FileHandle, bytes: Buffer, length: number): Promise<void> {
  try {
    await handle.truncate(length);
    for (let at = 0; at < bytes.length; ) {
      at += (await handle.write(bytes, at, bytes.length - at, length + at)).bytesWritten;
    }
    await handle.sync();
    if (length === 0) await syncFolder(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

interface Head {
  /** The length of the whole file. */
  readonly length: number;
  readonly text: string;
}

/** Whether an import wrote it, or nobody did yet. */
function isErrorsFile({ length, text }: Head): boolean {
  return length === 0 || text.replace('\ufeff', '').startsWith(reasonsHeader);
}

/** How the file begins; undefined where there is none. */
async function headOf(path: string): Promise<Head | undefined> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, error);
  });
  if (handle === undefined) return undefined;
  try {
    const { size: length } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return { length, text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

/** Found out before the first row, not with the first that is refused. */
async function requireFolder(path: string): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

/** It holds data of people: only its owner reads it. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(path, error);
  }
  return open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

/** A file that is new is on the disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function exists(path: string): Failure {
  const fix = 'Move it away, or name another file with --errors.';
  return new Failure('invalid_file', `Refused rows would go to ${path}, which is there already.`, fix);
}

function changed(path: string): Failure {
  const sentence = `The errors file ${path} is shorter than this import has left it.`;
  return new Failure('invalid_file', sentence, 'Move it away: the import then goes on with a new one.');
}

function unwritable(path: string, error: unknown): Failure {
  const fix = 'Check the rights and the room there, or name another file with --errors.';
  return new Failure('invalid_file', `The errors file ${path} cannot be written.`, fix, error);
}
