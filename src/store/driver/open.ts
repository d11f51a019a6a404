// Opens the database that the configuration names: the embedded PostgreSQL in a data folder, or a PostgreSQL server.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { sql } from '../../base/sql.ts';
import { areDistributed } from '../cluster/tables.ts';
import { ClusterWatch } from '../cluster/watch.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { openEmbedded } from '../embedded/embedded.ts';
import { endLivesElsewhere } from '../feed/lives.ts';
import { migrate, migrationStatus } from '../migrate.ts';
import { errorCode, isSessionEnded, isTimedOut, isUnreachable } from '../pg-error.ts';
import { parseAddress } from './address/server-address.ts';
import { unusable } from './address/unusable.ts';
import { Disk, explainFullDisk, isFolderFull } from './disk.ts';
import { openHosts } from './hosts.ts';
import { openListening } from './listening.ts';
import { openOwnConnection } from './own-connection.ts';
import { fullStatementMs, openPool } from './pool.ts';
import { Pulse } from './pulse.ts';
import { fixedReach, type Reach } from './reach.ts';

/** `connections` is how many this process may have; several processes share those of the embedded server. */
export type Place = { readonly connections?: number } & (
  | { readonly engine: 'embedded'; readonly dataDir: string }
  | { readonly engine: 'server'; readonly url: string }
);

/** PostgreSQL 15 is the oldest that our SQL is written for. */
const oldestVersion = 150_000;

/** Opens the database and brings its tables up to date. */
export async function openMigrated(place: Place): Promise<Database> {
  return openChecked(place, async (database) => {
    await migrate(database);
    await endLivesElsewhere(database);
  });
}

/** Opens the database for a command that is not the service. One that is empty or older is left alone. */
export async function openReady(place: Place): Promise<Database> {
  return openChecked(place, async (database) => {
    if ((await requireCurrent(database)) === 0) throw noData(database.facts.place);
    // Nothing is pending, but tables of a newer release are refused.
    await migrate(database);
  });
}

/** The same for a command with which a database may begin: an empty one gets its tables. */
export async function openOrBegin(place: Place): Promise<Database> {
  return openChecked(place, async (database) => {
    await requireCurrent(database);
    await migrate(database);
  });
}

/** Fails if the tables are older than this program; returns their migration, 0 if there are none. */
async function requireCurrent(database: Database): Promise<number> {
  const { current, pending } = await migrationStatus(database);
  if (current === 0 || pending.length === 0) return current;
  throw new Failure(
    'database_unsuitable',
    `The database is older than this program: ${pending.length} migrations are pending.`,
    'Run "orrery db migrate", or start the service, which does it.',
  );
}

/** One connection to a server, and no other of this process. */
export async function openAlone(url: string): Promise<OwnConnection> {
  const reach = await openHosts(parseAddress(url));
  try {
    return await openOwnConnection(reach);
  } catch (error) {
    throw unusable(reach.place, error);
  }
}

/** Opens the database as it is, for commands that only read it. */
export async function openUnmigrated(place: Place): Promise<Database> {
  return openChecked(place, async () => {});
}

/** Whether there is a database to read. Only an embedded one can be missing: opening it would create it. */
export async function databaseExists(place: Place): Promise<boolean> {
  if (place.engine === 'server') return true;
  try {
    await access(join(place.dataDir, 'postgres'));
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/** `place` is the data folder or the address of the database, as the user knows it. */
export function noData(place: string): Failure {
  return new Failure(
    'not_found',
    `There is no Orrery data in ${place}.`,
    'Check --data-dir or --database-url. To begin there, run "orrery serve" or "orrery org create".',
  );
}

async function openChecked(place: Place, prepare: (database: Database) => Promise<void>): Promise<Database> {
  const connections = place.connections ?? bounds.store.poolConnections;
  if (place.engine === 'server') return prepared(await openServer(place.url, connections), prepare);
  try {
    return await prepared(await openEmbeddedDatabase(place.dataDir, connections), prepare);
  } catch (error) {
    throw await explained(place, error);
  }
}

async function prepared(database: Database, prepare: (database: Database) => Promise<void>): Promise<Database> {
  const { engine } = database.facts;
  try {
    await persistently(engine, () => prepare(database));
    return database;
  } catch (error) {
    await database.close();
    throw database.facts.engine === 'server' ? unusable(database.facts.place, error) : error;
  }
}

/**
 * Repeats work that a passing state of the database ended. A restore that replaces the tables ends the sessions that wait
 * for them, and a process that is the last to leave an embedded server stops it, even if another has just found it.
 */
async function persistently<T>(engine: Place['engine'], work: () => Promise<T>): Promise<T> {
  const untilMs = systemClock.monotonicMs() + bounds.store.openingMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Problem ? error.cause : error;
      const isPassing = isSessionEnded(cause) || isTimedOut(error) || (engine === 'embedded' && isUnreachable(cause));
      if (!isPassing || systemClock.monotonicMs() > untilMs) throw error;
      await sleep(bounds.store.openingPauseMs);
    }
  }
}

/** A better explanation of an error of an open database than that it does not answer, if there is one. */
export async function explained(place: Place, error: unknown): Promise<unknown> {
  return place.engine === 'embedded' ? explainFullDisk(place.dataDir, error) : error;
}

async function openEmbeddedDatabase(dataDir: string, connections: number): Promise<Database> {
  const server = await openEmbedded(dataDir);
  // It is started again when it has ended.
  const reach = fixedReach(server.connection, server.dataDir, () => server.ensureRunning());
  const pools = openPools(reach, connections);
  const close = async () => {
    await pools.close();
    await server.close();
  };
  try {
    const version = await persistently('embedded', () => readVersion(pools.urgent));
    const { origin, dataDir: place } = server;
    const facts = { engine: 'embedded', version, place, origin, transport: 'local' } as const;
    return { ...pools, facts, isDiskFull: async () => (await pools.isDiskFull()) || isFolderFull(place), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openServer(url: string, connections: number): Promise<Database> {
  const reach = await openHosts(parseAddress(url));
  const { place } = reach;
  const pools = openPools(reach, connections);
  try {
    const version = await persistently('server', () => readVersion(pools.urgent));
    const facts = { engine: 'server', version, place, origin: 'connected', transport: reach.transport } as const;
    return { ...((await areDistributed(pools.urgent)) ? await onCluster(pools) : pools), facts };
  } catch (error) {
    await pools.close();
    throw unusable(place, error);
  }
}

/** What waits for a worker must not keep others from what the first server answers alone. */
async function onCluster(pools: Pools): Promise<Pools> {
  const { urgentConnections, workersAskedAtOnce, workerAnswerMs } = bounds.store;
  const central = pools.open(urgentConnections, fullStatementMs);
  const watching = pools.open(workersAskedAtOnce, workerAnswerMs);
  const watch = await ClusterWatch.open(watching);
  return {
    ...pools,
    connectionsBeside: pools.connectionsBeside + urgentConnections + workersAskedAtOnce,
    central,
    away: () => watch.away,
    isAway: (orgId) => watch.isAway(orgId),
    close: async () => {
      await watch.close();
      await Promise.all([central.close(), watching.close(), pools.close()]);
    },
  };
}

interface Pools extends Omit<Database, 'facts'> {
  /** Opens further connections, whose statements may take so long. */
  open(connections: number, statementMs: number): Pick<Transaction, 'query' | 'script'> & { close(): Promise<void> };
}

function openPools(reach: Reach, connections: number): Pools {
  const pulse = new Pulse(() => reach.ask());
  const disk = new Disk();
  const shared = { reach, pulse, disk };
  const pool = openPool({ ...shared, connections, statementMs: bounds.shares.briefStatementMs });
  const open = (count: number, statementMs: number) => openPool({ ...shared, connections: count, statementMs });
  const urgent = open(bounds.store.urgentConnections, fullStatementMs);
  return {
    ...pool,
    query: (statement) => pool.transaction((transaction) => transaction.query(statement)),
    script: (text) => pool.transaction((transaction) => transaction.script(text)),
    brief: pool,
    connections,
    // Those for urgent statements, and one to listen on.
    connectionsBeside: bounds.store.urgentConnections + 1,
    urgent,
    central: urgent,
    open,
    connect: () => openOwnConnection(reach, pulse),
    listen: (channel, on) => openListening(reach, pulse, channel, on),
    away: () => 'none',
    isAway: () => false,
    isDiskFull: async () => disk.isFull,
    close: async () => {
      await Promise.all([pool.close(), urgent.close(), pulse.close()]);
    },
  };
}

async function readVersion(pool: Transaction): Promise<string> {
  const [row] = await pool.query<{ number: string; version: string; encoding: string }>(sql`
    select current_setting('server_version_num') as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding`);
  const version = row?.version.split(' ')[0] ?? 'unknown';
  if (Number(row?.number ?? 0) < oldestVersion) {
    throw new Failure(
      'database_unsuitable',
      `The server is PostgreSQL ${version}; Orrery needs 15 or later.`,
      'Upgrade the server, or leave out the database address to use the embedded one.',
    );
  }
  if (row?.encoding !== 'UTF8') {
    throw new Failure(
      'database_unsuitable',
      `The database's encoding is ${row?.encoding ?? 'unknown'}; Orrery needs UTF8.`,
      "Create a database with: create database orrery encoding 'UTF8' template template0.",
    );
  }
  return version;
}
