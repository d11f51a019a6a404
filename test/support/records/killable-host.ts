// A service on an embedded PostgreSQL that can be killed while others write to it: the service, its PostgreSQL, or both
// at once. A killed service is started again; a killed PostgreSQL is restarted by its service.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../src/base/clock.ts';
import { childrenOf } from '../children.ts';

export type Victim = 'service' | 'postgres' | 'both';

interface Served {
  readonly url: string;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<unknown>;
}

/** How long a PostgreSQL may take to come back before it can be killed again. */
const restartMsMax = 60_000;

export class KillableHost {
  readonly dataDir: string;
  readonly #start: () => Promise<Served>;
  #serving: Promise<Served>;
  #kills = 0;

  constructor(dataDir: string, start: () => Promise<Served>) {
    this.dataDir = dataDir;
    this.#start = start;
    this.#serving = start();
  }

  /** Of the service that runs, or of the next one as soon as it does. */
  async url(): Promise<string> {
    return (await this.#serving).url;
  }

  async stop(): Promise<void> {
    await (await this.#serving).stop('SIGTERM');
  }

  async kill(victim: Victim): Promise<void> {
    const served = await this.#serving;
    if (victim !== 'service') await this.#killPostgres();
    if (victim === 'postgres') return;
    this.#serving = served.stop('SIGKILL').then(() => this.#start());
    await this.#serving;
  }

  /** By turns the postmaster alone, whose processes end when they notice, and all of its processes at once. */
  async #killPostgres(): Promise<void> {
    const pid = await this.#runningPostmaster();
    const children = this.#kills++ % 2 === 0 ? [] : await childrenOf(pid);
    process.kill(pid, 'SIGKILL');
    for (const child of children) killIfRunning(child);
  }

  /** Writes can succeed for a moment after a kill, on what is left of the old PostgreSQL; the next victim is a new one. */
  async #runningPostmaster(): Promise<number> {
    const giveUpAt = performance.now() + restartMsMax;
    for (;;) {
      const pid = await postmasterOf(this.dataDir).then(
        (postmaster) => postmaster.pid,
        () => 0,
      );
      if (pid > 0 && isRunning(pid)) return pid;
      if (performance.now() > giveUpAt) throw new Error(`PostgreSQL was not restarted in ${restartMsMax} ms.`);
      await sleep(20);
    }
  }
}

/** The postmaster of a data folder and where it listens. Started by root, it names its folder as it sees it itself. */
export async function postmasterOf(dataDir: string): Promise<{ pid: number; host: string; port: number }> {
  const lines = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const pid = Number(lines[0]);
  return { pid, port: Number(lines[3]), host: (lines[4] ?? '').trim().replace('/proc/self/', `/proc/${pid}/`) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
