// Reads postmaster.pid, PostgreSQL's own lock on the cluster. It is never written or deleted here: two postmasters on
// one cluster destroy it, and only PostgreSQL can tell whether the lock is stale.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { isAlive, isForeign } from './running-process.ts';

interface LockFile {
  readonly pid: number;
  /** PostgreSQL writes `starting`, `ready` and `stopping` here, padded with blanks. */
  readonly status: string;
}

export function lockPathOf({ cluster }: Pick<DataFolder, 'cluster'>): string {
  return join(cluster, 'postmaster.pid');
}

/** Line 1 is the process id and line 8 the status; the file is written in steps, so later lines may be missing. */
export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  const text = await readFile(lockPathOf({ cluster }), 'utf8').catch(() => undefined);
  const lines = text?.split('\n') ?? [];
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  return pid > 0 ? { pid, status: (lines[7] ?? '').trim() } : undefined;
}

/**
 * PostgreSQL refuses to start while any process of the same user has the id in a stale lock. That happens after a crash
 * of the machine, and often in containers, where ids start again at 1. This variable, made for pg_ctl, names one
 * process that is not a postmaster; the check of the shared memory still protects the cluster.
 */
export async function staleLockEnvironment(cluster: string): Promise<Record<string, string>> {
  const lock = await readLockFile(cluster);
  if (lock === undefined || !isAlive(lock.pid) || !(await isForeign(lock.pid))) return {};
  return { PG_GRANDPARENT_PID: String(lock.pid) };
}
