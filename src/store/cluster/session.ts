// What a session needs to know where Citus may have distributed our tables, and how it is set up there.
import type pg from 'pg';
import { bounds } from '../../base/limits.ts';
import { shareLockText } from '../locks.ts';

/** For a session before it does anything. */
export const hasCitus = `to_regclass('pg_catalog.pg_dist_partition') is not null`;

/**
 * Whether our tables are distributed. Tables that are being distributed are waited for: a session that began before would go on
 * with statements for one server.
 */
export async function findDistributed(client: pg.ClientBase): Promise<boolean> {
  await client.query(shareLockText({ use: 'distribution' }));
  const { rows } = await client.query<{ readonly distributed: boolean }>(
    `select exists (select from pg_dist_partition where logicalrelid = to_regclass('orrery.record')) as distributed`,
  );
  return rows[0]?.distributed === true;
}

/** By the names of PostgreSQL and Citus. */
export const distributedSettings: Readonly<Record<string, string>> = {
  // A plan for all values asks every shard where rows come as lists.
  plan_cache_mode: 'auto',
  // A transaction that reads several parts reads those on one server at one moment.
  'citus.multi_shard_modify_mode': 'sequential',
  // How long the first server waits for a connection to another one.
  'citus.node_connection_timeout': `${bounds.store.workerConnectMs}`,
};
