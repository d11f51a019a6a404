// Distributes the tables over the servers of a Citus cluster, by org. It is one transaction, on a service that is stopped: a process
// that goes on with statements for one server would commit them in two phases, and its feed would lose entries.
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection, Reads } from '../database.ts';
import { tryLock } from '../locks.ts';
import { isReachable, listNodes } from './nodes.ts';
import { countShards, distributeTables, listOrgTables, removeLeftOvers } from './tables.ts';

interface Distributed {
  /** The tables that were distributed just now. */
  readonly tables: readonly string[];
  /** How many had been before. */
  readonly before: number;
  readonly workers: readonly string[];
  readonly shards: number;
}

/** `shards` counts only if nothing is distributed yet. The connection is the only one of this process. */
export async function distribute(connection: OwnConnection, shards: number): Promise<Distributed> {
  await requireCitus(connection);
  const workers = await requireWorkers(connection);
  await connection.script('begin');
  // Sessions that begin wait for this transaction: see `session`.
  if (!(await tryLock(connection, { use: 'distribution' }))) throw anotherRuns();
  const tables = await listOrgTables(connection);
  const missing = tables.filter(({ isDistributed }) => !isDistributed).map(({ name }) => name);
  if (missing.length > 0) {
    await requireStopped(connection);
    const isFirst = missing.length === tables.length;
    await distributeTables(connection, missing, isFirst ? shards : undefined);
    // Somebody may have connected before the lock was there.
    await requireStopped(connection);
  }
  await removeLeftOvers(connection);
  await connection.script('commit');
  return { tables: missing, before: tables.length - missing.length, workers, shards: await countShards(connection) };
}

async function requireCitus(connection: Reads): Promise<void> {
  const [citus] = await connection.query<{ version: string | null; available: boolean }>(sql`
    select (select extversion from pg_extension where extname = 'citus') as version,
      exists (select from pg_available_extensions where name = 'citus') as available`);
  if (citus?.version == null) {
    throw unsuitable(
      citus?.available === true ? 'The database does not have the extension citus.' : 'The server does not have Citus.',
      'See the guide, "Operate", "A cluster": install Citus, name it in shared_preload_libraries, and run "create extension citus" in the database.',
    );
  }
  if (Number.parseInt(citus.version, 10) < 12) {
    throw unsuitable(`The extension citus is ${citus.version}; Orrery needs 12 or later.`, 'Upgrade Citus.');
  }
}

async function requireWorkers(connection: Reads): Promise<readonly string[]> {
  const nodes = await listNodes(connection);
  const away: string[] = [];
  for (const { address } of nodes) if (!(await isReachable(connection, address))) away.push(address);
  if (away.length > 0) {
    throw unsuitable(
      `The first server of the cluster cannot reach ${away.join(' and ')}.`,
      'Start these servers, or remove them with citus_remove_node, then try again.',
    );
  }
  const workers = nodes.filter(({ takesRows }) => takesRows).map(({ address }) => address);
  if (workers.length > 0) return workers;
  throw unsuitable('The cluster has no worker that takes rows.', `Add one with: select citus_add_node('HOST', 5432).`);
}

/** There must be no other session of Orrery in this database. Those that are just ending are given a moment. */
async function requireStopped(connection: Reads): Promise<void> {
  const untilMs = systemClock.monotonicMs() + bounds.store.stoppedMs;
  for (;;) {
    const others = await countOthers(connection);
    if (others === 0) return;
    if (systemClock.monotonicMs() > untilMs) throw stillRunning(others);
    await sleep(bounds.store.openingPauseMs);
  }
}

/** Sessions that wait for the lock do not count: they will know that the tables are distributed. */
async function countOthers(connection: Reads): Promise<number> {
  await connection.query(sql`select pg_stat_clear_snapshot()`);
  const [others] = await connection.query<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity as a
    where a.datname = current_database() and a.application_name = 'orrery' and a.pid <> pg_backend_pid()
      and not exists (select from pg_locks as l where l.pid = a.pid and l.locktype = 'advisory' and not l.granted)`);
  return others?.count ?? 0;
}

function stillRunning(others: number): Failure {
  return unsuitable(
    `Orrery has ${others === 1 ? 'another connection' : `${others} other connections`} to this database.`,
    'Stop the service and every other command on it, then try again.',
  );
}

function anotherRuns(): Failure {
  return new Failure(
    'database_unreachable',
    'Another process distributes the tables, or is just connecting.',
    'Wait until it has ended, then try again.',
  );
}

function unsuitable(sentence: string, fix: string): Failure {
  return new Failure('database_unsuitable', sentence, fix);
}
