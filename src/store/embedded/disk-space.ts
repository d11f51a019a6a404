// Whether the disk of an embedded database has room. A PostgreSQL that cannot write ends statements, sessions or itself,
// and whoever used it knows only that nothing answers: then it is worth a look at the disk.
import { statfs } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { errorCode } from '../pg-error.ts';

/** What PostgreSQL says when a file cannot grow. */
const diskFull = '53100';

/** What went wrong, as far as the disk explains it; any other error stays as it is. */
export async function withDiskInMind(dataDir: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'unavailable') return error;
  const full = errorCode(error.cause) === diskFull || (await isFull(dataDir));
  if (!full) return error;
  const sentence = `The disk of the data folder ${dataDir} is full.`;
  return new Failure('data_folder', sentence, 'Make room on it, at least 200 MB, then start again.', error);
}

async function isFull(dataDir: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize < bounds.store.diskSpareBytes;
  } catch {
    // A folder that cannot be looked at tells nothing of its disk.
    return false;
  }
}
