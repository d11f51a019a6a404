// Writes a backup to a file that is whole or not there: under another name until it is complete and on the disk, and
// never over anything. It holds everything that the database does, so nobody but its owner may read it.
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
  /** Of the file as it is, so that `sha256sum` gives the same. */
  readonly sha256: string;
}

/** A file that is being written; one of the two ends it. */
export interface NewFile {
  write(content: AsyncIterable<Buffer>): Promise<Written>;
  /** Leaves nothing behind, unless it was written. */
  discard(): Promise<void>;
}

/** Made before the work begins, so that a name that cannot be is told at once. */
export async function openNewFile(path: string): Promise<NewFile> {
  const part = partialPathOf(path);
  if (await isThere(path)) throw taken(path);
  // What a backup left that was killed. Where the folder cannot be read, opening says why.
  await removeAbandonedPartials(dirname(path), `${basename(path)}.`).catch(() => undefined);
  const handle = await open(part, 'wx', 0o600).catch((error: unknown) => {
    throw fileFailure(error, path);
  });
  const forget = removedBySignals(part);
  let state: 'empty' | 'begun' | 'over' = 'empty';
  const discard = async () => {
    if (state === 'over') return;
    // A stream closes its file by itself, however it ends.
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

/** A link is refused where a file of that name is, which renaming would replace. Some disks have no links. */
async function name(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
    await rm(part);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' || (await isThere(path))) throw taken(path);
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

/** Whoever breaks a backup off finds nothing half-made. Returns what ends the watch. */
function removedBySignals(part: string): () => void {
  const stop = (signal: NodeJS.Signals) => {
    rmSync(part, { force: true });
    forget();
    process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return forget;
}

/** Whatever has the name, a link that leads nowhere included. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function taken(path: string): Failure {
  return new Failure('invalid_file', `There is a file ${path} already.`, 'Give another name, or move it away.');
}

function fileFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure) return error;
  const fail = (sentence: string, fix: string) => new Failure('invalid_file', sentence, fix, error);
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fail(`The folder of ${path} is not there.`, 'Make it first, or give another name.');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(`The file ${path} cannot be written by this user.`, 'Give a name in a folder of your own.');
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(`The disk is full, and ${path} is not written.`, 'Make room, or give a name on another disk.');
    case 'ENAMETOOLONG':
      return fail(`The name ${path} is too long.`, 'Give a shorter one.');
    default:
      return error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
