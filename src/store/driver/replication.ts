// Questions of doctor about the machines that have a copy of what is written: standbys, how far behind they are, and whether
// writes wait for them. Amazon Aurora copies its storage instead, and refuses the functions that tell positions in the log.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export interface Standby {
  readonly name: string;
  /** What PostgreSQL calls it: `quorum` is one of several of which some must have a write, `potential` a substitute. */
  readonly mode: 'sync' | 'quorum' | 'potential' | 'async';
  /** Whether it has caught up with the log once, and gets it as it is written. */
  readonly isStreaming: boolean;
  /** What is written, and not yet known to be on its disk. */
  readonly bytesBehind: number;
  readonly secondsBehind: number;
  /** What is on its disk, and not yet applied: a standby applies it before it takes over. */
  readonly bytesToApply: number;
}

/** The log that the server keeps for somebody who does not fetch it. */
export interface IdleSlot {
  readonly name: string;
  readonly bytes: number;
}

export type Replication =
  | { readonly kind: 'standby' }
  | ({ readonly kind: 'aurora'; readonly readers: number } & Waiting)
  /** The user may not see more than how many there are. */
  | ({ readonly kind: 'hidden'; readonly count: number; readonly grants: readonly string[] } & Waiting)
  | ({ readonly kind: 'primary'; readonly standbys: readonly Standby[]; readonly idle: readonly IdleSlot[] } & Waiting);

interface Waiting {
  /** How many synchronous standbys the server is to have. */
  readonly wanted: number;
  /** `synchronous_commit` of our sessions: with `off` and `local`, a write waits for no standby. */
  readonly commit: string;
}

export async function readReplication(transaction: Transaction): Promise<Replication> {
  const server = await readServer(transaction);
  if (!server.takesWrites) return { kind: 'standby' };
  const waiting = { wanted: standbysWanted(server.names), commit: server.commit };
  if (server.isAurora) return { kind: 'aurora', readers: await countAuroraReaders(transaction), ...waiting };
  if (server.grants.length > 0) {
    return { kind: 'hidden', count: await countStandbys(transaction), grants: server.grants, ...waiting };
  }
  const idle = await findIdleSlots(transaction);
  return { kind: 'primary', standbys: await listStandbys(transaction), idle, ...waiting };
}

interface ServerRow {
  readonly takesWrites: boolean;
  readonly isAurora: boolean;
  readonly names: string;
  readonly commit: string;
  /** What the user lacks. */
  readonly grants: readonly string[];
}

async function readServer(transaction: Transaction): Promise<ServerRow> {
  const [row] = await transaction.query<ServerRow>(sql`
    select not pg_is_in_recovery() as "takesWrites", to_regproc('aurora_version') is not null as "isAurora",
      current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
      array_remove(array[
        case when not pg_has_role('pg_read_all_stats', 'usage')
          then format('grant pg_read_all_stats to %I', current_user) end,
        case when not has_function_privilege('pg_current_wal_lsn()', 'execute')
          then format('grant execute on function pg_current_wal_lsn() to %I', current_user) end], null) as grants`);
  if (row === undefined) throw new TypeError('The state of a server is one row.');
  return row;
}

/** Of `FIRST 2 (a, b)`, `ANY 2 (a, b)` and `2 (a, b)` two, of a list one, of nothing none. */
export function standbysWanted(names: string): number {
  if (names.trim() === '') return 0;
  const [, count = '1'] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(names) ?? [];
  return Number(count);
}

/** Readers use the same storage as the primary. One that is gone is listed for a while. */
async function countAuroraReaders(transaction: Transaction): Promise<number> {
  const [row] = await transaction.query<{ readers: number }>(sql`
    select count(*)::integer as readers from aurora_replica_status()
    where session_id <> 'MASTER_SESSION_ID' and last_update_timestamp > now() - interval '5 minutes'`);
  return row?.readers ?? 0;
}

/** Who gets the changes of some tables is no standby, unless writes wait for it, and neither is a backup that is being made. */
const isStandby = sql`r.state is distinct from 'backup' and (r.sync_state in ('sync', 'quorum') or not exists (
  select from pg_replication_slots as s where s.active_pid = r.pid and s.slot_type = 'logical'))`;

async function countStandbys(transaction: Transaction): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    sql`select count(*)::integer as count from pg_stat_replication as r where ${isStandby}`,
  );
  return row?.count ?? 0;
}

/**
 * A standby that hangs measures no delay any more, so the time since it was last heard of counts as well. It is heard of when
 * it has got something, and every ten seconds: where nothing is behind, no time is.
 */
async function listStandbys(transaction: Transaction): Promise<readonly Standby[]> {
  return transaction.query<Standby>(sql`
    select left(r.application_name, 60) as name, r.sync_state as mode, r.state = 'streaming' as "isStreaming",
      b.bytes as "bytesBehind", case when b.bytes = 0 then 0 else greatest(0, extract(epoch from r.flush_lag),
        extract(epoch from clock_timestamp() - r.reply_time))::float8 end as "secondsBehind",
      coalesce(greatest(0, pg_wal_lsn_diff(r.flush_lsn, r.replay_lsn)), 0)::float8 as "bytesToApply"
    from pg_stat_replication as r cross join lateral (
      select greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(r.flush_lsn, '0/0')))::float8 as bytes) as b
    where ${isStandby} order by r.sync_state = 'async', b.bytes, r.application_name`);
}

async function findIdleSlots(transaction: Transaction): Promise<readonly IdleSlot[]> {
  return transaction.query<IdleSlot>(sql`
    select slot_name::text as name, greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 as bytes
    from pg_replication_slots where not active and restart_lsn is not null order by slot_name`);
}
