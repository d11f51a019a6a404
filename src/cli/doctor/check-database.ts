// The checks of doctor on an open database: the server, its settings, its clock and tables, and the data of the orgs.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Config } from '../../config.ts';
import { listKeys } from '../../engine/admin/keys.ts';
import { listNamedIndexes, type NamedIndex } from '../../engine/admin/property-indexes.ts';
import { type NodeWithParts, readCluster } from '../../store/cluster/nodes.ts';
import type { Database, DatabaseFacts } from '../../store/database.ts';
import { databaseTime } from '../../store/database-time.ts';
import {
  findOldestTransaction,
  findTablesWithoutStatistics,
  hasOutlived,
  readServerState,
  type ServerState,
} from '../../store/driver/health.ts';
import { type Replication, readReplication } from '../../store/driver/replication.ts';
import { type MigrationStatus, migrationStatus } from '../../store/migrate.ts';
import { readFigures } from '../../store/org/figures.ts';
import { findSharedEmails } from '../../store/org/members.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { listFullestOrgs, listLargestOrgs, type OrgStorage } from '../../store/org/storage.ts';
import { plural, sized } from '../terminal/text.ts';
import { describeReplication } from './check-replication.ts';
import { type Finding, thresholds, well, wrong } from './finding.ts';

export interface Checked {
  readonly findings: readonly Finding[];
  /** Null without a database. */
  readonly replication: Replication | null;
  /** The servers among which the tables are distributed; null if they are not. */
  readonly cluster: readonly NodeWithParts[] | null;
  readonly indexes: readonly NamedIndex[];
  /** The orgs that store most. */
  readonly storage: readonly OrgStorage[];
}

export async function checkOpenDatabase(config: Config, database: Database): Promise<Checked> {
  const { engine, version, place } = database.facts;
  const server = await readServerState(database);
  const status = await migrationStatus(database);
  const migrations = checkMigrations(status);
  const hasTables = migrations.ok && status.current > 0;
  const replication = await readReplication(database);
  const cluster = await readCluster(database);
  // Without one of the servers no question about all orgs is answered.
  const readsOrgs = hasTables && (cluster ?? []).every(({ isReachable }) => isReachable);
  const findings = [
    well('database', `PostgreSQL ${version} (${engine}) in ${place}, UTF8.`),
    describeTransport(database.facts),
    await checkClock(database),
    checkSafety(server),
    ...describeReplication(replication, { engine, savedAt: readsOrgs ? await lastBackup(database) : undefined }),
    checkConnections(config, database, server),
    describeTemporaryFiles(server),
    ...describeCluster(cluster),
    await checkTransactions(database, server),
    migrations,
  ];
  if (!readsOrgs) return { findings, replication, cluster, indexes: [], storage: [] };
  const storage = await listLargestOrgs(database, thresholds.orgsListed);
  const indexes = await listNamedIndexes(database);
  findings.push(
    await checkStatistics(database, server),
    await checkKeys(database),
    await describeMembers(database),
    await describeStorage(database, storage),
    describeIndexes(indexes),
    await describeHousekeeping(config, database),
  );
  return { findings, replication, cluster, indexes, storage };
}

function describeCluster(nodes: readonly NodeWithParts[] | null): readonly Finding[] {
  if (nodes === null) return [];
  const workers = nodes.filter(({ parts }) => parts > 0);
  const named = workers.map(({ address, parts }) => `${address} (${parts})`).join(', ');
  const total = workers.reduce((sum, { parts }) => sum + parts, 0);
  const detail = `The tables are distributed in ${plural(total, 'part')} over ${plural(workers.length, 'server')}: ${named}.`;
  const away = nodes.filter(({ isReachable }) => !isReachable).map(({ address }) => address);
  if (away.length === 0) return [well('cluster', detail)];
  const fix =
    'Start it, or the standby that replaces it: see the guide, "Operate", "A cluster". Until then its orgs get 503.';
  return [wrong('cluster', `${detail} Away: ${away.join(', ')}.`, fix)];
}

/** Plain text is a note, not an error: on a private network, such as that of compose.yaml, it is usual. */
function describeTransport({ transport, place }: DatabaseFacts): Finding {
  const check = 'transport';
  if (transport === 'local') return well(check, 'The connections to the database stay on this machine.');
  if (transport === 'tls_verified') return well(check, 'The connections use TLS, and the certificate is checked.');
  if (transport === 'tls_unverified') {
    return well(
      check,
      'The connections use TLS, but the certificate of the server is not checked.',
      'To check it, add sslmode=verify-full to the database address, and sslrootcert=FILE for an authority of your own.',
    );
  }
  return well(
    check,
    `The connections to ${place} are in plain text: anybody on the way can read data and change it.`,
    'Unless the network is private, turn on TLS on the server, and add sslmode=verify-full to the database address.',
  );
}

async function checkClock(database: Database): Promise<Finding> {
  const seconds = Math.abs((await databaseTime(database)).getTime() - systemClock.nowMs()) / 1_000;
  const detail = `The clocks of this machine and the database differ by ${seconds.toFixed(1)} s.`;
  if (seconds <= thresholds.clockSkewSeconds) return well('clock', detail);
  return wrong(
    'clock',
    detail,
    'Synchronize both with NTP. Orrery goes by the clock of the database, and logs by that of this machine.',
  );
}

async function lastBackup(database: Database): Promise<string | null> {
  const { savedAt } = await readFigures(database, bounds.engine.jobsLookedThrough);
  return savedAt ?? null;
}

/** With any of these settings off, a crash loses acknowledged writes or more. */
function checkSafety({ unsafe }: ServerState): Finding {
  if (unsafe.length === 0) return well('durability', 'Acknowledged writes survive a crash.');
  const settings = unsafe.map((name) => `${name} = on`).join(', ');
  return wrong(
    'durability',
    `A crash can lose data: ${unsafe.join(', ')} ${unsafe.length === 1 ? 'is' : 'are'} off.`,
    `Set ${settings} on the server.`,
  );
}

/** The command line needs some connections as well. */
function checkConnections(
  { workers, place }: Config,
  { connectionsBeside }: Database,
  { connectionsMax, connectionsUsed }: ServerState,
): Finding {
  const pool = place.connections ?? bounds.store.poolConnections;
  const need = workers === 1 ? '1 worker needs' : `${workers} workers need`;
  const needed = workers * (pool + connectionsBeside) + thresholds.spareConnections;
  const detail = `${connectionsUsed} of ${connectionsMax} connections are in use; ${need} up to ${needed}.`;
  if (needed > connectionsMax) {
    return wrong('connections', detail, 'Raise max_connections on the server, or use fewer --workers.');
  }
  if (connectionsMax - connectionsUsed >= thresholds.spareConnections) return well('connections', detail);
  return wrong('connections', detail, 'Close other programs that hold connections, or raise max_connections.');
}

/** With the right to do so, the service limits its own requests, but not backups, restores and migrations. */
function describeTemporaryFiles({ temporaryFiles, user }: ServerState): Finding {
  const check = 'temporary files';
  if (temporaryFiles !== undefined) return well(check, `A request may write up to ${temporaryFiles} at a time.`);
  return well(
    check,
    'Nothing limits the temporary files of a request, so one that sorts very many rows can fill the disk.',
    `Let the service limit them. Run as a superuser: grant set on parameter temp_file_limit to ${user}.`,
  );
}

async function checkTransactions(database: Database, { seesOthers, user }: ServerState): Promise<Finding> {
  const oldest = await findOldestTransaction(database);
  if (oldest === undefined || oldest.seconds < thresholds.transactionSeconds) {
    if (seesOthers) return well('transactions', 'No transaction has been open for long.');
    return well(
      'transactions',
      `No transaction of ${user} has been open for long; those of other users are not visible to it.`,
      `Let it see them. Run as an administrator: grant pg_read_all_stats to ${user}.`,
    );
  }
  const { pid, application, seconds } = oldest;
  const who = application === '' ? `process ${pid}` : `process ${pid} (${application})`;
  return wrong(
    'transactions',
    `A transaction of ${who} has been open for ${Math.floor(seconds / 60)} minutes, which prevents PostgreSQL from cleaning up.`,
    `Unless it is a running backup or export, end it: select pg_terminate_backend(${pid}).`,
  );
}

function checkMigrations(status: MigrationStatus): Finding {
  const check = 'migrations';
  if (status.current > status.latest) {
    return wrong(check, 'The tables are newer than this program.', 'Use a newer release of Orrery.');
  }
  if (status.pending.length === 0) return well(check, `The tables are at migration ${status.current}.`);
  if (status.current === 0) return well(check, 'The database is empty; the first start creates its tables.');
  return wrong(check, `${plural(status.pending.length, 'pending migration')}.`, 'Run "orrery db migrate".');
}

async function checkStatistics(database: Database, { autovacuum }: ServerState): Promise<Finding> {
  const check = 'statistics';
  if (!autovacuum)
    return wrong(check, 'Autovacuum is off, so tables grow and queries become slow.', 'Set autovacuum = on.');
  const tables = await findTablesWithoutStatistics(database);
  if (tables.length === 0) return well(check, 'PostgreSQL has statistics for all large tables.');
  const fix = 'Wait a minute for autovacuum, or run "analyze" on them: queries are slow without statistics.';
  return wrong(check, `Large tables without statistics: ${tables.join(', ')}.`, fix);
}

async function checkKeys(database: Database): Promise<Finding> {
  const orgs = await listOrgs(database);
  const nowMs = (await databaseTime(database)).getTime();
  const endsMs = (expiresAt: Date | null) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const keys = (await listKeys(database, undefined)).filter(
    (key) => key.revokedAt === null && endsMs(key.expiresAt) > nowMs,
  );
  const soonMs = nowMs + thresholds.keyDays * 86_400_000;
  const ending = keys.filter((key) => endsMs(key.expiresAt) < soonMs).map((key) => key.credentialId);
  const keyless = orgs.filter((org) => !keys.some((key) => key.orgId === org.orgId)).map((org) => org.orgId);
  const detail = [
    `${plural(orgs.length, 'org')}, ${plural(keys.length, 'working key')}.`,
    ...(keyless.length === 0 ? [] : [`Without a working key: org ${some(keyless)}.`]),
    ...(ending.length === 0 ? [] : [`Expiring within ${thresholds.keyDays} days: ${some(ending)}.`]),
  ].join(' ');
  const fix = ending.length === 0 ? undefined : 'Create new ones in time with "orrery key create".';
  return well('keys', detail, fix);
}

/** Users of an earlier release could share an email address. */
async function describeMembers(database: Database): Promise<Finding> {
  const without: string[] = [];
  for (const { orgId } of (await listOrgs(database)).slice(0, thresholds.orgs)) {
    const shared = await findSharedEmails(database, orgId);
    without.push(...shared.map(({ memberId, email }) => `${memberId} of org ${orgId} (${email})`));
  }
  if (without.length === 0) return well('members', 'No member has lost an email address to another one.');
  const detail = `Members without the email address that an older member has too: ${some(without)}.`;
  return well('members', detail, 'Give each one an address of its own.');
}

/** An org near its quota is a note, not an error: its operator may want it to stop there. */
async function describeStorage(database: Database, largest: readonly OrgStorage[]): Promise<Finding> {
  const detail = `Stored: ${some(largest.map(storageText))}.`;
  const fullest = await listFullestOrgs(database, thresholds.orgsListed);
  const nearlyFull = fullest.filter(({ bytes, quota }) => quota !== null && bytes >= quota * thresholds.storageShare);
  if (nearlyFull.length === 0) return well('storage', largest.length === 0 ? 'No orgs yet.' : detail);
  const named = nearlyFull.map(storageText).join(', ');
  const fix = 'Purge the trash, or raise the quota with "orrery org update": a full org cannot write.';
  return well('storage', `${detail} Nearly full: ${named}.`, fix);
}

function storageText({ orgId, bytes, quota }: OrgStorage): string {
  const share = quota === null ? '' : ` of ${sized(quota)} (${Math.floor((bytes / quota) * 100)} %)`;
  return `org ${orgId} ${sized(bytes)}${share}`;
}

/** Properties that queries use on large types get an index automatically; building one does not slow down requests. */
function describeIndexes(indexes: readonly NamedIndex[]): Finding {
  const named = (each: NamedIndex) => `${each.typeName}.${each.property} of org ${each.orgId}`;
  const ready = indexes.filter(({ state }) => state === 'ready');
  const building = indexes.filter(({ state }) => state === 'building');
  const leaving = indexes.filter(({ state }) => state === 'retired' || state === 'dropping');
  const built = building.map((each) => `${named(each)} (${plural(each.filled, 'record')} so far)`);
  const detail = [
    ready.length === 0 ? 'No automatic indexes yet.' : `Automatic indexes: ${ready.length}.`,
    ...(built.length === 0 ? [] : [`Being built: ${some(built)}.`]),
    ...(leaving.length === 0 ? [] : [`Being removed: ${some(leaving.map(named))}.`]),
  ];
  return well('indexes', detail.join(' '));
}

/** Allows a day more than the retention: housekeeping works in small steps. */
async function describeHousekeeping({ trashDays, changesDays }: Config, database: Database): Promise<Finding> {
  const kept = { trashSeconds: (trashDays + 1) * 86_400, changesSeconds: (changesDays + 1) * 86_400 };
  const late: number[] = [];
  for (const { orgId } of (await listOrgs(database)).slice(0, thresholds.orgs)) {
    if (await hasOutlived(database, orgId, kept)) late.push(orgId);
  }
  if (late.length === 0)
    return well('housekeeping', 'The trash and the change feed contain nothing past its retention.');
  const detail = `The trash or the change feed contains entries past their retention: org ${some(late)}.`;
  return well('housekeeping', detail, 'Keep "orrery serve" running: it removes them gradually.');
}

function some(names: readonly (string | number)[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${names.slice(0, 10).join(', ')}${more}`;
}
