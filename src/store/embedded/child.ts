// Runs a program of the engine to its end and hands back what it printed. The environment of a child is written out
// here in full: a stray PGDATA, LC_ALL or LD_LIBRARY_PATH of the caller must not reach PostgreSQL.
import { spawn } from 'node:child_process';
import type { Account } from './account.ts';

/** English messages, because reasons are recognised by their text; UTC, because initdb writes the zone it finds. */
export const childEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } as const;

export interface Ending {
  /** Whether the program ended by itself with status 0. */
  readonly succeeded: boolean;
  /** What it printed on both channels, or why it could not be run at all. */
  readonly output: string;
}

const outputBytesMax = 1_048_576;

/** `handles` are open folders that the child inherits, as its descriptors from 3 on. */
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
      // A timer of our own: Node's is not cleared when the program cannot be started, and holds the process.
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
      // Node throws instead of telling the child's listeners when the user switch itself is refused.
      resolve({ succeeded: false, output: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The line of an engine's output that says what went wrong: the first complaint, else the last line. */
export function complaintIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.find((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? 'no message';
  // The time, process id and severity before the message are noise in a sentence for a person.
  return complaint
    .trim()
    .replace(/^.*?\b(?:FATAL|PANIC|ERROR|error):\s*/, '')
    .replace(/\.$/, '');
}
