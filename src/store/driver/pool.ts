// The pool of connections behind both drivers: every statement is named, every wait is bounded, and every failure of
// the connection becomes a Problem.
import { sleep } from '../../base/clock.ts';
import { randomInteger } from '../../base/id.ts';
import { bounds, limits } from '../../base/limits.ts';
import type { Sql } from '../../base/sql.ts';
import type { BriefDatabase, OpenTransaction, PoolGauge } from '../database.ts';
import { isReadOnly, isRolledBack, isUnreachable, toProblem } from '../pg-error.ts';
import { type CheckoutOptions, openCheckout } from './checkout.ts';
import type { Disk } from './disk.ts';
import type { PooledConnection } from './pooled-connection.ts';
import type { SessionSettings } from './session.ts';
import { runLast, runPlain, runStatement, runTogether } from './statement.ts';
import type { PlainStatement } from './wire-trip.ts';

interface Pool extends BriefDatabase {
  transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
  dryRun<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
  gauge(): PoolGauge;
  close(): Promise<void>;
}

interface PoolOptions extends Omit<CheckoutOptions, 'settings'> {
  /** How long a statement outside a transaction may take. */
  readonly statementMs: number;
  readonly disk: Disk;
}

/** How long a statement of a transaction may take. */
export const fullStatementMs = limits.statementSeconds * 1_000;

export function openPool({ disk, ...options }: PoolOptions): Pool {
  const { statementMs } = options;
  const begin = beginOf(statementMs);
  const checkout = openCheckout({ ...options, settings: settingsOf(statementMs) });
  const using = async <T>(run: (pooled: PooledConnection) => Promise<T>): Promise<T> => {
    let pooled: PooledConnection | undefined;
    try {
      pooled = await checkout.take();
      const result = await run(pooled);
      pooled.client.release();
      return result;
    } catch (error) {
      disk.note(error);
      // A connection in an unknown state is not handed out again.
      if (pooled !== undefined && options.reach.takesWrites && isReadOnly(error)) pooled.lostWrites();
      pooled?.client.release(isUnreachable(error) || broken.has(pooled));
      throw isRolledBack(error) ? error : toProblem(error);
    }
  };
  return {
    query: <Row extends object>(statement: Sql) =>
      repeatedly(() =>
        using((pooled) =>
          pooled.stepsOf(statement).length > 1
            ? inTransaction(pooled, (transaction) => transaction.query<Row>(statement), [begin, commit])
            : runStatement<Row>(pooled, statement),
        ),
      ),
    queryTogether: <Row extends object>(statements: readonly Sql[], bytesEach: number) =>
      using((pooled) => runTogether<Row>(pooled, statements, bytesEach)),
    script: (text) => using((pooled) => runScript(pooled, text)),
    transaction: (work) => repeatedly(() => using((pooled) => inTransaction(pooled, work, [begin, commit]))),
    dryRun: (work) => repeatedly(() => using((pooled) => inTransaction(pooled, work, [begin, rollback]))),
    gauge: () => checkout.gauge(),
    close: () => checkout.close(),
  };
}

function settingsOf(statementMs: number): SessionSettings {
  return {
    statement_timeout: `${statementMs}`,
    idle_in_transaction_session_timeout: '30000',
    // Our statements rely on seeing the newest version of a row once they hold its lock.
    default_transaction_isolation: 'read committed',
    timezone: 'UTC',
    datestyle: 'ISO',
    // Statements are prepared once and walk an index for all values: planning them again costs more than it gains.
    plan_cache_mode: 'force_generic_plan',
    // One core for each statement: an org that adds up a million records must leave cores to the others.
    max_parallel_workers_per_gather: '0',
    // Compiling a statement would take longer than running it.
    jit: 'off',
    work_mem: '16MB',
    gin_pending_list_limit: `${bounds.store.waitingWordsKilobytes}kB`,
    // One statement must not fill the disk of the server.
    temp_file_limit: `${bounds.shares.temporaryBytes / 1_024}kB`,
  };
}

/** A transaction begins together with its first statement. Its statements may take their full time. */
function beginOf(statementMs: number): readonly PlainStatement[] {
  const begin = { name: 'orrery_begin', text: 'begin' };
  const setTime = { name: 'orrery_full_time', text: `set local statement_timeout = ${fullStatementMs}` };
  return statementMs === fullStatementMs ? [begin] : [begin, setTime];
}

const commit = { name: 'orrery_commit', text: 'commit' };
const rollback = { name: 'orrery_rollback', text: 'rollback' };

const broken = new WeakSet<PooledConnection>();

async function inTransaction<T>(
  pooled: PooledConnection,
  work: (transaction: OpenTransaction) => Promise<T>,
  [begin, end]: readonly [begin: readonly PlainStatement[], end: PlainStatement],
): Promise<T> {
  let isBegun = false;
  let isEnded = false;
  const before = (): readonly PlainStatement[] => {
    if (isBegun) return [];
    isBegun = true;
    return begin;
  };
  try {
    const result = await work({
      query: <Row extends object>(statement: Sql) => runStatement<Row>(pooled, statement, before()),
      script: (text) => runScript(pooled, [...before().map((earlier) => earlier.text), text].join(';\n')),
      end: async (statements) => {
        if (!isBegun && statements.length === 0) return;
        await runLast(pooled, before(), statements, end);
        isEnded = true;
      },
    });
    if (isBegun && !isEnded) await runPlain(pooled, end);
    return result;
  } catch (error) {
    // A connection that cannot even roll back is not used again; the first error is the one reported.
    if (isBegun && !isUnreachable(error)) await runPlain(pooled, rollback).catch(() => broken.add(pooled));
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

/** A migration may take long: it is given up only if the database is silent. */
async function runScript(pooled: PooledConnection, text: string): Promise<void> {
  await pooled.watched(Number.POSITIVE_INFINITY, () => pooled.client.query(text));
}
