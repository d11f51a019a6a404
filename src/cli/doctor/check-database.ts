// What doctor checks of an open database: the server, its settings, its clock and tables, and what the orgs have in it.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Config } from '../../config.ts';
import { listKeys } from '../../engine/admin/keys.ts';
import { type NamedIndex, reportIndexes } from '../../engine/admin/property-indexes.ts';
import type { Database } from '../../store/database.ts';
import {
  databaseTime,
  findOldestTransaction,
  findTablesWithoutStatistics,
  hasOutlived,
  readServerState,
  type ServerState,
} from '../../store/driver/health.ts';
import { type MigrationStatus, migrationStatus } from '../../store/migrate.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { type Finding, thresholds, well, wrong } from './finding.ts';

export interface Checked {
  readonly findings: readonly Finding[];
  readonly indexes: readonly NamedIndex[];
}

export async function checkOpenDatabase(config: Config, database: Database): Promise<Checked> {
  const { engine, version, place } = database.facts;
  const server = await readServerState(database);
  const status = await migrationStatus(database);
  const migrations = checkMigrations(status);
  const findings = [
    well('database', `PostgreSQL ${version} (${engine}) in ${place}, UTF8.`),
    await checkClock(database),
    checkSafety(server),
    checkConnections(config, server),
    await checkTransactions(database),
    migrations,
  ];
  if (!migrations.ok || status.current === 0) return { findings, indexes: [] };
  const indexes = await reportIndexes(database);
  findings.push(
    await checkStatistics(database, server),
    await checkKeys(database),
    describeIndexes(indexes),
    await describeHousekeeping(config, database),
  );
  return { findings, indexes };
}

async function checkClock(database: Database): Promise<Finding> {
  const seconds = Math.abs((await databaseTime(database)).getTime() - systemClock.nowMs()) / 1_000;
  const detail = `The clocks of this machine and of the database are ${seconds.toFixed(1)} s apart.`;
  if (seconds <= thresholds.clockSkewSeconds) return well('clock', detail);
  return wrong('clock', detail, 'Keep both in time with NTP: keys expire by the clock.');
}

/** Each of these, off, loses what was acknowledged, or more, when the machine stops. */
function checkSafety({ unsafe }: ServerState): Finding {
  if (unsafe.length === 0) return well('durability', 'What was acknowledged survives a crash.');
  const settings = unsafe.map((name) => `${name} = on`).join(', ');
  return wrong('durability', `A crash can lose data: ${unsafe.join(', ')} is off.`, `Set ${settings} on the server.`);
}

/** Every worker has its pool, the urgent connections and one to listen on; the command line needs some as well. */
function checkConnections({ workers, place }: Config, { connectionsMax, connectionsUsed }: ServerState): Finding {
  const pool = place.connections ?? bounds.store.poolConnections;
  const needed = workers * (pool + bounds.store.urgentConnections + 1) + thresholds.spareConnections;
  const detail = `${connectionsUsed} of ${connectionsMax} connections are in use; ${workers} workers need up to ${needed}.`;
  if (needed > connectionsMax) {
    return wrong('connections', detail, 'Raise max_connections on the server, or give fewer --workers.');
  }
  if (connectionsMax - connectionsUsed >= thresholds.spareConnections) return well('connections', detail);
  return wrong('connections', detail, 'End other programs that hold connections, or raise max_connections.');
}

async function checkTransactions(database: Database): Promise<Finding> {
  const oldest = await findOldestTransaction(database);
  if (oldest === undefined || oldest.seconds < thresholds.transactionSeconds) {
    return well('transactions', 'No transaction has been open for long.');
  }
  const { pid, application, seconds } = oldest;
  const who = application === '' ? `process ${pid}` : `process ${pid} (${application})`;
  return wrong(
    'transactions',
    `A transaction of ${who} has been open for ${Math.floor(seconds / 60)} minutes: nothing is cleaned up meanwhile.`,
    `If it is no backup or export at work, end it: select pg_terminate_backend(${pid}).`,
  );
}

function checkMigrations(status: MigrationStatus): Finding {
  const check = 'migrations';
  if (status.current > status.latest) {
    return wrong(check, 'The tables are newer than this program.', 'Use the newer program.');
  }
  if (status.pending.length === 0) return well(check, `The tables are at migration ${status.current}.`);
  if (status.current === 0) return well(check, 'The database is empty; the first start fills it.');
  return wrong(check, `${status.pending.length} migrations are pending.`, 'Run orrery db migrate.');
}

async function checkStatistics(database: Database, { autovacuum }: ServerState): Promise<Finding> {
  const check = 'statistics';
  if (!autovacuum) return wrong(check, 'Autovacuum is off: tables grow and plans go bad.', 'Set autovacuum = on.');
  const tables = await findTablesWithoutStatistics(database);
  if (tables.length === 0) return well(check, 'PostgreSQL knows its large tables.');
  const fix = 'Wait a minute for autovacuum, or run analyze on them: without statistics queries are slow.';
  return wrong(check, `Large tables without statistics: ${tables.join(', ')}.`, fix);
}

async function checkKeys(database: Database): Promise<Finding> {
  const orgs = await listOrgs(database);
  const nowMs = systemClock.nowMs();
  const endsMs = (expiresAt: Date | null) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const keys = (await listKeys(database, undefined)).filter(
    (key) => key.revokedAt === null && endsMs(key.expiresAt) > nowMs,
  );
  const soonMs = nowMs + thresholds.keyDays * 86_400_000;
  const ending = keys.filter((key) => endsMs(key.expiresAt) < soonMs).map((key) => key.credentialId);
  const keyless = orgs.filter((org) => !keys.some((key) => key.orgId === org.orgId)).map((org) => org.orgId);
  const detail = [
    `${orgs.length} orgs, ${keys.length} working keys.`,
    ...(keyless.length === 0 ? [] : [`Without a working key: org ${some(keyless)}.`]),
    ...(ending.length === 0 ? [] : [`Ending within ${thresholds.keyDays} days: ${some(ending)}.`]),
  ].join(' ');
  const fix = ending.length === 0 ? undefined : 'Make new ones in time with orrery key create.';
  return well('keys', detail, fix);
}

/** Properties that were asked for in large types get an index by themselves; one that is building slows nothing down. */
function describeIndexes(indexes: readonly NamedIndex[]): Finding {
  const building = indexes
    .filter(({ state }) => state === 'building')
    .map((each) => `${each.object_type}.${each.property} of org ${each.org_id} (${each.filled} records so far)`);
  const ready = `${indexes.length - building.length} property indexes have come by themselves.`;
  return well('indexes', building.length === 0 ? ready : `${ready} Being built: ${some(building)}.`);
}

/** A day of grace: housekeeping goes on in small steps. */
async function describeHousekeeping({ trashDays, changesDays }: Config, database: Database): Promise<Finding> {
  const kept = { trashSeconds: (trashDays + 1) * 86_400, changesSeconds: (changesDays + 1) * 86_400 };
  const late: number[] = [];
  for (const { orgId } of (await listOrgs(database)).slice(0, thresholds.orgs)) {
    if (await hasOutlived(database, orgId, kept)) late.push(orgId);
  }
  if (late.length === 0) return well('housekeeping', 'Nothing in the trash or the feed has outlived its time.');
  const detail = `The trash or the feed holds what should be gone: org ${some(late)}.`;
  return well('housekeeping', detail, 'Let "orrery serve" run: it takes that away a little at a time.');
}

function some(names: readonly (string | number)[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${names.slice(0, 10).join(', ')}${more}`;
}
