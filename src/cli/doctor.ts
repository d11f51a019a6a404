// orrery doctor: checks what really goes wrong, one line each, and says what to do. Changes nothing, names no secret,
// and ends with its own exit status if anything is wrong.
import { statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { Config } from '../config.ts';
import { type NamedIndex, reportIndexes } from '../engine/index-reports.ts';
import { listKeys } from '../engine/keys.ts';
import type { Database } from '../store/database.ts';
import { databaseTime } from '../store/database-time.ts';
import { inspectEngine } from '../store/embedded/embedded.ts';
import { migrationStatus } from '../store/migrate.ts';
import { databaseExists, openUnmigrated } from '../store/open.ts';
import { listOrgs } from '../store/orgs.ts';
import { type Command, table } from './command.ts';
import { serveFlags } from './serve-flags.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
}

const freeBytesMin = 512 * 1_048_576;
const skewSecondsMax = 5;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation and say what is wrong',
  options: serveFlags.filter((each) => /^--(host|port) /.test(each.flags)),
  example: 'orrery doctor --json',
  run: async (context) => {
    const { config } = context;
    const findings: Finding[] = [
      { check: 'node', ok: true, detail: `Node ${process.versions.node} on ${process.platform}-${process.arch}.` },
      await checkPort(config),
      ...(config.place.engine === 'embedded' ? [await checkEngine()] : []),
    ];
    const { indexes, findings: found } = await checkDatabase(config);
    findings.push(...found);
    if (config.place.engine === 'embedded') findings.push(await checkDisk(config.place.dataDir));
    const rows = findings.map((each) => [each.ok ? 'ok' : 'WRONG', each.check, `${each.detail} ${each.fix ?? ''}`]);
    const healthy = findings.every((each) => each.ok);
    context.print({ healthy, findings, indexes }, table(rows));
    if (!healthy) {
      const wrong = findings.filter((each) => !each.ok).map((each) => each.check);
      throw new Failure('unhealthy', `Something is wrong: ${wrong.join(', ')}.`, 'Each line above says what to do.');
    }
  },
};

/** A port that answers is a service that runs, which is fine; it is told so that "in use" surprises nobody. */
async function checkPort({ host, port }: Config): Promise<Finding> {
  const answers = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 1_000 });
    const settle = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
  const detail = answers ? 'is in use: a service answers there.' : 'is free.';
  return { check: 'port', ok: true, detail: `Port ${port} on ${host} ${detail}` };
}

async function checkEngine(): Promise<Finding> {
  const { platform, version, problem } = await inspectEngine();
  if (version !== undefined && problem === undefined)
    return { check: 'engine', ok: true, detail: `Embedded PostgreSQL ${version}, ${platform}.` };
  return {
    check: 'engine',
    ok: false,
    detail: problem ?? `No embedded PostgreSQL for ${platform} is installed.`,
    fix: 'Run npm ci without --omit=optional, or give a server with --database-url.',
  };
}

interface Checked {
  readonly findings: readonly Finding[];
  readonly indexes: readonly NamedIndex[];
}

async function checkDatabase(config: Config): Promise<Checked> {
  const only = (finding: Finding): Checked => ({ findings: [finding], indexes: [] });
  if (!(await databaseExists(config.place))) {
    const detail = 'There is none in the data folder yet; the first start makes it.';
    return only({ check: 'database', ok: true, detail });
  }
  let database: Database;
  try {
    database = await openUnmigrated(config.place);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return only({ check: 'database', ok: false, detail: error.message, fix: error.fix });
  }
  try {
    const { engine, version, place } = database.facts;
    const findings: Finding[] = [
      { check: 'database', ok: true, detail: `PostgreSQL ${version} (${engine}) in ${place}.` },
      await checkClock(database),
    ];
    const status = await migrationStatus(database);
    const migrations = checkMigrations(status);
    findings.push(migrations);
    const usable = migrations.ok && status.current > 0;
    const indexes = usable ? await reportIndexes(database) : [];
    if (usable) findings.push(await checkKeys(database), describeIndexes(indexes));
    return { findings, indexes };
  } finally {
    await database.close();
  }
}

/** Properties that were asked for in large types get an index by themselves; one that is building slows nothing down. */
function describeIndexes(indexes: readonly NamedIndex[]): Finding {
  const building = indexes
    .filter(({ state }) => state === 'building')
    .map((each) => `${each.object_type}.${each.property} of org ${each.org_id} (${each.filled} records so far)`);
  const ready = `${indexes.length - building.length} property indexes have come by themselves.`;
  const detail = building.length === 0 ? ready : `${ready} Being built: ${building.slice(0, 10).join(', ')}.`;
  return { check: 'indexes', ok: true, detail };
}

async function checkClock(database: Database): Promise<Finding> {
  const seconds = Math.abs((await databaseTime(database)).getTime() - systemClock.nowMs()) / 1_000;
  const detail = `The clocks of this machine and of the database are ${seconds.toFixed(1)} s apart.`;
  if (seconds <= skewSecondsMax) return { check: 'clock', ok: true, detail };
  return { check: 'clock', ok: false, detail, fix: 'Keep both in time with NTP: keys expire by the clock.' };
}

function checkMigrations(status: Awaited<ReturnType<typeof migrationStatus>>): Finding {
  const check = 'migrations';
  if (status.current > status.latest) {
    return { check, ok: false, detail: 'The tables are newer than this program.', fix: 'Use the newer program.' };
  }
  if (status.pending.length === 0) return { check, ok: true, detail: `The tables are at migration ${status.current}.` };
  if (status.current === 0) return { check, ok: true, detail: 'The database is empty; the first start fills it.' };
  return {
    check,
    ok: false,
    detail: `${status.pending.length} migrations are pending.`,
    fix: 'Run orrery db migrate.',
  };
}

async function checkKeys(database: Database): Promise<Finding> {
  const orgs = await listOrgs(database);
  const now = systemClock.nowMs();
  const keys = (await listKeys(database, undefined)).filter(
    (key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > now),
  );
  const keyless = orgs.filter((org) => !keys.some((key) => key.orgId === org.orgId)).map((org) => org.orgId);
  const detail = `${orgs.length} orgs, ${keys.length} working keys.`;
  if (keyless.length === 0) return { check: 'keys', ok: true, detail };
  return {
    check: 'keys',
    ok: true,
    detail: `${detail} Without a working key: org ${keyless.slice(0, 10).join(', ')}.`,
  };
}

async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const detail = `${Math.floor(free / 1_048_576)} MiB are free where the data folder is.`;
    if (free >= freeBytesMin) return { check: 'disk', ok: true, detail };
    return { check: 'disk', ok: false, detail, fix: 'Make room: writes stop when the disk is full.' };
  } catch {
    return { check: 'disk', ok: true, detail: 'The data folder is not there yet; the first start makes it.' };
  }
}
