// Lanes for statements that take long. Few of one org run at once, and all orgs together never use every connection, so
// that an org with many slow requests delays only itself. Equal statements that wait are run once: all of them were asked
// before it begins, so each sees what was committed before it was asked.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

type Rows = readonly object[];

export interface Read {
  /** Reads of the same name have the same result. */
  readonly name: string;
  readonly run: () => Promise<Rows>;
  readonly isAbandoned: () => boolean;
}

export interface Lane {
  /** How many requests wait. */
  readonly waiting: number;
  run(orgId: number, read: Read): Promise<Rows>;
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

export function openLane({ ofOrg, ofAll, waiting: waitingMax }: LaneWidth): Lane {
  /** Those that wait, by org; the org that was served last is the last. */
  const waiting = new Map<number, readonly Waiting[]>();
  const running: number[] = [];
  const runningOf = (orgId: number) => running.filter((each) => each === orgId).length;

  const keep = (orgId: number, line: readonly Waiting[]): void => {
    if (line.length > 0) waiting.set(orgId, line);
    else waiting.delete(orgId);
  };

  /** Starts those that may run now, org by org in turn. */
  const next = (): void => {
    while (running.length < ofAll) {
      const found = [...waiting].find(([orgId]) => runningOf(orgId) < ofOrg);
      const [orgId, [first, ...others]] = found ?? [0, []];
      if (first === undefined) return;
      waiting.delete(orgId);
      keep(orgId, others);
      running.push(orgId);
      first.start();
    }
  };

  const runTurn = async (orgId: number, reads: readonly Read[]): Promise<Rows> => {
    try {
      const wanted = reads.find(({ isAbandoned }) => !isAbandoned());
      if (wanted === undefined) throw overloaded('The client closed the connection while its request waited.');
      return await wanted.run();
    } finally {
      running.splice(running.indexOf(orgId), 1);
      next();
    }
  };

  const wait = (orgId: number, read: Read): Waiting => {
    const reads = [read];
    let start = () => {};
    const rows = new Promise<Rows>((resolve, reject) => {
      const timer = setTimeout(() => {
        const others = (waiting.get(orgId) ?? []).filter((each) => each.reads !== reads);
        keep(orgId, others);
        reject(overloaded('Other requests that take long kept this one waiting; send fewer at once.'));
      }, bounds.shares.scanWaitMs);
      start = () => {
        clearTimeout(timer);
        resolve(runTurn(orgId, reads));
      };
    });
    return { name: read.name, reads, rows, start };
  };

  return {
    get waiting() {
      return [...waiting.values()].flat().reduce((sum, { reads }) => sum + reads.length, 0);
    },
    run: (orgId, read) => {
      const line = waiting.get(orgId) ?? [];
      const equal = line.find(({ name }) => name === read.name);
      if (equal !== undefined) {
        equal.reads.push(read);
        return equal.rows;
      }
      if (line.length >= waitingMax) {
        return Promise.reject(
          overloaded('Too many requests of the org that take long are waiting; send fewer at once.'),
        );
      }
      const own = wait(orgId, read);
      waiting.set(orgId, [...line, own]);
      next();
      return own.rows;
    },
  };
}
