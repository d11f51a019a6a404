// Digests of passwords. Each takes much memory and time on purpose, so a program of its own computes them, with low priority:
// one at a time, while a few more wait. It starts with the first password, and ends when none has come for a while.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { randomBase62 } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { StoredPassword } from '../../store/sign-in/passwords.ts';
import type { DigestDone, DigestTask } from './compute-digests.ts';

export interface PasswordDigests {
  /** Runs work that needs digests, for somebody of the network; refused if too many wait already. */
  withPlace<T>(network: string | undefined, work: (digestOf: DigestOf) => Promise<T>): Promise<T>;
  close(): void;
}

/** Waits for its turn. */
type DigestOf = (password: string, how: Pick<StoredPassword, 'salt' | 'cost'>) => Promise<Buffer>;

/** In the build, it is beside the program. Tests run the sources and use that of the last build. */
const program = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../dist/compute-digests.js' : './compute-digests.js',
    import.meta.url,
  ),
);

/** What computes digests, without asking how many at once. */
interface Computing {
  readonly compute: DigestOf;
  close(): void;
}

export function openPasswordDigests(computer: Computing = new Computer()): PasswordDigests {
  const { scryptsAtOnce, scryptsWaiting, scryptsPerNetwork } = bounds.signIn;
  let places = 0;
  const placesOf = new Map<string, number>();
  let running = 0;
  const waiting: (() => void)[] = [];
  const inTurn: DigestOf = async (password, how) => {
    if (running >= scryptsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      // The same password can be typed in two forms of Unicode.
      return await computer.compute(password.normalize('NFKC'), how);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return {
    withPlace: async (network, work) => {
      const held = network === undefined ? 0 : (placesOf.get(network) ?? 0);
      if (places >= scryptsAtOnce + scryptsWaiting || held >= scryptsPerNetwork) throw tooMany();
      places++;
      if (network !== undefined) placesOf.set(network, held + 1);
      try {
        return await work(inTurn);
      } finally {
        places--;
        if (network !== undefined) release(placesOf, network);
      }
    },
    close: () => computer.close(),
  };
}

function release(placesOf: Map<string, number>, network: string): void {
  const held = placesOf.get(network) ?? 0;
  if (held > 1) placesOf.set(network, held - 1);
  else placesOf.delete(network);
}

function tooMany() {
  return overloaded('Too many people are signing in at the moment.', 2);
}

interface Asked {
  resolve(digest: Buffer): void;
  reject(error: unknown): void;
}

/** The program, as long as it is needed. */
class Computer implements Computing {
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;
  readonly #asked = new Map<number, Asked>();

  readonly compute: DigestOf = (password, { salt, cost }) => {
    clearTimeout(this.#idle);
    const child = this.#child ?? this.#start();
    const task: DigestTask = { id: this.#next++, password, salt: salt.toString('hex'), cost };
    return new Promise((resolve, reject) => {
      this.#asked.set(task.id, { resolve, reject });
      child.send(task, (error) => {
        if (error !== null) this.#end(child);
      });
    });
  };

  close(): void {
    if (this.#child !== undefined) this.#end(this.#child);
  }

  #start(): ChildProcess {
    const child = fork(program, { serialization: 'json', execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    // It does not keep the process that serves.
    child.unref();
    child.channel?.unref();
    child.on('message', (done: DigestDone) => this.#done(done));
    for (const event of ['error', 'exit', 'disconnect']) child.on(event, () => this.#end(child));
    this.#child = child;
    return child;
  }

  #done({ id, digest }: DigestDone): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (digest === undefined) asked?.reject(tooMany());
    else asked?.resolve(Buffer.from(digest, 'hex'));
    if (this.#asked.size > 0) return;
    this.#idle = setTimeout(() => this.close(), bounds.signIn.scryptIdleMs).unref();
  }

  /** Those who wait for it are refused, and the next password starts it again. */
  #end(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    clearTimeout(this.#idle);
    child.removeAllListeners();
    child.on('error', () => {});
    child.kill('SIGKILL');
    const all = [...this.#asked.values()];
    this.#asked.clear();
    for (const asked of all) asked.reject(tooMany());
  }
}

export async function newPassword(digestOf: DigestOf, password: string): Promise<StoredPassword> {
  const how = newSalt();
  return { ...how, digest: await digestOf(password, how) };
}

/** 190 random bits, at the present cost. */
export function newSalt(): Pick<StoredPassword, 'salt' | 'cost'> {
  return { salt: Buffer.from(randomBase62(32)), cost: bounds.signIn.scryptCost };
}
