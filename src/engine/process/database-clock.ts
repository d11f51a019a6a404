// The clock that all processes of a database share: the database's own. Its time is read together with the revision, and the
// monotonic clock of the process carries it on. So records are dated, ids are made and keys expire by one clock,
// whatever the clocks of the processes show.
import { type Clock, systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Transaction } from '../../store/database.ts';
import { readRevision } from '../../store/org/revision.ts';

export interface DatabaseClock extends Clock {
  /**
   * Takes in the time of the database, which was asked for at this monotonic time and has just arrived. Returns whether its
   * clock was set back since the last reading.
   */
  read(databaseMs: number, askedAtMs: number): boolean;
}

/**
 * The database read its clock at some moment between question and answer, so its time is known as a range. Each reading
 * narrows the range, and it widens with the drift of the clocks. The time of the process is used if it is within the range,
 * otherwise the nearer end. Before the first reading it is the process's time.
 */
export function openDatabaseClock(clock: Clock): DatabaseClock {
  // Both ends as distances from the monotonic clock.
  let earliestMs = Number.NEGATIVE_INFINITY;
  let latestMs = Number.POSITIVE_INFINITY;
  let readAtMs = 0;
  return {
    monotonicMs: () => clock.monotonicMs(),
    nowMs: () => {
      const sinceMs = clock.monotonicMs();
      const notBehindMs = Math.floor(Math.max(clock.nowMs(), earliestMs + sinceMs));
      return Math.min(notBehindMs, Math.ceil(latestMs + sinceMs));
    },
    read: (databaseMs, askedAtMs) => {
      const arrivedAtMs = clock.monotonicMs();
      const driftMs = (arrivedAtMs - readAtMs) * bounds.engine.clockDrift;
      const [leastMs, mostMs] = [databaseMs - arrivedAtMs, databaseMs - askedAtMs];
      const [formerLeastMs, formerMostMs] = [earliestMs - driftMs, latestMs + driftMs];
      // Ranges that do not meet are those of a clock that was set.
      const wasSet = mostMs < formerLeastMs || leastMs > formerMostMs;
      earliestMs = wasSet ? leastMs : Math.max(leastMs, formerLeastMs);
      latestMs = wasSet ? mostMs : Math.min(mostMs, formerMostMs);
      readAtMs = arrivedAtMs;
      return mostMs < formerLeastMs;
    },
  };
}

/** The clock of the database, for a command: it has been read once. */
export async function readDatabaseClock(database: Transaction): Promise<DatabaseClock> {
  const clock = openDatabaseClock(systemClock);
  const askedAtMs = clock.monotonicMs();
  clock.read((await readRevision(database)).atMs, askedAtMs);
  return clock;
}
