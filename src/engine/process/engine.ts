// Everything that lives as long as the process serves: the database, the directory of orgs, the rate limits.
import { type Clock, systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Database, PoolGauge } from '../../store/database.ts';
import { type DatabaseFigures, readFigures } from '../../store/org/figures.ts';
import { readRevision } from '../../store/org/revision.ts';
import { type GroupUpdates, openGroupUpdates } from '../groups/group-updates.ts';
import { type GroupWrites, openGroupWrites } from '../groups/group-writes.ts';
import { type AnonymousRateLimit, openAnonymousRateLimit } from '../shares/anonymous-rate-limit.ts';
import { type Bodies, openBodies } from '../shares/bodies.ts';
import { type Bytes, openBytes } from '../shares/bytes.ts';
import { type Connections, type Lanes, openConnections } from '../shares/connections.ts';
import { type Crowd, openCrowd } from '../shares/crowd.ts';
import { type FeedWaits, openFeedWaits } from '../shares/feed-waits.ts';
import { openKeyLookups } from '../shares/key-lookups.ts';
import { type OrgRateLimit, openOrgRateLimit } from '../shares/org-rate-limit.ts';
import { openRecordTurns, type RecordTurns } from '../shares/record-turns.ts';
import { openStorage, type Storage } from '../shares/storage.ts';
import { openThread, type Thread } from '../shares/thread.ts';
import { openWaitingRoom } from '../shares/waiting-room.ts';
import { openSessions, type Sessions } from './authenticate.ts';
import { type Cursors, openCursors } from './cursors.ts';
import { openDatabaseClock } from './database-clock.ts';
import { type Directory, openDirectory } from './directory.ts';
import { type FeedPositions, openFeedPositions } from './feed-position.ts';
import { type FeedWatch, openFeedWatch } from './feed-watch.ts';
import { openWordIndex, type WordIndex } from './indexed-words.ts';
import { type Indexes, type IndexOptions, openIndexes } from './indexes.ts';
import { openSignals, type Signal } from './signal.ts';
import { openTypeSizes, type TypeSizes } from './type-sizes.ts';

export interface Engine {
  /** The database's time. */
  readonly clock: Clock;
  /** The only way of a request to the database: each org has its share. */
  readonly connections: Connections;
  readonly turns: RecordTurns;
  readonly directory: Directory;
  readonly cursors: Cursors;
  readonly feed: FeedPositions;
  /** How long a change cursor is valid. */
  readonly feedCursorMs: number;
  readonly feedWaits: FeedWaits;
  readonly feedWatch: FeedWatch;
  readonly writes: GroupWrites;
  readonly updates: GroupUpdates;
  readonly sizes: TypeSizes;
  readonly indexes: Indexes;
  readonly signal: Signal;
  readonly sessions: Sessions;
  readonly orgRateLimit: OrgRateLimit;
  readonly anonymousRateLimit: AnonymousRateLimit;
  readonly bytes: Bytes;
  readonly bodies: Bodies;
  /** Turns on the thread: of many requests at once, and of long work. */
  readonly crowd: Crowd;
  readonly thread: Thread;
  readonly storage: Storage;
  readonly words: WordIndex;
  readonly gauge: () => Gauge;
  /** Asks the database, and rejects when it does not answer. */
  readonly figures: () => Promise<DatabaseFigures>;
  /** Reports an error that no request is refused for. */
  readonly onFault: (error: unknown) => void;
  /** Rejects when the database does not answer. */
  ping(): Promise<Readiness>;
  close(): Promise<void>;
}

/** In `read_only`, the database answers, but its disk is full. In `partly_ready`, the rows of some orgs are out of reach. */
export type Readiness = 'ready' | 'read_only' | 'partly_ready';

/** The database does not answer, and its disk is full. */
export class DiskFull extends Error {
  constructor(cause: unknown) {
    super('The disk of the database is full. Free some space on it.', { cause });
  }
}

/** The first server of a cluster answers, and none of those that have the rows. */
class AllAway extends Error {
  constructor() {
    super('No worker of the cluster can be reached.');
  }
}

/** The current load: `waiting` for a connection, `inLane` for the lane of long statements, `forRecords` for a record. */
interface Gauge extends PoolGauge {
  readonly inLane: number;
  readonly forRecords: number;
  readonly lanes: Lanes;
}

interface EngineOptions extends Pick<IndexOptions, 'graceMs' | 'onIndexStep'> {
  /** How long the change feed is kept, and so a cursor of it. By default a cursor lasts as long as its changes. */
  readonly changesSeconds?: number;
}

/** The engine uses the database but does not own it: the opener of the database closes it. */
export function openEngine(
  database: Database,
  onFault: (error: unknown) => void,
  options: EngineOptions = {},
  clock: Clock = openDatabaseClock(systemClock),
): Engine {
  // Statements that every request waits for must not queue behind a long statement.
  const { urgent, central } = database;
  const cursors = openCursors(central);
  const feed = openFeedPositions(central, clock);
  const storage = openStorage(urgent, clock, onFault);
  const isAway = (orgId: number) => database.isAway(orgId);
  const forgetMore = forgetAll(cursors, feed, storage);
  const directory = openDirectory(urgent, clock, { central, isAway, forgetMore });
  const [room, bytes, crowd] = [openWaitingRoom(), openBytes(), openCrowd(clock)];
  const connections = openConnections(database, clock, room, bytes);
  const turns = openRecordTurns(clock, room);
  const words = openWordIndex(connections.service, clock, onFault);
  const { changesSeconds = Number.POSITIVE_INFINITY, ...building } = options;
  const indexes = openIndexes(connections, directory, { clock, onFault, ...building });
  indexes.attend();
  const signals = openSignals(database, onFault);
  const anonymousRateLimit = openAnonymousRateLimit(clock);
  const feedWaits = openFeedWaits();
  const feedWatch = openFeedWatch({ connections, positions: feed, signals, waits: feedWaits, clock });
  return {
    clock,
    connections,
    turns,
    directory,
    cursors,
    feed,
    feedCursorMs: changesSeconds * 1_000,
    feedWaits,
    feedWatch,
    writes: openGroupWrites(connections, clock),
    updates: openGroupUpdates(connections, clock),
    sizes: openTypeSizes(connections, clock),
    indexes,
    signal: signals,
    sessions: openSessions(directory, openKeyLookups(connections.service, anonymousRateLimit, isAway), clock),
    orgRateLimit: openOrgRateLimit(central, clock),
    anonymousRateLimit,
    bytes,
    bodies: openBodies(bytes),
    crowd,
    thread: openThread(clock, crowd),
    storage,
    words,
    gauge: () => measure(database, connections, turns),
    figures: () => readFigures(urgent, bounds.engine.jobsLookedThrough),
    onFault,
    ping: () => ping(database),
    close: async () => {
      feedWatch.release();
      for (const part of [signals, indexes, storage, words]) await part.close();
    },
  };
}

function forgetAll(...caches: readonly { forget(): void }[]): () => void {
  return () => {
    for (const cache of caches) cache.forget();
  };
}

async function ping(database: Database): Promise<Readiness> {
  try {
    await readRevision(database.central);
  } catch (error) {
    throw (await database.isDiskFull()) ? new DiskFull(error) : error;
  }
  const away = database.away();
  if (away === 'all') throw new AllAway();
  if (await database.isDiskFull()) return 'read_only';
  return away === 'none' ? 'ready' : 'partly_ready';
}

function measure(database: Database, connections: Connections, turns: RecordTurns): Gauge {
  const pool = database.gauge();
  const { waiting, inLane, lanes } = connections.gauge();
  return { ...pool, waiting: pool.waiting + waiting, inLane, forRecords: turns.waiting, lanes };
}
