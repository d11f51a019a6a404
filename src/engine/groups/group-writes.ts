// Groups writes of one statement each. Each write stays atomic: if a unique value of one is taken, or about to be, every
// write of the group runs alone, so that only that one is refused or waits.
import type { Clock } from '../../base/clock.ts';
import { overloaded } from '../../base/problem.ts';
import { isLockMissed } from '../../store/pg-error.ts';
import { mergeSets, runImpatiently, type WriteSet, writeStatements } from '../../store/records/write-records.ts';
import type { Connections, OrgDatabase } from '../shares/connections.ts';
import { Groups, type Member } from './groups.ts';
import { isLostRace } from './lost-race.ts';

export interface GroupWrites {
  /** Resolves when the set is committed. It must be one that a single statement writes. */
  write(orgId: number, set: WriteSet, atMs: number): Promise<void>;
}

const tooBusy =
  'Too many creates of the org are waiting for the database; send fewer at once, or combine them in batches.';

interface Write {
  readonly set: WriteSet;
  readonly atMs: number;
}

export function openGroupWrites(connections: Connections, clock: Clock): GroupWrites {
  const run = async (orgId: number, group: readonly Member<Write, void>[]): Promise<void> => {
    try {
      // A write that waits too long may not know of an index that was begun meanwhile (see `bounds.engine.indexGraceMs`).
      if (group.some((each) => groups.isLate(each))) throw overloaded(tooBusy);
      const writes = group.map(({ work }) => work);
      await writeTogether(connections.of(orgId), orgId, writes);
      for (const each of group) each.done();
    } catch (error) {
      // Not awaited: the next group can run meanwhile.
      if (group.length > 1 && (isLostRace(error) || isLockMissed(error))) {
        for (const each of group) void run(orgId, [each]);
      } else for (const each of group) each.failed(error);
    }
  };
  const groups = new Groups<Write, void>({ clock, tooBusy, run });
  return {
    write: (orgId, set, atMs) => {
      const { inserted } = set.written;
      const bytes = inserted.reduce((sum, row) => sum + row.properties.length, 0);
      return groups.add(orgId, 'create', { set, atMs }, { records: inserted.length, bytes });
    },
  };
}

async function writeTogether(database: OrgDatabase, orgId: number, writes: readonly Write[]): Promise<void> {
  const set = mergeSets(writes.map((write) => write.set));
  const [statement, ...others] = writeStatements(orgId, set, Math.max(...writes.map(({ atMs }) => atMs)));
  // All items of a batch may have been refused.
  if (statement === undefined) return;
  // Two statements would be two transactions, and an error between them would leave half a write.
  if (others.length > 0) throw new TypeError('A write that should be one statement is not.');
  // A write that needs a lock of a long transaction must not delay all others.
  if (writes.length > 1) await runImpatiently(database, statement);
  else await database.write(statement);
}
