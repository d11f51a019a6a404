// Brings the server up and takes it down. A server that is there already is adopted, whoever started it; one that died
// is started again. Every wait is bounded, and PostgreSQL's own lock decides who runs.
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
import { countClients, readServerStatus } from './server-status.ts';
import { prepareSocketFolder, socketFolderOf, socketPort } from './socket-folder.ts';
import { withStartLock } from './start-lock.ts';

const waits = {
  /** How long a server may give no sign at all: backends of a killed one need a while to notice and leave. */
  silenceMs: 20_000,
  /** How long a server may say that it is recovering: the log since the last checkpoint is at most 2 GB. */
  recoveryMs: 300_000,
  /** How long leaving connections of our own may still be counted as somebody's. */
  leavingMs: 1_000,
  /** How long a shutdown, which writes all changed pages, is waited for. It goes on by itself afterwards. */
  shutdownMs: 30_000,
  pollMs: 50,
  startPollMs: 5,
} as const;

/** Reasons that pass by themselves: another postmaster starts, or the backends of a killed one are still leaving. */
const passingReason = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/;

export async function bringUp(
  folder: DataFolder,
  packageFolder: string,
  silenceMs: number = waits.silenceMs,
): Promise<'started' | 'adopted'> {
  const begin = systemClock.monotonicMs();
  let patienceUntil = begin + silenceMs;
  let reason = 'nothing answers on its socket';
  while (systemClock.monotonicMs() < Math.min(patienceUntil, begin + waits.recoveryMs)) {
    const status = await readServerStatus(folder);
    if (status === 'ready') return 'adopted';
    if (status === 'busy') {
      reason = 'it is still starting or shutting down';
      patienceUntil = systemClock.monotonicMs() + silenceMs;
    }
    if (status === 'absent') {
      const outcome = await withStartLock(folder.path, () => startOnce(folder, packageFolder));
      if (outcome === 'ready') return 'started';
      reason = outcome ?? reason;
    }
    await sleep(waits.pollMs);
  }
  throw await heldFailure(folder, reason);
}

/** Stops the server unless somebody else is connected to it. */
export async function takeDownIfUnused(folder: DataFolder): Promise<void> {
  const lock = await readLockFile(folder.cluster);
  // The id may be of another machine's or container's process: only a proven postmaster of this cluster is signalled.
  if (lock === undefined || !(await isPostmasterOf(lock.pid, folder.cluster))) return;
  if (!(await isUnused(folder, lock.pid))) return;
  try {
    // A fast shutdown: ends what is still connected, writes a checkpoint, leaves nothing to recover.
    process.kill(lock.pid, 'SIGINT');
  } catch {
    // It has gone in this moment, or belongs to another user, who then also stops it.
    return;
  }
  const end = systemClock.monotonicMs() + waits.shutdownMs;
  while (systemClock.monotonicMs() < end && (await isPostmasterOf(lock.pid, folder.cluster))) {
    await sleep(waits.startPollMs);
  }
}

/** A server that does not say who uses it is not known to be unused: it may be overloaded, or starting for another. */
async function isUnused(folder: DataFolder, pid: number): Promise<boolean> {
  const end = systemClock.monotonicMs() + waits.leavingMs;
  for (;;) {
    const clients = await countClients(folder).catch(() => undefined);
    if (clients === 0) return true;
    // Another process that leaves at the same time may have stopped it just now.
    if (systemClock.monotonicMs() > end || !(await isPostmasterOf(pid, folder.cluster))) return false;
    await sleep(waits.pollMs);
  }
}

/** One attempt, in our turn. Answers the reason where another attempt may succeed, undefined when there is a server. */
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
    // Detached: a Ctrl-C on the terminal goes to its whole process group, and the service drains before it stops this.
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
    if (lock?.pid === child.pid && lock?.status === 'ready' && (await readServerStatus(folder)) === 'ready')
      return 'ready';
    await sleep(waits.startPollMs);
  }
  if (!ended) return 'it is still recovering';
  const reason = spawnError?.message ?? (await reasonIn(log, child.pid));
  // Status 0: another process, which was leaving, stopped it at once. SIGKILL never comes from PostgreSQL itself.
  if (passingReason.test(reason) || child.exitCode === 0 || child.signalCode === 'SIGKILL') return reason;
  throw startFailure(folder, reason);
}

function startFailure(folder: DataFolder, reason: string): Failure {
  const sentence = `PostgreSQL could not start on the data folder ${folder.path}: ${reason}.`;
  if (reason.includes('No space left on device')) {
    return new Failure('data_folder', sentence, 'Make room on the disk, then start again.');
  }
  if (reason.includes('Permission denied') && folder.account !== undefined) {
    const fix = `Let the user with uid ${folder.account.uid} reach the folder, or move it to /var/lib/orrery.`;
    return new Failure('data_folder', sentence, fix);
  }
  return new Failure('data_folder', sentence, `Mend what the sentence names; ${folder.log} says more.`);
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
