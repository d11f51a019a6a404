// A connection outside the pool, for backups and restores: nothing ends what it does but its end, and it copies streams
// in and out. What its values look like as text does not depend on the settings of the server.
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import { toProblem, unavailable } from '../pg-error.ts';

const settings = [
  // The text form of every value, the same on every server.
  'timezone=UTC',
  'datestyle=ISO,\\ YMD',
  'intervalstyle=postgres',
  'extra_float_digits=1',
  'bytea_output=hex',
  // Nothing here is found by a name without its schema.
  'search_path=pg_catalog',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  // Rows that a policy hides would be missing without a word; with this PostgreSQL refuses instead.
  'row_security=off',
  'default_transaction_isolation=read\\ committed',
  'default_transaction_read_only=off',
  // One core: the service beside it needs the others.
  'max_parallel_workers_per_gather=0',
  'jit=off',
].map((setting) => `-c ${setting}`);

export async function openOwnConnection(connection: pg.ClientConfig): Promise<OwnConnection> {
  const client = new pg.Client({
    ...connection,
    application_name: 'orrery',
    options: [connection.options, ...settings].filter(Boolean).join(' '),
    keepAlive: true,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
  });
  // Whoever uses the connection hears of its end from the statement; without a listener the process would end.
  client.on('error', () => {});
  try {
    await client.connect();
    // Limits that only later versions of PostgreSQL have.
    await client.query(`select set_config(name, '0', false) from pg_settings
      where name in ('transaction_timeout', 'idle_session_timeout')`);
  } catch (error) {
    await within(bounds.store.poolCloseMs, client.end());
    throw unavailable(error);
  }
  return {
    query: async <Row extends object>(statement: Sql) => {
      const { text, values } = statement;
      return (await client.query<Row>(text, values).catch(told)).rows;
    },
    script: async (text) => {
      await client.query(text).catch(told);
    },
    copyOut: (text): Readable => client.query(copyTo(text)),
    copyIn: (text): Writable => client.query(copyFrom(text)),
    // A connection that hangs is left to the end of the process.
    close: async () => {
      await within(bounds.store.poolCloseMs, client.end());
    },
  };
}

function told(error: unknown): never {
  throw toProblem(error);
}

/**
 * All that the connection reads from now on is as it was at the first statement. Whoever stops reading the export holds
 * back the cleaning of the whole database; after a while PostgreSQL ends it.
 */
export async function beginSnapshot(connection: OwnConnection): Promise<void> {
  await connection.script(`begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = ${bounds.store.exportIdleMs}`);
}
