// Which tables are distributed, and whether they are: those whose rows belong to an org, all in the same places, so that each org is
// whole on one server. The others stay on the first server of the cluster.
import { type Sql, sql } from '../../base/sql.ts';
import type { OwnConnection, Reads } from '../database.ts';

/** A table of the schema whose rows belong to orgs. */
interface OrgTable {
  readonly name: string;
  readonly isDistributed: boolean;
}

/**
 * Tables with rows of orgs that stay on the first server. A lease of a rate window is given by functions of the moment, in a statement
 * that nobody else may interrupt, and is lost without harm. Which orgs have changed is asked for all orgs at once.
 */
const staying: readonly string[] = ['rate_window', 'changed_org'];

/** That of orgs first, because others refer to it. */
export async function listOrgTables(database: Reads): Promise<readonly OrgTable[]> {
  return database.query<OrgTable>(sql`
    select c.relname::text as name, ${isPlaced(sql`c.oid`)} as "isDistributed"
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
    where n.nspname = 'orrery' and c.relkind in ('r', 'p') and c.relname <> all (${staying}::text[])
    order by c.relname <> 'org', c.relname`);
}

function isPlaced(table: Sql): Sql {
  return sql`exists (select from pg_dist_partition as p where p.logicalrelid = ${table})`;
}

/** The others are placed as this one is. */
export const firstTable = 'orrery.org';

/** Places a table where the rows of its orgs are; the first one is divided into so many shards. */
async function distributeTable(database: Reads, name: string, shards: number | undefined): Promise<void> {
  const table = `orrery.${name}`;
  await database.query(
    shards === undefined
      ? sql`select create_distributed_table(${table}::regclass, 'org_id', colocate_with => ${firstTable}::text)`
      : sql`select create_distributed_table(${table}::regclass, 'org_id', colocate_with => 'none', shard_count => ${shards}::integer)`,
  );
}

/** Distributes these tables, the first one into so many shards, unless it is already. */
export async function distributeTables(
  connection: OwnConnection,
  names: readonly string[],
  shards: number | undefined,
): Promise<void> {
  // A table that stays cannot refer to one that is distributed.
  await connection.script('alter table orrery.rate_window drop constraint if exists rate_window_org_id_fkey');
  for (const name of names) await distributeTable(connection, name, name === 'org' ? shards : undefined);
}

/** Citus copies the rows and keeps the former ones on the first server, unseen, where no erasure reaches them. */
export async function removeLeftOvers(database: Reads): Promise<void> {
  for (const table of await listLeftOver(database)) {
    await database.query(sql`select truncate_local_data_after_distributing_table(${table}::regclass)`);
  }
}

/** The distributed tables whose former rows are still in files of the first server, where nothing erases them. */
async function listLeftOver(database: Reads): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class as c join pg_dist_partition as p on p.logicalrelid = c.oid
    where c.relnamespace = to_regnamespace('orrery') and pg_relation_size(c.oid) > 0 order by 1`);
  return rows.map(({ name }) => name);
}

/** Into how many shards the tables are divided; 0 if they are not distributed. */
export async function countShards(database: Reads): Promise<number> {
  if (!(await hasCitus(database))) return 0;
  const [row] = await database.query<{ count: number }>(sql`
    select count(*)::integer as count from pg_dist_shard where logicalrelid = to_regclass(${firstTable})`);
  return row?.count ?? 0;
}

/** Whether the tables are distributed, all or some of them. */
export async function areDistributed(database: Reads): Promise<boolean> {
  if (!(await hasCitus(database))) return false;
  return (await listOrgTables(database)).some(({ isDistributed }) => isDistributed);
}

async function hasCitus(database: Reads): Promise<boolean> {
  const [citus] = await database.query<{ there: boolean }>(
    sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as there`,
  );
  return citus?.there === true;
}

/** Of a new release: where the others are distributed, its tables are as well. */
export async function distributeNew(database: Reads): Promise<void> {
  if (!(await areDistributed(database))) return;
  const tables = await listOrgTables(database);
  for (const { name, isDistributed } of tables) if (!isDistributed) await distributeTable(database, name, undefined);
}
