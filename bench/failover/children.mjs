// Programs that the run starts, and processes of theirs: all are ended by their ids.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Nothing of the caller's settings reaches the servers. */
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** A server as another user, whose output goes to a file. It gets no signal of the terminal: the run ends it itself. */
export async function startServer(file, words, { account, log }) {
  const output = await open(log, 'a');
  const child = spawn(file, words, {
    ...account,
    env: environment,
    cwd: '/',
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  await output.close();
  const ended = once(child, 'exit');
  const stop = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return { pid: child.pid, stop };
}

/** Runs a program to its end and returns what it prints. */
export async function runProgram(file, words, { account, ms = 60_000 } = {}) {
  const { stdout } = await run(file, words, { ...account, env: environment, cwd: '/', timeout: ms });
  return stdout;
}

export function signalIfRunning(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export async function childrenOf(parent) {
  const lines = (await run('ps', ['-A', '-o', 'pid=,ppid='])).stdout.trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, each]) => each === parent).map(([pid]) => pid);
}

/** Whether it has ended in time. One whose parent has not asked for its status yet counts as ended. */
export async function hasEnded(pid, ms) {
  const giveUpMs = performance.now() + ms;
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined || /^\) Z/.test(stat.slice(stat.lastIndexOf(')')))) return true;
    if (performance.now() > giveUpMs) return false;
    await sleep(50);
  }
}
