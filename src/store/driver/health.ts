// Questions of doctor to the database: settings that risk data, connections, forgotten transactions, missing
// statistics, and data that housekeeping should have removed. Nothing here changes anything.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export interface ServerState {
  /** Settings without which a crash can lose acknowledged data, and that are off. */
  readonly unsafe: readonly string[];
  readonly autovacuum: boolean;
  /** How many connections ordinary users may have, and how many are open. */
  readonly connectionsMax: number;
  readonly connectionsUsed: number;
  /** How large the temporary files of a connection may be, such as "512MB"; undefined without a limit. */
  readonly temporaryFiles: string | undefined;
  /** The user that we are connected as, quoted for a statement. */
  readonly user: string;
  /** Whether that user may see what others do. */
  readonly seesOthers: boolean;
}

interface ServerRow extends Omit<ServerState, 'temporaryFiles'> {
  readonly temporaryFiles: string | null;
}

/**
 * Amazon Aurora turns off what only files need, because it has none. A user who may not see what others do sees their
 * connections all the same, but not what kind they are.
 */
export async function readServerState(transaction: Transaction): Promise<ServerState> {
  const [row] = await transaction.query<ServerRow>(sql`
    select array(select name from pg_settings
        where setting = 'off' and (name = 'synchronous_commit' or name in ('fsync', 'full_page_writes')
          and to_regproc('aurora_version') is null) order by name) as unsafe,
      current_setting('autovacuum')::boolean as autovacuum,
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        as "connectionsMax",
      (select count(*)::integer from pg_stat_activity where coalesce(backend_type, 'client backend') = 'client backend'
        and usesysid is not null and datid is not null) as "connectionsUsed",
      nullif(current_setting('temp_file_limit'), '-1') as "temporaryFiles", quote_ident(current_user) as user,
      pg_has_role('pg_read_all_stats', 'usage') as "seesOthers"`);
  if (row === undefined) throw new TypeError('The state of a server is one row.');
  return { ...row, temporaryFiles: row.temporaryFiles ?? undefined };
}

interface OldTransaction {
  readonly pid: number;
  readonly application: string;
  readonly seconds: number;
}

/** The transaction that has been open the longest, other than our own. */
export async function findOldestTransaction(transaction: Transaction): Promise<OldTransaction | undefined> {
  const [row] = await transaction.query<OldTransaction>(sql`
    select pid, left(application_name, 60) as application,
      extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`);
  return row;
}

/** Smaller tables are read quickly by any plan. */
const largeTableBytes = 8_388_608;

/** Our large tables without statistics, for which PostgreSQL plans badly. */
export async function findTablesWithoutStatistics(transaction: Transaction): Promise<readonly string[]> {
  const rows = await transaction.query<{ readonly name: string }>(sql`
    select c.relname::text as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'orrery' and c.relkind = 'r' and pg_relation_size(c.oid) > ${largeTableBytes}
      and not exists (select from pg_stats as s where s.schemaname = 'orrery' and s.tablename = c.relname)
    order by 1`);
  return rows.map(({ name }) => name);
}

/** Whether an org has records in the trash or entries of the feed that should have been purged by now. */
export async function hasOutlived(
  transaction: Transaction,
  orgId: number,
  { trashSeconds, changesSeconds }: { readonly trashSeconds: number; readonly changesSeconds: number },
): Promise<boolean> {
  const [row] = await transaction.query<{ readonly outlived: boolean }>(sql`
    select exists (select from orrery.trash
        where org_id = ${orgId} and deleted_at < now() - make_interval(secs => ${trashSeconds}))
      or coalesce((select c.at < now() - make_interval(secs => ${changesSeconds}) from orrery.change as c
        where c.org_id = ${orgId} order by c.seq limit 1), false) as outlived`);
  return row?.outlived === true;
}
