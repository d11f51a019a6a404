// Starts and stops the server. A running server is adopted, whichever process started it; one that died is restarted.
// Every wait is bounded, and PostgreSQL's own lock decides which server runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { childEnvironment, openForChild } from './child.ts';
import type { DataFolder } from './data-folder.ts';
import { readLockFile, staleLockEnvironment } from './lock-file.ts';
import { removeStaleCopies } from './program-copy.ts';
import { packageVersion, preparePrograms } from './programs.ts';
import { isAlive, isPostmasterOf } from './running-process.ts';
import { openServerLog, reasonIn, type ServerLog } from './server-log.ts';
import { postmasterArguments } from './server-settings.ts';
import { countClients, noteRecovery, readServerStatus } from './server-status.ts';
import { prepareSocketFolder, socketFolderOf, socketPort } from './socket-folder.ts';
import { withStartLock } from './start-lock.ts';

const waits = {
  /** How long a server may be silent: backends of a killed one need a while to notice and exit. */
  silenceMs: 20_000,
  /** How long a server may say that it is recovering: the log since the last checkpoint is at most 2 GB. */
  recoveryMs: 300_000,
  /** How long our own closing connections may still be counted. */
  leavingMs: 1_000,
  /** How long we wait for a shutdown, which writes all changed pages. It continues without us afterwards. */
  shutdownMs: 30_000,
  pollMs: 50,
  startPollMs: 5,
} as const;

/** Temporary reasons: another postmaster is starting, or the backends of a killed one are still exiting. */
const passingReason = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/;

interface BroughtUp {
  readonly origin: 'started' | 'adopted';
  /** When an adopted server first answered this process, by the server's clock. */
  readonly answeredAt: string | undefined;
}

export async function bringUp(
  folder: DataFolder,
  packageFolder: string,
  silenceMs: number = waits.silenceMs,
): Promise<BroughtUp> {
  const begin = systemClock.monotonicMs();
  let patienceUntil = begin + silenceMs;
  let reason = 'nothing answers on its socket';
  while (systemClock.monotonicMs() < Math.min(patienceUntil, begin + waits.recoveryMs)) {
    const status = await readServerStatus(folder);
    if (typeof status === 'object') return { origin: 'adopted', ...status };
    if (status === 'busy') {
      reason = 'it is still starting or shutting down';
      patienceUntil = systemClock.monotonicMs() + silenceMs;
    }
    if (status === 'absent') {
      const outcome = await withStartLock(folder.path, () => startOnce(folder, packageFolder));
      if (outcome === 'ready') return { origin: 'started', answeredAt: undefined };
      // Another process is starting it: on a busy machine that takes long.
      if (outcome === undefined) patienceUntil = systemClock.monotonicMs() + silenceMs;
      reason = outcome ?? 'another process is starting it';
    }
    await sleep(waits.pollMs);
  }
  throw await heldFailure(folder, reason);
}

/** Stops the server unless another process is connected to it. `since` is when it first answered this one, if it was adopted. */
export async function takeDownIfUnused(folder: DataFolder, since?: string): Promise<void> {
  const lock = await readLockFile(folder.cluster);
  // The id may belong to a process of another machine or container: only a proven postmaster of this cluster is
  // signalled.
  if (lock === undefined || !(await isPostmasterOf(lock.pid, folder.cluster))) return;
  if (!(await isUnused(folder, lock.pid, since))) return;
  // On a full disk it cannot be noted. The server is stopped all the same, and cursors from before the recovery end.
  await noteRecovery(folder).catch(() => undefined);
  try {
    // A fast shutdown: ends what is still connected, writes a checkpoint, leaves nothing to recover.
    process.kill(lock.pid, 'SIGINT');
  } catch {
    // It has just ended, or belongs to another user, who then stops it.
    return;
  }
  const end = systemClock.monotonicMs() + waits.shutdownMs;
  while (systemClock.monotonicMs() < end && (await isPostmasterOf(lock.pid, folder.cluster))) {
    await sleep(waits.startPollMs);
  }
}

/**
 * A server that does not answer is not known to be unused: it may be overloaded, or starting for another process. A connection
 * that is older than this process is another's, who stops the server if he is leaving, too: of several who leave at the same
 * moment the oldest waits for the others.
 */
async function isUnused(folder: DataFolder, pid: number, since: string | undefined): Promise<boolean> {
  const end = systemClock.monotonicMs() + waits.leavingMs;
  for (;;) {
    const { clients, older } = await countClients(folder, since).catch(() => ({ clients: undefined, older: 0 }));
    if (clients === 0) return true;
    // Another process that is leaving may have just stopped it.
    if (older > 0 || systemClock.monotonicMs() > end || !(await isPostmasterOf(pid, folder.cluster))) return false;
    await sleep(waits.pollMs);
  }
}

/**
 * One attempt, under the start lock. Returns the reason if another attempt may succeed, undefined if there is a server.
 */
async function startOnce(folder: DataFolder, packageFolder: string): Promise<string | undefined> {
  if ((await readServerStatus(folder)) !== 'absent') return undefined;
  await prepareSocketFolder(folder);
  const programs = await preparePrograms(packageFolder, folder.path, folder.account);
  const log = await openServerLog(folder);
  const cluster = await openForChild(folder.cluster, folder.account, 3);
  const socket = await openForChild(socketFolderOf(folder.path), folder.account, 4);
  try {
    const environment = { ...childEnvironment, ...(await staleLockEnvironment(folder.cluster)) };
    const parameters = postmasterArguments(cluster.path, socket.path, socketPort);
    // Detached: Ctrl-C on a terminal goes to the whole process group, and the service drains before it stops
    // PostgreSQL.
    const child = spawn(programs.postgres, parameters, {
      ...folder.account,
      cwd: '/',
      detached: true,
      env: environment,
      stdio: ['ignore', log.file.fd, log.file.fd, cluster.descriptor, socket.descriptor],
    });
    child.unref();
    const outcome = await outcomeOf(child, folder, log);
    if (outcome === 'ready') await removeStaleCopies(folder.path, await packageVersion(packageFolder));
    return outcome;
  } finally {
    await Promise.all([log.file.close(), cluster.close(), socket.close()]);
  }
}

async function outcomeOf(child: ChildProcess, folder: DataFolder, log: ServerLog): Promise<string> {
  let ended = false;
  let spawnError: Error | undefined;
  child.on('exit', () => {
    ended = true;
  });
  child.on('error', (error) => {
    ended = true;
    spawnError = error;
  });
  const end = systemClock.monotonicMs() + waits.recoveryMs;
  while (!ended && systemClock.monotonicMs() < end) {
    const lock = await readLockFile(folder.cluster);
    if (lock?.pid === child.pid && lock?.status === 'ready' && typeof (await readServerStatus(folder)) === 'object')
      return 'ready';
    await sleep(waits.startPollMs);
  }
  if (!ended) return 'it is still recovering';
  const reason = spawnError?.message ?? (await reasonIn(log, child.pid));
  // Status 0: another process, which was leaving, stopped it at once. SIGKILL never comes from PostgreSQL.
  if (passingReason.test(reason) || child.exitCode === 0 || child.signalCode === 'SIGKILL') return reason;
  throw startFailure(folder, reason);
}

function startFailure(folder: DataFolder, reason: string): Failure {
  const sentence = `PostgreSQL could not start on the data folder ${folder.path}: ${reason}.`;
  if (reason.includes('No space left on device')) {
    return new Failure('data_folder', sentence, 'Free some space on the disk, then start again.');
  }
  if (reason.includes('Permission denied') && folder.account !== undefined) {
    const fix = `Let the user with uid ${folder.account.uid} reach the folder, or move it to /var/lib/orrery.`;
    return new Failure('data_folder', sentence, fix);
  }
  return new Failure('data_folder', sentence, `Fix the cause; ${folder.log} says more.`);
}

async function heldFailure(folder: DataFolder, reason: string): Promise<Failure> {
  const lock = await readLockFile(folder.cluster);
  if (lock === undefined) return startFailure(folder, reason);
  if (!isAlive(lock.pid)) {
    return new Failure(
      'data_folder',
      `The data folder ${folder.path} is still in use by children of PostgreSQL process ${lock.pid}, which has ended.`,
      'End the processes that ps shows as "postgres: orrery", then start again.',
    );
  }
  return new Failure(
    'data_folder',
    `The data folder ${folder.path} is held by process ${lock.pid}: ${reason}.`,
    `Wait until that process has ended, or end it with kill -INT ${lock.pid}, then start again.`,
  );
}
