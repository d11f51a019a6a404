// Everything that lives as long as the process serves: the database, the directory of orgs, the rate limits.
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Database } from '../../store/database.ts';
import { readRevision } from '../../store/org/revision.ts';
import { type AnonymousRateLimit, openAnonymousRateLimit } from '../shares/anonymous-rate-limit.ts';
import { type Bodies, openBodies } from '../shares/bodies.ts';
import { type Bytes, openBytes } from '../shares/bytes.ts';
import { type FeedWaits, openFeedWaits } from '../shares/feed-waits.ts';
import { type Lane, openLane, openTypeSizes, readLane, scanLane, type TypeSizes } from '../shares/lanes.ts';
import { type OrgRateLimit, openOrgRateLimit } from '../shares/org-rate-limit.ts';
import { openSessions, type Sessions } from './authenticate.ts';
import { type Cursors, openCursors } from './cursors.ts';
import { type Directory, openDirectory } from './directory.ts';
import { type FeedPositions, openFeedPositions } from './feed-position.ts';
import { type FeedWatch, openFeedWatch } from './feed-watch.ts';
import { type GroupWrites, openGroupWrites } from './group-writes.ts';
import { type Indexes, type IndexOptions, openIndexes } from './indexes.ts';
import { type LastUse, openLastUse } from './last-use.ts';
import { openSignals, type Signal } from './signal.ts';

export interface Engine {
  readonly clock: Clock;
  readonly database: Database;
  readonly directory: Directory;
  readonly cursors: Cursors;
  readonly feed: FeedPositions;
  readonly feedWaits: FeedWaits;
  readonly feedWatch: FeedWatch;
  readonly writes: GroupWrites;
  readonly sizes: TypeSizes;
  /** For statements that may take long (see `lanes`). */
  readonly scans: Lane;
  readonly reads: Lane;
  readonly indexes: Indexes;
  readonly signal: Signal;
  readonly sessions: Sessions;
  readonly orgRateLimit: OrgRateLimit;
  readonly anonymousRateLimit: AnonymousRateLimit;
  readonly bytes: Bytes;
  readonly bodies: Bodies;
  readonly lastUse: LastUse;
  readonly gauge: Database['gauge'];
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The engine uses the database but does not own it: the opener of the database closes it. */
export function openEngine(
  database: Database,
  onFault: (error: unknown) => void,
  clock: Clock = systemClock,
  options: Pick<IndexOptions, 'graceMs'> = {},
): Engine {
  // Statements that every request waits for must not queue behind a long statement.
  const { urgent } = database;
  const lastUse = openLastUse(urgent, clock, onFault);
  const cursors = openCursors(urgent);
  const feed = openFeedPositions(urgent, clock);
  const directory = openDirectory(urgent, clock, () => {
    cursors.forget();
    feed.forget();
  });
  const indexes = openIndexes(database, directory, { clock, onFault, ...options });
  // Continues indexes whose building was interrupted.
  indexes.attend();
  const signals = openSignals(database, onFault);
  const bytes = openBytes();
  const feedWaits = openFeedWaits();
  const feedWatch = openFeedWatch({ database, positions: feed, signals, waits: feedWaits });
  return {
    clock,
    database,
    directory,
    cursors,
    feed,
    feedWaits,
    feedWatch,
    writes: openGroupWrites(database, clock),
    sizes: openTypeSizes(database, clock),
    scans: openLane(scanLane),
    reads: openLane(readLane),
    indexes,
    signal: signals,
    sessions: openSessions(directory, clock),
    orgRateLimit: openOrgRateLimit(urgent, clock),
    anonymousRateLimit: openAnonymousRateLimit(clock),
    bytes,
    bodies: openBodies(bytes),
    lastUse,
    gauge: database.gauge,
    ping: async () => {
      await readRevision(urgent);
    },
    close: async () => {
      feedWatch.release();
      await signals.close();
      await indexes.close();
      await lastUse.close();
    },
  };
}
