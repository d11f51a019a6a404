// Lets one process at a time start a postmaster. PostgreSQL's own locks keep two from running, but if two start at once
// over a stale postmaster.pid, the one that fails can remove the file of the other, which then shuts down a minute
// later. So our processes take a lock file; the lock of a dead process is taken over.
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { isAlive } from './running-process.ts';

/** The lock is held briefly, and process ids are reused, so an older lock is ignored. */
const heldMsMax = 60_000;
const emptyMsMax = 2_000;

/** The locks of this process. Its id in the file proves nothing: in a container every process may have the id 1. */
const ownLocks = new Set<string>();

/** Runs the task if nobody else holds the lock; otherwise returns undefined at once. */
export async function withStartLock<Result>(folder: string, task: () => Promise<Result>): Promise<Result | undefined> {
  const path = join(folder, 'starting');
  if (ownLocks.has(path)) return undefined;
  ownLocks.add(path);
  try {
    return (await takeFile(path)) ? await runAndRelease(path, task) : undefined;
  } finally {
    ownLocks.delete(path);
  }
}

async function runAndRelease<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeFile(path: string): Promise<boolean> {
  if (await createFile(path)) return true;
  if (!(await isAbandoned(path))) return false;
  await rm(path, { force: true });
  return createFile(path);
}

async function createFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o644);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    await writeFile(path, String(process.pid));
    return true;
  } catch (error) {
    // On a full disk a file can be made but not written; an empty one would make everybody wait.
    await rm(path, { force: true });
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return true;
  const ageMs = systemClock.nowMs() - found.mtimeMs;
  const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10);
  // The file is empty for a moment while it is written, and forever if its process was killed just then.
  if (!Number.isInteger(pid)) return ageMs > emptyMsMax;
  return ageMs > heldMsMax || pid === process.pid || !isAlive(pid);
}
