// Lanes for statements that may take long: few of one org at once, and not all connections for all orgs together, so that
// an org that asks for much waits for itself and not the others for it.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

export interface Lane {
  run<T>(orgId: number, work: () => Promise<T>): Promise<T>;
}

/** How many run at once, of one org and of all together, and how many of one org may wait. */
interface LaneWidth {
  readonly ofOrg: number;
  readonly ofAll: number;
  readonly waiting: number;
}

/** For what reads many records of a large type. */
export const scanLane: LaneWidth = {
  ofOrg: 1,
  ofAll: bounds.engine.scansAtOnce,
  waiting: bounds.engine.scansWaiting,
};

/** For what reads all records of a small one, which is soon done as a rule. */
export const readLane: LaneWidth = {
  ofOrg: bounds.engine.readsOfOrg,
  ofAll: bounds.engine.readsAtOnce,
  waiting: bounds.store.poolWaiting,
};

interface Waiting {
  readonly orgId: number;
  start(): void;
}

export function openLane({ ofOrg, ofAll, waiting: waitingMax }: LaneWidth): Lane {
  const waiting: Waiting[] = [];
  const running: number[] = [];
  const runningOf = (orgId: number) => running.filter((each) => each === orgId).length;

  const next = (): void => {
    while (running.length < ofAll) {
      const index = waiting.findIndex(({ orgId }) => runningOf(orgId) < ofOrg);
      const [found] = index < 0 ? [] : waiting.splice(index, 1);
      if (found === undefined) return;
      running.push(found.orgId);
      found.start();
    }
  };

  const turn = (orgId: number): Promise<void> => {
    if (waiting.filter((each) => each.orgId === orgId).length >= waitingMax) {
      return Promise.reject(
        overloaded('Too many of the org\u2019s requests that read many records wait for their turn.'),
      );
    }
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        orgId,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(overloaded('Other requests of the org that read many records took too long.'));
      }, bounds.engine.scanWaitMs);
      waiting.push(entry);
      next();
    });
  };

  return {
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
