// The end of a restore: the new tables replace the old ones. Transactions that use the old tables are waited for,
// sessions that wait for them are ended so that they try again, and everything after that finds the new tables.
import { sleep } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { sql } from '../../base/sql.ts';
import { distributeTables, listOrgTables, removeLeftOvers } from '../cluster/tables.ts';
import type { OwnConnection } from '../database.ts';
import { learnErased } from '../erase/erased.ts';
import { isLockMissed, isRolledBack } from '../pg-error.ts';
import type { BackupHeader } from './format.ts';
import { asideSchema, copyReplaced, copySchema } from './restore-copies.ts';
import { type KeptClosed, keepClosed, type OldKeys } from './restore-keys.ts';
import { readSequences, setSequences } from './sequences.ts';
import { quoted } from './tables.ts';

/** Everybody can read the old tables, nobody can write. Rate windows are not data, and are used until the end. */
export async function holdStill(connection: OwnConnection): Promise<void> {
  await lockAside(connection, 'exclusive', ['rate_window']);
}

/** Erases the records that the list has as unfinished. The rooms above know how. */
export type EraseAgain = (connection: OwnConnection) => Promise<void>;

/**
 * Erases what was erased since the backup was made; returns how many records that are. It is done while the old tables are in
 * use, and once more when nobody can change them: so few are left to do while everybody waits.
 */
export async function keepErased(connection: OwnConnection, eraseAgain: EraseAgain): Promise<number> {
  const isKnown = (await namesOf(connection, asideSchema)).includes('erased');
  if (isKnown) await copyReplaced(connection, 'erased');
  const learnt = isKnown ? await learnErased(connection, copySchema) : 0;
  await eraseAgain(connection);
  return learnt;
}

interface TakenPlace {
  /** The keys that the restore would have opened again. */
  readonly keptClosed: readonly KeptClosed[];
  /** How many records were erased again. */
  readonly erased: number;
}

interface TakePlaceRequest {
  readonly oldKeys: OldKeys;
  readonly eraseAgain: EraseAgain;
  /** Into how many shards the old tables are divided; 0 if they are not distributed. */
  readonly shards: number;
}

export async function takePlace(
  connection: OwnConnection,
  header: BackupHeader,
  { oldKeys, eraseAgain, shards }: TakePlaceRequest,
): Promise<TakenPlace> {
  // Before anybody uses the tables: without statistics plans are bad.
  await connection.script(`analyze ${(await tablesOf(connection, 'orrery')).join()}`);
  await lockAside(connection, 'access exclusive', []);
  await beginLife(connection, header);
  const tables = await namesOf(connection, asideSchema);
  const keptClosed = await keepClosed(connection, tables, oldKeys);
  const erased = await keepErased(connection, eraseAgain);
  await keepRights(connection);
  await connection.script(`drop schema if exists ${asideSchema}, ${copySchema} cascade`);
  if (shards > 0) await distributeAgain(connection, shards);
  if (tables.length > 0) await outwaitCaches(connection);
  return { keptClosed, erased };
}

/** As the old tables were, while everybody waits: what is done before cannot be done to distributed tables. */
async function distributeAgain(connection: OwnConnection, shards: number): Promise<void> {
  const tables = await listOrgTables(connection);
  await distributeTables(
    connection,
    tables.map(({ name }) => name),
    shards,
  );
  await removeLeftOvers(connection);
  await connection.script(`analyze ${(await tablesOf(connection, 'orrery')).join()}`);
}

/**
 * Processes trust what they have cached of orgs, schemas and indexes for less than this time without asking the
 * database, which does not answer now. So nobody writes into the new tables with knowledge of the old ones.
 */
async function outwaitCaches(connection: OwnConnection): Promise<void> {
  for (
    let waitedMs = 0;
    waitedMs < bounds.engine.cacheTrustedMs + bounds.store.restoreGraceMs;
    waitedMs += bounds.store.restoreLockMs
  ) {
    await sleep(bounds.store.restoreLockMs);
    await dismissWaiting(connection);
  }
}

/** Objects of others that depend on the old tables would be dropped with them. */
export async function refuseDependents(connection: OwnConnection): Promise<void> {
  const [found] = await connection.query<{ readonly name: string }>(sql`
    select pg_describe_object(u.classid, u.objid, 0) as name from (
      select 'pg_class'::regclass as classid, r.ev_class as objid, d.refobjid from pg_depend as d
        join pg_rewrite as r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid and r.ev_class <> d.refobjid
        where d.refclassid = 'pg_class'::regclass
      union all
      select 'pg_class'::regclass, f.conrelid, f.confrelid from pg_constraint as f
        where f.contype = 'f' and f.connamespace <> to_regnamespace('orrery')) as u
      join pg_class as t on t.oid = u.refobjid
    where t.relnamespace = to_regnamespace('orrery') limit 1`);
  if (found === undefined) return;
  throw new Failure(
    'database_unsuitable',
    `The ${found.name} depends on the tables that a restore replaces.`,
    'Drop it, restore, and create it again.',
  );
}

/**
 * Locks all tables at once or none, because a session that holds one table may be waiting for another. The first
 * attempts are short, because everybody else waits behind them; the last one is longer than any statement of a service.
 */
async function lockAside(connection: OwnConnection, mode: string, except: readonly string[]): Promise<void> {
  const names = (await tablesOf(connection, asideSchema)).filter(
    (name) => !except.some((each) => name.endsWith(`.${quoted(each)}`)),
  );
  if (names.length === 0) return;
  await connection.script('savepoint unlocked');
  for (let attempt = 0; attempt < bounds.store.restoreLockAttempts; attempt++) {
    // A session that waits for a table that we hold may hold a table that we want.
    await dismissWaiting(connection);
    try {
      await connection.script(`set local lock_timeout = ${bounds.store.restoreLockMs * 2 ** attempt};
        lock table ${names.join()} in ${mode} mode; set local lock_timeout = 0; release unlocked`);
      return;
    } catch (error) {
      const cause = error instanceof Problem ? error.cause : error;
      if (!isLockMissed(cause) && !isRolledBack(cause)) throw error;
      await connection.script('rollback to unlocked');
    }
  }
  throw new Failure(
    'database_unreachable',
    'The tables have been in use for so long that the restored ones cannot replace them; nothing has changed.',
    'End long transactions and imports on this database ("orrery doctor" shows the oldest), then try again.',
  );
}

/**
 * Ends the connections that wait for a lock that this transaction holds: their statements were planned for the old
 * tables. The service answers 503 with Retry-After for them, and opens new connections.
 */
async function dismissWaiting(connection: OwnConnection): Promise<void> {
  // Without this a transaction keeps seeing the sessions that it saw the first time.
  await connection.query(sql`select pg_stat_clear_snapshot()`);
  await connection.query(sql`
    select pg_terminate_backend(a.pid) from pg_stat_activity as a
    where a.datname = current_database() and a.wait_event_type = 'Lock' and pg_has_role(a.usesysid, 'member')
      and pg_backend_pid() = any (pg_blocking_pids(a.pid))`);
}

/**
 * Changes what must not be as in the backup: the revision is higher than any that processes have seen, sequences
 * continue after the largest number that either database has used, rate windows and unfinished indexes start over. The
 * life of the log is new because its table is.
 */
async function beginLife(connection: OwnConnection, { sequences }: BackupHeader): Promise<void> {
  const before = await readSequences(connection, asideSchema);
  await setSequences(connection, 'orrery', [sequences, before]);
  await connection.script(`
    update orrery.epoch set version = 1 + greatest(version, (extract(epoch from clock_timestamp()) * 1000)::bigint);
    insert into orrery.rate_window (org_id, started_at, leased, unspent, granted_now, granted_ahead)
      select org_id, '-infinity', 0, 0, 0, 0 from orrery.org;
    update orrery.change_start set purged_xid = pg_current_xact_id();
    update orrery.property_index set asked_at = clock_timestamp();
    update orrery.property_index set begun_at = clock_timestamp(), barrier = null, filled_to = null, filled = 0
      where state <> 'ready'`);
  if ((await namesOf(connection, asideSchema)).includes('epoch')) {
    await connection.script(`update orrery.epoch as e set version = greatest(e.version, b.version + 1)
      from ${asideSchema}.epoch as b`);
  }
}

/** Copies owners and grants from the old tables: a service may run as a user who owns nothing. */
async function keepRights(connection: OwnConnection): Promise<void> {
  const rows = await connection.query<{ readonly text: string }>(sql`
    with pairs as (
      select case old.relkind when 'S' then 'sequence' else 'table' end as kind, format('orrery.%I', old.relname) as name,
        old.relowner as owner, new.relowner as maker, old.relacl as acl
      from pg_class as old join pg_class as new on new.relname = old.relname and new.relkind = old.relkind
      where old.relnamespace = to_regnamespace(${asideSchema}) and new.relnamespace = to_regnamespace('orrery')
        and old.relkind in ('r', 'p', 'S')
      union all
      select 'function', new.oid::regprocedure::text, old.proowner, new.proowner, old.proacl
      from pg_proc as old join pg_proc as new on new.proname = old.proname and new.proargtypes = old.proargtypes
      where old.pronamespace = to_regnamespace(${asideSchema}) and new.pronamespace = to_regnamespace('orrery')
      union all
      select 'schema', 'orrery', old.nspowner, new.nspowner, old.nspacl
      from pg_namespace as old join pg_namespace as new on new.nspname = 'orrery' where old.nspname = ${asideSchema})
    select format('alter %s %s owner to %I', kind, name, pg_get_userbyid(owner)) as text, 1 as step
    from pairs where owner <> maker
    union all
    select format('grant %s on %s %s to %s %s', g.privilege_type, kind, name,
      case g.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(g.grantee)) end,
      case when g.is_grantable then 'with grant option' else '' end), 2
    from pairs cross join aclexplode(acl) as g where g.grantee <> owner
    order by 2, 1`);
  for (const { text } of rows) await connection.script(text);
}

async function tablesOf(connection: OwnConnection, schema: string): Promise<readonly string[]> {
  return (await namesOf(connection, schema)).map((name) => `${schema}.${quoted(name)}`);
}

/** Records first, as in every write: another order could deadlock. */
async function namesOf(connection: OwnConnection, schema: string): Promise<readonly string[]> {
  const rows = await connection.query<{ readonly name: string }>(sql`
    select c.relname::text as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') order by c.relname <> 'record', c.relname`);
  return rows.map(({ name }) => name);
}
