// The errors file of an import: the cells of each refused row, after a column with its line and its errors; and of each
// row that was taken without bad cells. A corrected
// errors file is imported like any other file, and that column is ignored. The database stores the length of the file with
// each batch, so that an interrupted import lists every refused row once.
import { access, constants, type FileHandle, open, truncate, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toCsvLine } from '../../../client/import/files/to-csv-line.ts';
import { reasonsHeader } from '../../../client/import/guess-columns.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { ReportedRow } from '../../engine/import/outcome.ts';
import { refusalText } from '../terminal/refusal.ts';
import type { ImportFile } from './source-file.ts';

export interface ErrorsFile {
  readonly path: string;
  /** The length at which refused rows are added: the part that an earlier run has written. */
  readonly length: number;
  /** Writes rows at this length, cuts off the rest, and returns the new length once everything is on disk. */
  keep(reported: readonly ReportedRow[], length: number): Promise<number>;
  /** Its path; null while no row was refused. */
  writtenPath(): string | null;
  close(): Promise<void>;
}

/** For a dry run that only reports. */
export const noErrorsFile: ErrorsFile = {
  path: '',
  length: 0,
  keep: (_, length) => Promise.resolve(length),
  writtenPath: () => null,
  close: () => Promise.resolve(),
};

/**
 * The errors of `contacts.csv` go to `contacts.errors.csv` beside it. If that file exists, somebody may be correcting it, so
 * the next free name is used.
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
 * The file is created with its first row. `left` is the length that an interrupted run of the same import has written. An
 * errors file of another import is replaced if it was named with --errors; any other file is never touched.
 */
export async function openErrorsFile(path: string, file: ImportFile, left: number | undefined): Promise<ErrorsFile> {
  const { headers, delimiter } = file;
  const head = await headOf(path);
  const found = head?.length;
  if (head === undefined || found === undefined) await requireFolder(path);
  else if (left === undefined && !isErrorsFile(head)) throw exists(path);
  else if (found < (left ?? 0)) throw changed(path);
  else if (found > (left ?? 0)) await cutOff(path, left ?? 0);
  // If the imported file is an errors file, its old errors are dropped, by position.
  const reasons = headers.indexOf(reasonsHeader);
  const lineOf = (reason: string, cells: readonly string[]) =>
    toCsvLine([reason, ...(reasons < 0 ? cells : cells.toSpliced(reasons, 1))], delimiter);
  const length = found === undefined ? 0 : (left ?? 0);
  let handle: FileHandle | undefined;
  return {
    path,
    length,
    writtenPath: () => (handle === undefined && length === 0 ? null : path),
    keep: async (reported, at) => {
      handle ??= await opened(path);
      const mark = file.marked || file.encoding === 'windows-1252' ? '\ufeff' : '';
      const start = at === 0 ? mark + lineOf(reasonsHeader, headers) : '';
      const rows = reported.map((each) => lineOf(reportText(each), each.row.cells)).join('');
      const bytes = Buffer.from(start + rows);
      await written(path, handle, bytes, at);
      return at + bytes.length;
    },
    close: async () => handle?.close(),
  };
}

/** Why a row is in the errors file. */
export function reportText({ row, problem, fate }: ReportedRow): string {
  const text = refusalText(row.line, problem, bounds.cli.faultsPrintedPerRow);
  return fate === 'refused' ? text : `${text} The row was imported without this.`;
}

/** Removes the rows of a batch that was not committed, which will be written again. */
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

/** Whether an import wrote it, or it is empty. */
function isErrorsFile({ length, text }: Head): boolean {
  return length === 0 || text.replace('\ufeff', '').startsWith(reasonsHeader);
}

/** The beginning of the file; undefined if there is none. */
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

/** Checked before the import begins, not when the first row is refused. */
async function requireFolder(path: string): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

/** The file contains personal data, so only its owner may read it. */
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

/** A new file is safely on disk only when its folder is. */
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
  return new Failure('invalid_file', `The file for refused rows, ${path}, already exists.`, fix);
}

function changed(path: string): Failure {
  const sentence = `The errors file ${path} is shorter than this import left it.`;
  return new Failure('invalid_file', sentence, 'Move it away to continue with a new one.');
}

function unwritable(path: string, error: unknown): Failure {
  const fix = 'Check the permissions and the free space, or name another file with --errors.';
  return new Failure('invalid_file', `The errors file ${path} cannot be written.`, fix, error);
}
