// The lane for statements that read much. Those of one org run one after the other, and few at once of all orgs together,
// so that an org that asks for much waits for itself and not the others for it.
import { bounds } from '../base/limits.ts';
import { overloaded } from '../base/problem.ts';

export interface Scans {
  run<T>(orgId: number, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly orgId: number;
  start(): void;
}

export function openScans(): Scans {
  const waiting: Waiting[] = [];
  const running = new Set<number>();

  const next = (): void => {
    while (running.size < bounds.scansAtOnce) {
      const index = waiting.findIndex(({ orgId }) => !running.has(orgId));
      const [found] = index < 0 ? [] : waiting.splice(index, 1);
      if (found === undefined) return;
      running.add(found.orgId);
      found.start();
    }
  };

  const turn = (orgId: number): Promise<void> => {
    if (waiting.filter((each) => each.orgId === orgId).length >= bounds.scansWaiting) {
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
      }, bounds.scanWaitMs);
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
        running.delete(orgId);
        next();
      }
    },
  };
}
