// Lanes for statements that may take long. Few of one org run at once, and all orgs together never use every
// connection, so that an org with many slow requests delays only itself.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';
import { isLargeType } from '../../store/query/pages.ts';

export interface Lane {
  run<T>(orgId: number, work: () => Promise<T>): Promise<T>;
}

/** How many run at once, of one org and of all together, and how many of one org may wait. */
interface LaneWidth {
  readonly ofOrg: number;
  readonly ofAll: number;
  readonly waiting: number;
}

/** For statements that read many records of a large type. */
export const scanLane: LaneWidth = {
  ofOrg: 1,
  ofAll: bounds.shares.scansAtOnce,
  waiting: bounds.shares.scansWaiting,
};

/** For statements that read all records of a small type, which usually end soon. */
export const readLane: LaneWidth = {
  ofOrg: bounds.shares.readsOfOrg,
  ofAll: bounds.shares.readsAtOnce,
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
      return Promise.reject(overloaded('Too many of the org\u2019s requests that read many records are waiting.'));
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
      }, bounds.shares.scanWaitMs);
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

/** Which types have so many records that reading all of them takes long. */
export interface TypeSizes {
  isLarge(orgId: number, typeId: number): boolean | Promise<boolean>;
}

/** Asks the database once a minute for each type that is queried; a type that has just grown still counts as small. */
export function openTypeSizes(database: Transaction, clock: Clock): TypeSizes {
  const known = new Map<string, { readonly large: boolean; readonly untilMs: number }>();
  const ask = async (key: string, orgId: number, typeId: number): Promise<boolean> => {
    const large = await isLargeType(database, orgId, typeId);
    if (known.size >= bounds.engine.cachedOrgs * 10) known.clear();
    known.set(key, { large, untilMs: clock.monotonicMs() + bounds.engine.typeSizeKnownMs });
    return large;
  };
  return {
    isLarge: (orgId, typeId) => {
      const key = `${orgId}/${typeId}`;
      const found = known.get(key);
      return found !== undefined && found.untilMs > clock.monotonicMs() ? found.large : ask(key, orgId, typeId);
    },
  };
}
