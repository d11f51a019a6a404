// Writes a backup to a new file that is either complete or absent: it has another name until it is complete and on disk,
// and never replaces a file. It contains the whole database, so only its owner may read it.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { addSeal } from '../../store/backup/seal.ts';
import { partialPathOf, removeAbandonedPartials } from '../../store/embedded/atomic-folder.ts';

export interface Written {
  readonly bytes: number;
  /** Of the compressed file, so that `sha256sum` prints the same. */
  readonly sha256: string;
}

/** A file being written; one of the two methods ends it. */
export interface NewFile {
  write(content: AsyncIterable<Buffer>): Promise<Written>;
  /** Removes the file unless it was written completely. */
  discard(): Promise<void>;
}

/** Creates the file before the work begins, so that a bad name fails immediately. */
export async function openNewFile(path: string): Promise<NewFile> {
  const part = partialPathOf(path);
  if (await exists(path)) throw taken(path);
  // Removes the remains of a killed backup. If the folder cannot be read, opening the file says why.
  await removeAbandonedPartials(dirname(path), `${basename(path)}.`).catch(() => undefined);
  const opening = open(part, 'wx', 0o600);
  const forget = removedBySignals(part, opening);
  const handle = await opening.catch((error: unknown) => {
    forget();
    throw fileFailure(error, path);
  });
  let state: 'empty' | 'begun' | 'over' = 'empty';
  const discard = async () => {
    if (state === 'over') return;
    // The stream closes the file, however it ends.
    if (state === 'empty') await handle.close();
    state = 'over';
    await rm(part, { force: true });
    forget();
  };
  const write = async (content: AsyncIterable<Buffer>) => {
    try {
      state = 'begun';
      const written = await compress(content, handle.createWriteStream({ flush: true }));
      await name(part, path);
      state = 'over';
      forget();
      return written;
    } catch (error) {
      await discard();
      throw fileFailure(error, path);
    }
  };
  return { write, discard };
}

/** Compresses and seals. The level favours speed: zlib's default takes twice as long for a file a twentieth smaller. */
export async function compress(content: AsyncIterable<Buffer>, target: Writable): Promise<Written> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const gzip = createGzip({ level: bounds.cli.backupCompression, chunkSize: bounds.cli.backupChunkBytes });
  await pipeline(content, gzip, addSeal, counted, target);
  return { bytes, sha256: hash.digest('hex') };
}

/** Linking fails if a file has the name, where renaming would replace it. Some file systems have no links. */
async function name(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
    await rm(part);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' || (await exists(path))) throw taken(path);
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code)) throw error;
    await rename(part, path);
  }
  const folder: FileHandle = await open(dirname(resolve(path)), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * An interrupted backup leaves no partial file, even if the signal comes while the file is being opened. Returns a
 * function that stops listening for signals.
 */
function removedBySignals(part: string, opening: Promise<FileHandle>): () => void {
  const stop = (signal: NodeJS.Signals) => {
    const end = () => {
      rmSync(part, { force: true });
      forget();
      process.kill(process.pid, signal);
    };
    opening.then(end, end);
  };
  const forget = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return forget;
}

/** Whether anything has the name, including a dangling link. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function taken(path: string): Failure {
  return new Failure(
    'invalid_file',
    `The file ${path} already exists.`,
    'Choose another name, or move that file away.',
  );
}

function fileFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure) return error;
  const fail = (sentence: string, fix: string) => new Failure('invalid_file', sentence, fix, error);
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fail(`The folder of ${path} does not exist.`, 'Create it, or choose another name.');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(`This user may not write ${path}.`, 'Choose a folder that you can write to.');
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(`The disk is full, so ${path} was not written.`, 'Free some space, or choose another disk.');
    case 'ENAMETOOLONG':
      return fail(`The name ${path} is too long.`, 'Choose a shorter one.');
    default:
      return error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
