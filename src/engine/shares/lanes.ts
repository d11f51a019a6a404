// Lanes for statements that take long. Few of one org run at once, and all orgs together never use every connection, so
// that an org with many slow requests delays only itself.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

export interface Lane {
  /** How many wait. */
  readonly waiting: number;
  run<T>(orgId: number, work: () => Promise<T>): Promise<T>;
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

type Start = () => void;

export function openLane({ ofOrg, ofAll, waiting: waitingMax }: LaneWidth): Lane {
  /** Those that wait, by org; the org that was served last is the last. */
  const waiting = new Map<number, readonly Start[]>();
  const running: number[] = [];
  const runningOf = (orgId: number) => running.filter((each) => each === orgId).length;

  const leave = (orgId: number, start: Start): void => {
    const others = (waiting.get(orgId) ?? []).filter((each) => each !== start);
    if (others.length > 0) waiting.set(orgId, others);
    else waiting.delete(orgId);
  };

  /** Starts those that may run now, org by org in turn. */
  const next = (): void => {
    while (running.length < ofAll) {
      const found = [...waiting].find(([orgId]) => runningOf(orgId) < ofOrg);
      const [orgId, [start, ...others]] = found ?? [0, []];
      if (start === undefined) return;
      waiting.delete(orgId);
      if (others.length > 0) waiting.set(orgId, others);
      running.push(orgId);
      start();
    }
  };

  const turn = (orgId: number): Promise<void> => {
    if ((waiting.get(orgId)?.length ?? 0) >= waitingMax) {
      return Promise.reject(overloaded('Too many requests of the org that take long are waiting; send fewer at once.'));
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        leave(orgId, start);
        reject(overloaded('Other requests that take long kept this one waiting; send fewer at once.'));
      }, bounds.shares.scanWaitMs);
      waiting.set(orgId, [...(waiting.get(orgId) ?? []), start]);
      next();
    });
  };

  return {
    get waiting() {
      return [...waiting.values()].reduce((sum, line) => sum + line.length, 0);
    },
    run: async (orgId, work) => {
      await turn(orgId);
      try {
        return await work();
      } finally {
        running.splice(running.indexOf(orgId), 1);
        next();
      }
    },
  };
}
