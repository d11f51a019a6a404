// Runs the programs of PostgreSQL as children: to their end with their output, and with folders that their user cannot
// reach by path. The environment of a child is listed here in full: a stray PGDATA, LC_ALL or LD_LIBRARY_PATH of the
// caller must not reach PostgreSQL.
import { spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from './account.ts';

/** English messages, because reasons are recognised by their text; UTC, because initdb writes the zone it finds. */
export const childEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } as const;

export interface Ending {
  /** Whether the program exited with status 0. */
  readonly succeeded: boolean;
  /** Its output on both channels, or why it could not be run at all. */
  readonly output: string;
}

const outputBytesMax = 1_048_576;

/** `handles` are open folders that the child inherits, as descriptors from 3 on. */
export function runToEnd(
  file: string,
  parameters: readonly string[],
  account: Account | undefined,
  timeoutMs: number,
  handles: readonly (number | 'ignore')[] = [],
): Promise<Ending> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const collect = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= outputBytesMax) chunks.push(chunk);
    };
    try {
      const child = spawn(file, [...parameters], {
        ...account,
        env: childEnvironment,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe', ...handles],
      });
      // Our own timer: Node's is not cleared when the program cannot be started, and keeps the process alive.
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      child.stdout?.on('data', collect);
      child.stderr?.on('data', collect);
      child.once('error', (error) => {
        clearTimeout(timer);
        resolve({ succeeded: false, output: error.message });
      });
      child.once('close', (status, signal) => {
        clearTimeout(timer);
        const printed = Buffer.concat(chunks).toString().trim();
        const silent = signal === null ? `ended with status ${status}` : `no end after ${timeoutMs / 1_000} s`;
        resolve({ succeeded: status === 0, output: printed === '' && status !== 0 ? silent : printed });
      });
    } catch (error) {
      // Node throws instead of emitting an error when switching the user is refused.
      resolve({ succeeded: false, output: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The line of a program's output that says what went wrong: the first complaint, otherwise the last line. */
export function complaintIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.find((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? 'no message';
  // The time, process id and severity before the message are noise in a sentence for a person.
  return complaint
    .trim()
    .replace(/^.*?\b(?:FATAL|PANIC|ERROR|error):\s*/, '')
    .replace(/\.$/, '');
}

interface ChildFolder {
  /** The path of the folder for the child. */
  readonly path: string;
  /** For the child's list of streams, at the position in the path. */
  readonly descriptor: number | 'ignore';
  close(): Promise<void>;
}

/**
 * Gives a child that runs as another user access to a folder: by its path, or, if that user may not pass through the
 * folders above it, by a handle that root has opened. On Linux /proc/self/fd/N leads straight to the folder, and no
 * permissions change. `position` is the number of the handle in the child: 3 is the first after the standard streams.
 */
export async function openForChild(path: string, account: Account | undefined, position: number): Promise<ChildFolder> {
  if (process.platform !== 'linux' || (await canReach(path, account))) {
    return { path, descriptor: 'ignore', close: async () => {} };
  }
  const handle = await open(path, 'r');
  return { path: `/proc/self/fd/${position}`, descriptor: handle.fd, close: () => handle.close() };
}

/** Whether the user may pass through every folder above the path. Our own user can. */
export async function canReach(path: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const searchBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & searchBit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
