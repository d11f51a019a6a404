// Lanes for statements that take long. Few of one org run at once, and all orgs together never use every connection, so
// that an org with many slow requests delays only itself. Equal statements that wait are run once: all of them were asked
// before it begins, so each sees what was committed before it was asked.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { abandoned } from './late.ts';

type Rows = readonly object[];

export interface Read {
  /** Reads of the same name have the same result. */
  readonly name: string;
  /** `isAbandoned` says whether all who asked for it have left. */
  readonly run: (isAbandoned: () => boolean) => Promise<Rows>;
  readonly isAbandoned: () => boolean;
}

/** How many run at once, of one org and of all together, and how many of one org may wait. */
interface LaneWidth {
  readonly ofOrg: number;
  readonly ofAll: number;
  readonly waiting: number;
}

/** For statements that read many records of a large type, and for others that have turned out to take long. */
export const scanLane: LaneWidth = {
  ofOrg: 1,
  ofAll: bounds.shares.scansAtOnce,
  waiting: bounds.shares.scansWaiting,
};

/** A read that waits, for all who asked for it. */
interface Waiting extends Pick<Read, 'name'> {
  readonly reads: Read[];
  readonly rows: Promise<Rows>;
  start(): void;
}

export class Lane {
  readonly #width: LaneWidth;
  /** Those that wait, by org; the org that was served last is the last. */
  readonly #lines = new Map<number, readonly Waiting[]>();
  readonly #running: number[] = [];

  constructor(width: LaneWidth) {
    this.#width = width;
  }

  /** How many requests wait. */
  get waiting(): number {
    return countOf([...this.#lines.values()].flat());
  }

  run(orgId: number, read: Read): Promise<Rows> {
    const line = this.#lines.get(orgId) ?? [];
    const equal = line.find(({ name }) => name === read.name);
    const isFull = equal === undefined && line.length >= this.#width.waiting;
    if (isFull || countOf(line) >= bounds.shares.waitingOfOrg) {
      const detail = 'Too many requests of the org that take long are waiting; send fewer at once.';
      return Promise.reject(overloaded(detail));
    }
    if (equal !== undefined) {
      equal.reads.push(read);
      return equal.rows;
    }
    const own = this.#wait(orgId, read);
    this.#lines.set(orgId, [...line, own]);
    this.#next();
    return own.rows;
  }

  #wait(orgId: number, read: Read): Waiting {
    const reads = [read];
    let start = () => {};
    const rows = new Promise<Rows>((resolve, reject) => {
      const timer = setTimeout(() => {
        const others = (this.#lines.get(orgId) ?? []).filter((each) => each.reads !== reads);
        this.#keep(orgId, others);
        reject(overloaded('Other requests that take long kept this one waiting; send fewer at once.'));
      }, bounds.shares.scanWaitMs);
      start = () => {
        clearTimeout(timer);
        resolve(this.#take(orgId, reads));
      };
    });
    return { name: read.name, reads, rows, start };
  }

  async #take(orgId: number, reads: readonly Read[]): Promise<Rows> {
    try {
      const wanted = reads.find(({ isAbandoned }) => !isAbandoned());
      if (wanted === undefined) throw abandoned();
      return await wanted.run(() => reads.every(({ isAbandoned }) => isAbandoned()));
    } finally {
      this.#running.splice(this.#running.indexOf(orgId), 1);
      this.#next();
    }
  }

  /** Starts those that may run now, org by org in turn. */
  #next(): void {
    while (this.#running.length < this.#width.ofAll) {
      const found = [...this.#lines].find(([orgId]) => this.#runningOf(orgId) < this.#width.ofOrg);
      const [orgId, [first, ...others]] = found ?? [0, []];
      if (first === undefined) return;
      this.#lines.delete(orgId);
      this.#keep(orgId, others);
      this.#running.push(orgId);
      first.start();
    }
  }

  #runningOf(orgId: number): number {
    return this.#running.filter((each) => each === orgId).length;
  }

  #keep(orgId: number, line: readonly Waiting[]): void {
    if (line.length > 0) this.#lines.set(orgId, line);
    else this.#lines.delete(orgId);
  }
}

/** How many requests wait for these reads. */
function countOf(line: readonly Waiting[]): number {
  return line.reduce((sum, { reads }) => sum + reads.length, 0);
}
