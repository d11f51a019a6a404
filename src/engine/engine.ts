// Everything that lives as long as the process serves: the database, the directory of orgs, the limiters.
import { type Clock, systemClock } from '../base/clock.ts';
import type { Database } from '../store/database.ts';
import { readEpoch } from '../store/epochs.ts';
import { type AnonymousLimiter, openAnonymousLimiter } from './anonymous-limits.ts';
import { type Cursors, openCursors } from './cursors.ts';
import { openDirectory } from './directory.ts';
import { type GroupWrites, openGroupWrites } from './group-writes.ts';
import { type LastUse, openLastUse } from './last-use.ts';
import { type OrgLimiter, openOrgLimiter } from './limits.ts';
import { openSessions, type Sessions } from './session.ts';

export interface Engine {
  readonly clock: Clock;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly writes: GroupWrites;
  readonly sessions: Sessions;
  readonly orgLimiter: OrgLimiter;
  readonly anonymousLimiter: AnonymousLimiter;
  readonly lastUse: LastUse;
  readonly gauge: Database['gauge'];
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The engine uses the database but does not own it: whoever opened it closes it. */
export function openEngine(database: Database, onFault: (error: unknown) => void, clock: Clock = systemClock): Engine {
  // What every request waits for must not wait behind somebody's long statement.
  const { urgent } = database;
  const lastUse = openLastUse(urgent, clock, onFault);
  return {
    clock,
    database,
    cursors: openCursors(urgent),
    writes: openGroupWrites(database),
    sessions: openSessions(openDirectory(urgent, clock), clock),
    orgLimiter: openOrgLimiter(urgent, clock),
    anonymousLimiter: openAnonymousLimiter(clock),
    lastUse,
    gauge: database.gauge,
    ping: async () => {
      await readEpoch(urgent);
    },
    close: () => lastUse.close(),
  };
}
