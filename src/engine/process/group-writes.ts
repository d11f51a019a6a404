// Groups writes of one statement each while they wait for the database: under load many requests share a statement and a
// commit, and a single request waits for nobody. Each write stays atomic: if a unique value of one is taken, or about to
// be, every write of the group runs alone, so that only that one is refused or waits.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { isLockMissed } from '../../store/pg-error.ts';
import { runImpatiently, type WriteSet, writeStatements } from '../../store/records/write-records.ts';
import type { Connections, OrgDatabase } from '../shares/connections.ts';
import { isLostRace } from './lost-race.ts';

export interface GroupWrites {
  /** Resolves when the set is committed. It must be one that a single statement writes. */
  write(orgId: number, set: WriteSet, atMs: number): Promise<void>;
}

const tooBusy =
  'Too many creates of the org are waiting for the database; send fewer at once, or combine them in batches.';

interface Waiting {
  readonly set: WriteSet;
  readonly atMs: number;
  readonly bytes: number;
  readonly sinceMs: number;
  done(): void;
  failed(error: unknown): void;
}

interface Queue {
  readonly waiting: Waiting[];
  running: number;
}

export function openGroupWrites(connections: Connections, clock: Clock): GroupWrites {
  const queues = new Map<number, Queue>();

  const writeGroup = async (orgId: number, group: readonly Waiting[]): Promise<void> => {
    try {
      // A write that waits too long may not know of an index that was begun meanwhile (see `bounds.engine.indexGraceMs`).
      const beforeMs = clock.monotonicMs() - bounds.engine.groupWaitMs;
      if (group.some(({ sinceMs }) => sinceMs < beforeMs)) throw overloaded(tooBusy);
      await writeTogether(connections.of(orgId), orgId, group);
      for (const each of group) each.done();
    } catch (error) {
      // Not awaited: the next group can run meanwhile.
      if (group.length > 1 && (isLostRace(error) || isLockMissed(error))) {
        for (const each of group) void writeGroup(orgId, [each]);
      } else for (const each of group) each.failed(error);
    }
  };

  const run = async (orgId: number, queue: Queue): Promise<void> => {
    queue.running++;
    while (queue.waiting.length > 0) {
      giveUpLate(queue.waiting, clock.monotonicMs() - bounds.engine.groupWaitMs);
      const group = nextGroup(queue.waiting);
      if (group.length > 0) await writeGroup(orgId, group);
    }
    queue.running--;
    if (queue.running === 0) queues.delete(orgId);
  };

  return {
    write: (orgId, set, atMs) => {
      const queue = queues.get(orgId) ?? { waiting: [], running: 0 };
      queues.set(orgId, queue);
      if (queue.waiting.length >= bounds.shares.waitingOfOrg) return Promise.reject(overloaded(tooBusy));
      return new Promise<void>((resolve, reject) => {
        const bytes = set.written.inserted.reduce((sum, row) => sum + row.properties.length, 0);
        queue.waiting.push({ set, atMs, bytes, sinceMs: clock.monotonicMs(), done: resolve, failed: reject });
        // It cannot fail: errors go to the waiting writes.
        if (queue.running < bounds.engine.groupsAtOnce) void run(orgId, queue);
      });
    },
  };
}

/** Refuses the writes that have waited too long, before others are grouped with them. */
function giveUpLate(waiting: Waiting[], beforeMs: number): void {
  while ((waiting[0]?.sinceMs ?? Number.POSITIVE_INFINITY) < beforeMs) {
    waiting.shift()?.failed(overloaded(tooBusy));
  }
}

/** The first waiting writes, as many as one statement should carry. */
function nextGroup(waiting: Waiting[]): readonly Waiting[] {
  let bytes = 0;
  const past = waiting.findIndex((each, index) => {
    bytes += each.bytes;
    return index > 0 && (index >= bounds.engine.groupedWrites || bytes > bounds.engine.groupedBytes);
  });
  return waiting.splice(0, past < 0 ? waiting.length : past);
}

async function writeTogether(database: OrgDatabase, orgId: number, group: readonly Waiting[]): Promise<void> {
  const [statement, ...others] = writeStatements(orgId, merge(group), Math.max(...group.map((each) => each.atMs)));
  // Two statements would be two transactions, and an error between them would leave half a write.
  if (statement === undefined || others.length > 0) throw new TypeError('A write that should be one statement is not.');
  // A write that needs a lock of a long transaction must not delay all others.
  if (group.length > 1) await runImpatiently(database, statement);
  else await database.write(statement);
}

function merge(group: readonly Waiting[]): WriteSet {
  const [first] = group;
  if (first !== undefined && group.length === 1) return first.set;
  const all = <Part extends 'removed' | 'written'>(part: Part): WriteSet[Part] => {
    const names = Object.keys(first?.set[part] ?? {}) as (keyof WriteSet[Part])[];
    const rows = names.map((name) => [name, group.flatMap(({ set }) => set[part][name] as unknown[])] as const);
    return Object.fromEntries(rows) as unknown as WriteSet[Part];
  };
  return { removed: all('removed'), written: all('written') };
}
