// Writers of one record wait here, in the process, and not in the database, where each would hold a connection. Writers
// in other processes still meet at the lock of the record: nothing relies on these turns.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface RecordTurns {
  /** Runs the work when no other work of the org has one of these names: the ids of records, or other unique texts. */
  run<T>(orgId: number, names: readonly string[], work: () => Promise<T>): Promise<T>;
  isTaken(orgId: number, name: string): boolean;
  /** How many requests wait for a turn. */
  readonly waiting: number;
}

type Start = () => void;

export function openRecordTurns(clock: Clock, room: WaitingRoom): RecordTurns {
  /** Those who wait for a name that is taken; undefined if nobody does. */
  const taken = new Map<string, Start[] | undefined>();
  let waiting = 0;

  /** Resolves when the name is passed on to the caller. */
  const wait = (orgId: number, key: string, untilMs: number): Promise<void> => {
    room.enter(orgId);
    waiting++;
    const line = taken.get(key) ?? [];
    taken.set(key, line);
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(start), 1);
        reject(overloaded('Other requests of the org kept writing the same record; send fewer of them at once.'));
      }, untilMs - clock.monotonicMs());
      line.push(start);
    }).finally(() => {
      waiting--;
      room.leave(orgId);
    });
  };

  const pass = (key: string): void => {
    const next = taken.get(key)?.shift();
    if (next === undefined) taken.delete(key);
    else next();
  };

  return {
    run: async (orgId, names, work) => {
      const keys = keysOf(orgId, names);
      let untilMs: number | undefined;
      let count = 0;
      try {
        for (const key of keys) {
          if (taken.has(key)) {
            untilMs ??= clock.monotonicMs() + bounds.shares.waitMs;
            await wait(orgId, key, untilMs);
          } else taken.set(key, undefined);
          count++;
        }
        return await work();
      } finally {
        for (const key of keys.slice(0, count)) pass(key);
      }
    },
    isTaken: (orgId, name) => taken.has(keyOf(orgId, name)),
    get waiting() {
      return waiting;
    },
  };
}

/** All take their names in the same order, so that no two wait for each other. */
function keysOf(orgId: number, names: readonly string[]): readonly string[] {
  const [first, second] = names;
  if (first === undefined) return [];
  if (second === undefined) return [keyOf(orgId, first)];
  return [...new Set(names)].map((name) => keyOf(orgId, name)).toSorted();
}

function keyOf(orgId: number, name: string): string {
  return `${orgId}/${name}`;
}
