// A connection outside the pool, for work without a time limit such as backups, restores, imports and exports. It can
// copy streams in and out. The text form of its values does not depend on the settings of the server.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { distributedSteps, type Sql } from '../../base/sql.ts';
import { columnTypes, insertCopied, targetOf } from '../cluster/copied-rows.ts';
import type { OwnConnection } from '../database.ts';
import { notedOfCluster, toConnectionProblem, toProblem } from '../pg-error.ts';
import { breakConnection } from './pooled-connection.ts';
import type { Pulse } from './pulse.ts';
import { type Reach, reached } from './reach.ts';
import { beginSession, type Session, type SessionSettings } from './session.ts';

const settings: SessionSettings = {
  // The text form of every value, the same on every server.
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // Every name is written with its schema.
  search_path: 'pg_catalog',
  // Later versions of PostgreSQL have more limits.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  temp_file_limit: '-1',
  // Rows that a policy hides would be missing silently; with this PostgreSQL refuses instead.
  row_security: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  // One core: the service beside it needs the others.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
};

/** With a pulse, the connection ends when another server takes writes instead of its own: it would wait for ever. */
export function openOwnConnection(reach: Reach, pulse?: Pulse): Promise<OwnConnection> {
  return reached(reach, (connection) => connect(connection, reach, pulse)).catch((error: unknown) => {
    throw toConnectionProblem(error);
  });
}

async function connect(connection: pg.ClientConfig, reach: Reach, pulse: Pulse | undefined): Promise<OwnConnection> {
  const client = new pg.Client({
    ...connection,
    application_name: 'orrery',
    keepAlive: true,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
  });
  // The statement that runs reports the end of the connection; without a listener the process would end.
  client.on('error', () => {});
  let session: Session;
  try {
    await client.connect();
    session = await beginSession(client, reach, settings);
  } catch (error) {
    await within(bounds.store.poolCloseMs, client.end());
    throw error;
  }
  const unwatch = pulse?.last(session, () => breakConnection(client));
  const throwProblem = (error: unknown): never => {
    throw toProblem(session.isDistributed ? notedOfCluster(error) : error);
  };
  const run = async <Row extends object>({ text, values }: Sql) =>
    (await client.query<Row>(text, values).catch(throwProblem)).rows;
  const copyIn = (text: string): Writable => client.query(copyFrom(text));
  return {
    query: async <Row extends object>(statement: Sql) => {
      const steps = session.isDistributed ? distributedSteps(statement) : [statement];
      let rows: readonly Row[] = [];
      for (const step of steps) rows = await run<Row>(step);
      return rows;
    },
    script: async (text) => {
      await client.query(text).catch(throwProblem);
    },
    copyOut: (text): Readable => client.query(copyTo(text)),
    copyIn,
    copyRows: (text, rows) => (session.isDistributed ? insertRows(run, text, rows) : copyAll(copyIn(text), rows)),
    // A connection that hangs is left to the end of the process.
    close: async () => {
      unwatch?.();
      await within(bounds.store.poolCloseMs, client.end());
    },
  };
}

async function copyAll(stream: Writable, rows: Buffer): Promise<void> {
  const finished = once(stream, 'finish');
  stream.end(rows);
  await finished;
}

type Run = <Row extends object>(statement: Sql) => Promise<readonly Row[]>;

async function insertRows(run: Run, text: string, rows: Buffer): Promise<void> {
  const target = targetOf(text);
  const columns = await run<{ name: string; type: string }>(columnTypes(target.table));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  for (const statement of insertCopied(target, types, rows.toString())) await run(statement);
}

/**
 * From now on the connection reads everything as it was at its first statement. An export that nobody reads any more
 * keeps PostgreSQL from cleaning up the whole database, so PostgreSQL ends it after a while.
 */
export async function beginSnapshot(connection: OwnConnection): Promise<void> {
  await connection.script(`begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = ${bounds.store.exportIdleMs}`);
}
