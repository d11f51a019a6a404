// Questions about a process of which only the id is known. Ids are reused after a restart of the machine or container,
// so an id from a file is trusted only together with the command line of the process.
import { readFile, readlink } from 'node:fs/promises';
import { runToEnd } from './child.ts';

/** Whether any process has the id. A dead process that nobody has waited for counts too, as it does for PostgreSQL. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process is the postmaster of this cluster. Its children have other command lines. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const command = await commandOf(pid);
  if (command?.includes(`/postgres -D ${cluster} `) === true) return true;
  // If it got to its cluster through a handle (see `openForChild`), only its working folder shows which cluster it is.
  if (command === undefined || !/\/postgres -D \/proc\/self\/fd\/[0-9]+ /.test(command)) return false;
  return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === cluster;
}

/**
 * Whether the id belongs to a process that is certainly not PostgreSQL. If the command line cannot be read, or may be
 * that of PostgreSQL, the answer is no: a wrong yes would let a second postmaster start.
 */
export async function isForeign(pid: number): Promise<boolean> {
  const command = await commandOf(pid);
  return command !== undefined && !/(^|\/)(postgres|postmaster)([: ]|$)/.test(command);
}

/** The command line; empty for a dead process that nobody has waited for, undefined if it cannot be read. */
async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.replaceAll('\0', ' ');
  }
  const ending = await runToEnd('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], undefined, 5_000);
  return ending.succeeded ? `${ending.output} ` : undefined;
}
