// The pool of connections behind both drivers: every statement is named, every wait is bounded, and every failure of
// the connection becomes a Problem. `revive` restarts the embedded PostgreSQL when it does not answer; a server has
// none.
import pg from 'pg';
import { sleep, within } from '../../base/clock.ts';
import { randomInteger } from '../../base/id.ts';
import { bounds, limits } from '../../base/limits.ts';
import { overloaded, type Problem } from '../../base/problem.ts';
import type { Sql } from '../../base/sql.ts';
import type { PoolGauge, Transaction } from '../database.ts';
import { isPoolBusy, isRolledBack, isUnreachable, toProblem, unavailable } from '../pg-error.ts';
import { RowClient } from './row-client.ts';
import { runPlain, runStatement } from './statement.ts';
import type { PlainStatement } from './wire-query.ts';

interface Pool extends Transaction {
  transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
  dryRun<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
  gauge(): PoolGauge;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly connection: pg.ClientConfig;
  readonly connections: number;
  /** How long a statement outside a transaction may take. */
  readonly statementMs: number;
  readonly revive?: () => Promise<void>;
}

/** How long a statement of a transaction may take. */
export const fullStatementMs = limits.statementSeconds * 1_000;

const sessionSettings = [
  'idle_in_transaction_session_timeout=30000',
  // Our statements rely on seeing the newest version of a row once they hold its lock.
  'default_transaction_isolation=read\\ committed',
  'timezone=UTC',
  // Statements are prepared once and walk an index for all values: planning them again costs more than it gains.
  'plan_cache_mode=force_generic_plan',
  // One core for each statement: an org that adds up a million records must leave cores to the others.
  'max_parallel_workers_per_gather=0',
  // Compiling a statement would take longer than running it.
  'jit=off',
  'work_mem=16MB',
];

/**
 * One statement must not fill the disk. Only superusers and roles with a grant may set it (`doctor` names the grant); a
 * limit that the server has already stays as it is.
 */
const limitedTemporaryFiles = {
  // An option that the pool accepts, although its types do not list it.
  onConnect: (client: pg.PoolClient) =>
    client.query(
      `select set_config('temp_file_limit', $1, false)
        where current_setting('temp_file_limit') = '-1' and has_parameter_privilege('temp_file_limit', 'SET')`,
      [`${bounds.shares.temporaryBytes / 1_024}kB`],
    ),
};

export function openPool({ connection, connections, statementMs, revive }: PoolOptions): Pool {
  const begin = beginOf(statementMs);
  const pool = new pg.Pool({
    ...connection,
    ...limitedTemporaryFiles,
    Client: RowClient,
    application_name: 'orrery',
    options: [connection.options, ...settingsOf(statementMs)].filter(Boolean).join(' '),
    max: connections,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
    idleTimeoutMillis: bounds.store.poolIdleMs,
    // One connection always stays: the last process to disconnect from an embedded server stops it.
    min: 1,
    keepAlive: true,
  });
  // Without a listener a broken connection, idle or in use, would end the process. The pool drops it, and a statement
  // that runs on it fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  const connect = async (): Promise<pg.PoolClient> => {
    if (pool.waitingCount >= bounds.store.poolWaiting) throw poolBusy();
    try {
      return await pool.connect();
    } catch (error) {
      if (isPoolBusy(error)) throw poolBusy();
      // A connection that cannot be made, even for a changed password, is not the fault of a statement.
      if (revive === undefined || !isUnreachable(error)) throw unavailable(error);
      await revive().catch((failure: unknown) => {
        throw unavailable(failure);
      });
      return await pool.connect();
    }
  };

  const using = async <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    let client: pg.PoolClient | undefined;
    try {
      client = await connect();
      const result = await run(client);
      client.release();
      return result;
    } catch (error) {
      // A connection in an unknown state is not handed out again.
      client?.release(isUnreachable(error) || broken.has(client));
      throw isRolledBack(error) ? error : toProblem(error);
    }
  };

  return {
    query: <Row extends object>(statement: Sql) =>
      repeatedly(() => using((client) => runStatement<Row>(client, statement))),
    script: (text) => using((client) => runScript(client, text)),
    transaction: (work) => repeatedly(() => using((client) => inTransaction(client, work, [begin, commit]))),
    dryRun: (work) => repeatedly(() => using((client) => inTransaction(client, work, [begin, rollback]))),
    gauge: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    // A connection that hangs is left to the end of the process.
    close: () => within(bounds.store.poolCloseMs, pool.end()),
  };
}

function poolBusy(): Problem {
  return overloaded('Too many requests are waiting for the database; send fewer at once.');
}

function settingsOf(statementMs: number): readonly string[] {
  return [`statement_timeout=${statementMs}`, ...sessionSettings].map((setting) => `-c ${setting}`);
}

/** A transaction begins together with its first statement. Its statements may take their full time. */
function beginOf(statementMs: number): readonly PlainStatement[] {
  const begin = { name: 'orrery_begin', text: 'begin' };
  const setTime = { name: 'orrery_full_time', text: `set local statement_timeout = ${fullStatementMs}` };
  return statementMs === fullStatementMs ? [begin] : [begin, setTime];
}

const commit = { name: 'orrery_commit', text: 'commit' };
const rollback = { name: 'orrery_rollback', text: 'rollback' };

const broken = new WeakSet<pg.PoolClient>();

async function inTransaction<T>(
  client: pg.PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  [begin, end]: readonly [begin: readonly PlainStatement[], end: PlainStatement],
): Promise<T> {
  let isBegun = false;
  const before = (): readonly PlainStatement[] => {
    if (isBegun) return [];
    isBegun = true;
    return begin;
  };
  try {
    const result = await work({
      query: <Row extends object>(statement: Sql) => runStatement<Row>(client, statement, before()),
      script: (text) => runScript(client, [...before().map((earlier) => earlier.text), text].join(';\n')),
    });
    if (isBegun) await runPlain(client, end);
    return result;
  } catch (error) {
    // A connection that cannot even roll back is not used again; the first error is the one reported.
    if (isBegun && !isUnreachable(error)) await runPlain(client, rollback).catch(() => broken.add(client));
    throw error;
  }
}

/** A transaction that lost a race is run again after a moment: nothing of it was written. */
async function repeatedly<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isRolledBack(error) || attempt >= bounds.store.transactionAttempts) throw toProblem(error);
      // Transactions that lost at the same time do not come back at the same time.
      await sleep(bounds.store.repeatWaitMs * 2 ** (attempt - 1) * (1 + Number(randomInteger(10)) / 1_024));
    }
  }
}

async function runScript(client: pg.PoolClient, text: string): Promise<void> {
  await client.query(text);
}
