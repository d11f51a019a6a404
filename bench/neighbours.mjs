// A quiet org beside a noisy one: how long its requests take while each attack of test/support/fair-shares runs, beside
// how long they take when it is alone. The attacker is a process of its own at another loopback address.
//
// The quiet org sends 40 requests a second, whatever the answers take. Each attack lasts 12 s, so its p99 is the fifth
// slowest of 480; all calm phases together, one before each attack, are the measure. Below `floorMs` times are not
// compared: on a shared machine they are noise. An attack that is too slow for the quiet org is repeated twice, and the
// median of the three counts.
import { fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cpuMicroseconds, median, startService } from './support.mjs';

const ratioMax = 3;
const floorMs = 10;
const memoryMax = 400;
const perSecond = 40;
const attackMs = Number(process.env.SOAK_ATTACK_MS ?? 12_000);
const calmMs = 4_000;
const firstCalmMs = 20_000;
/** The pause after an attack, and the time after which everything that it took must be given back: a statement's most. */
const restMs = 2_000;
const givenBackMs = 12_000;
const sizes = { links: 2_000, hidden: 0, large: 500, dossier: 524_288 };
const hidden = Number(process.env.SOAK_HIDDEN ?? 100_000);
/** The default quota. Attacks that can use it up are those of several orgs by turns, each in a new window. */
const units = 6_000;
const noisyOrgs = 4;
/** Attacks of the org with hidden records are about time, not units; several of them fall into one window. */
const unitsOfReads = Math.round((100 * (attackMs + restMs + calmMs)) / 1_000);

/** `drivers` are the bundled drivers, `attacker` is the path of the attacker's program. Parts of names choose attacks. */
export async function runNeighbours(drivers, { folder, attacker, chosen = [], program }) {
  const service = await startService(join(folder, 'neighbours'), program);
  const database = new pg.Client({ ...service.database, user: 'orrery', database: 'postgres' });
  await database.connect();
  try {
    const quietKey = (await newOrg(service)).full;
    const quiet = await drivers.QuietOrg.prepare(service.port, quietKey, 300);
    const scene = { service, database, quiet, attacker, drivers, folder };
    const isChosen = ({ name }) => chosen.length === 0 || chosen.some((part) => name.includes(part));
    const worldOf = await newWorlds(scene);
    const calm = [...(await quietFor(scene, firstCalmMs))];
    const reports = [];
    const run = async ({ name, attack, runs }) => {
      calm.push(...(await quietFor(scene, calmMs)));
      runs.push(await underAttack(scene, attack, worldOf(attack)));
      tell(name, runs.at(-1), calm);
    };
    const repeatIfSlow = async (report) => {
      while (report.runs.length < 3 && isOnlySlow(report.runs[0], calm)) await run(report);
    };
    for (const attack of [...drivers.attacks, importBeside].filter(isChosen)) {
      const report = { name: attack.name, attack, runs: [] };
      reports.push(report);
      await run(report);
      await repeatIfSlow(report);
    }
    // The measure is complete only now.
    for (const report of reports) await repeatIfSlow(report);
    return summary(calm, reports);
  } finally {
    await database.end();
    await service.stop();
  }
}

/** An org with the default rate limit. */
async function newOrg(service) {
  const { org_id: orgId } = await service.orrery('org', 'create', 'Neighbour');
  const { key: full } = await service.orrery('key', 'create', '--org', String(orgId));
  return { orgId, full };
}

/** The world for each attack. */
async function newWorlds(scene) {
  const withHidden = { ...(await newWorld(scene, { ...sizes, hidden })), units: unitsOfReads };
  const others = [];
  while (others.length < noisyOrgs) others.push({ ...(await newWorld(scene, sizes)), units });
  let turn = 0;
  return (attack) => (attack.needsHidden ? withHidden : others[turn++ % noisyOrgs]);
}

/** A noisy org with its keys and everything that attacks need. */
async function newWorld({ service, drivers, folder }, wanted) {
  const { orgId, full } = await newOrg(service);
  const ofOrg = ['--org', String(orgId)];
  const user = async (name) => (await service.orrery('user', 'create', ...ofOrg, '--name', name)).user_id;
  const newKey = async (...words) => (await service.orrery('key', 'create', ...ofOrg, ...words)).key;
  const readOnly = await newKey('--grant', '*:read');
  const admin = await newKey('--admin');
  const ofUser = await newKey('--user', await user('Ada'), '--reach', 'user');
  const owner = await newKey('--user', await user('Grace'));
  const schema = join(folder, 'noisy.json');
  await writeFile(schema, JSON.stringify(drivers.noisySchema));
  await service.orrery('schema', 'apply', ...ofOrg, schema);
  const [sendFull, sendOwner] = [full, owner].map((key) => drivers.plainSend(service.url, key));
  const records = await drivers.prepareRecords({ full: sendFull, owner: sendOwner }, wanted);
  const keys = { full, readOnly, admin, user: ofUser };
  return { port: service.port, from: '127.0.0.2', orgId, keys, records, scale: 1 };
}

function quietFor({ quiet }, ms) {
  const until = performance.now() + ms;
  return quiet.run(perSecond, () => performance.now() >= until);
}

/** What the quiet org met during the attack, what the noisy one got, and what it took. */
async function underAttack(scene, attack, world) {
  const { service, database, quiet, folder } = scene;
  const weapon = attack.begin === undefined ? await arm(scene, attack.name, world) : attack.begin(scene, world);
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const before = await taken(database);
  const cpuBefore = await cpuOf(service);
  let isOver = false;
  const [samples, attacked] = await Promise.all([
    quiet.run(perSecond, () => isOver),
    weapon.attack(attackMs).finally(() => {
      isOver = true;
    }),
  ]);
  const cpu = await cpuOf(service);
  const left = await leftBehind(scene);
  const after = await taken(database);
  weapon.close();
  return {
    samples,
    outcomes: attacked.tally.outcomes,
    noisyTimes: attacked.tally.times,
    attackerCpuMs: attacked.cpuMs,
    cpuShare: { node: share(cpu.node - cpuBefore.node), postgres: share(cpu.postgres - cpuBefore.postgres) },
    memoryMb: await memoryMb(service.pid, 'VmHWM'),
    memoryAfterMb: await memoryMb(service.pid, 'VmRSS'),
    tempMb: megabytes(after.temp - before.temp),
    databaseMb: megabytes(after.size - before.size),
    left,
    folder,
  };
}

/** Starts an attacker that has everything ready. */
async function arm({ attacker }, name, world) {
  const child = fork(attacker, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = (member) =>
    new Promise((resolve, reject) => {
      child.on('message', (message) => member in message && resolve(message));
      child.once('exit', (code) => reject(new Error(`The attacker of "${name}" ended with ${code}.`)));
    });
  const ready = answer('armed');
  child.send({ arm: name, world });
  await ready;
  return {
    attack: (ms) => {
      const done = answer('tally');
      child.send({ attackForMs: ms });
      return done;
    },
    close: () => {
      child.removeAllListeners('exit');
      if (child.connected) child.disconnect();
    },
  };
}

/** The command that imports a file, by the operator of the noisy org. */
const importBeside = {
  name: 'an import beside',
  begin: ({ service, folder }, { orgId }) => ({
    attack: async (ms) => {
      const file = join(folder, 'import.csv');
      const rows = Array.from({ length: 100_000 }, (_, index) => `Imported ${index},Job ${index % 100}`);
      await writeFile(file, `svc_last_name,svc_job_title\n${rows.join('\n')}\n`);
      const until = performance.now() + ms;
      const outcomes = { imports: 0 };
      do {
        await service.orrery('import', '--org', String(orgId), '--type', 'svc_contact', file);
        outcomes.imports++;
      } while (performance.now() < until);
      return { tally: { outcomes, times: [] }, cpuMs: 0 };
    },
    close: () => {},
  }),
};

/** Bytes of temporary files so far, and the size of the database. */
async function taken(database) {
  const { rows } = await database.query(
    "select sum(temp_bytes)::float8 as temp, pg_database_size('postgres')::float8 as size from pg_stat_database",
  );
  return rows[0];
}

/** What an attack has left behind; it has some time to give everything back. */
async function leftBehind(scene) {
  const until = performance.now() + givenBackMs;
  for (;;) {
    await new Promise((resolve) => {
      setTimeout(resolve, restMs);
    });
    const held = await stillHeld(scene);
    if (Object.keys(held).length === 0 || performance.now() > until) return held;
  }
}

/** Connections of the attacker, requests in flight, transactions and temporary files that there are now. */
async function stillHeld({ service, database }) {
  const { rows } = await database.query(
    `select
       (select count(*)::int from pg_stat_activity
         where backend_type = 'client backend' and xact_start < now() - interval '1 second') as transactions,
       (select count(*)::int from pg_ls_tmpdir()) as files`,
  );
  const left = { ...rows[0], connections: await foreignConnections(service.port) };
  const response = await fetch(`${service.url}/metrics`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics: ${response.status} ${text}`);
  for (const [, name, value] of text.matchAll(/^(orrery_[a-z_]+(?:\{[^}]*\})?) ([0-9.e+]+)$/gm)) {
    if (/busy|waiting|waits|in_flight|held/.test(name)) left[name] = Number(value);
  }
  return Object.fromEntries(Object.entries(left).filter(([, value]) => value !== 0));
}

/** Established connections to the port that come from another address than ours. */
async function foreignConnections(port) {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1);
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return lines.filter((line) => {
    const [, ours, theirs, state] = line.trim().split(/\s+/);
    return ours.endsWith(local) && state === '01' && !theirs.startsWith('0100007F');
  }).length;
}

async function memoryMb(pid, name) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+([0-9]+) kB`, 'm').exec(status)[1]) / 1_000);
}

/** Of PostgreSQL with the connections that have ended meanwhile. */
async function cpuOf({ pid, postmaster }) {
  const stat = await readFile(`/proc/${postmaster}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) * 10_000;
  return { node: await cpuMicroseconds(pid), postgres: ended + (await cpuMicroseconds(postmaster, true)) };
}

/** The share of one core. */
function share(microseconds) {
  return Math.round(microseconds / attackMs / 10) / 100;
}

function megabytes(bytes) {
  return Math.round(bytes / 1e5) / 10;
}

function quantile(values, part) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function p99(samples) {
  return quantile(
    samples.map(({ ms }) => ms),
    0.99,
  );
}

/** The slowest p99 that an attack may cause. */
function slowest(calm) {
  return ratioMax * Math.max(floorMs, p99(calm));
}

/** Too slow without an error: the machine may have been busy with something else. */
function isOnlySlow({ samples }, calm) {
  return p99(samples) > slowest(calm) && failures(samples).length === 0;
}

function failures(samples) {
  return samples.filter(({ text }) => text !== '');
}

function times(samples) {
  const all = samples.map(({ ms }) => ms);
  const rounded = (value) => Math.round(value * 10) / 10;
  return {
    requests: samples.length,
    p50_ms: rounded(quantile(all, 0.5)),
    p99_ms: rounded(quantile(all, 0.99)),
    max_ms: rounded(Math.max(...all)),
  };
}

function tell(name, run, calm) {
  const { samples, outcomes, memoryMb: memory, memoryAfterMb, left, cpuShare, attackerCpuMs } = run;
  const noisy = run.noisyTimes.length === 0 ? {} : { noisy_p50: Math.round(quantile(run.noisyTimes, 0.5)) };
  const line = {
    ...times(samples),
    errors: failures(samples).length,
    calm_p99: Math.round(p99(calm) * 10) / 10,
    memory,
    memoryAfterMb,
    temp: run.tempMb,
    db: run.databaseMb,
    outcomes,
    ...noisy,
    cpu: [cpuShare.node, cpuShare.postgres, Math.round(attackerCpuMs / 10) / 100],
    left,
  };
  process.stderr.write(`${name}: ${JSON.stringify(line)}\n`);
  for (const { operation, status, text } of failures(samples).slice(0, 2)) {
    process.stderr.write(`  ${operation} ${status} ${text.slice(0, 300)}\n`);
  }
}

function summary(calm, reports) {
  const findings = [];
  const attacks = {};
  const bound = slowest(calm);
  for (const { name, runs } of reports) {
    const counted = runs.toSorted((left, right) => p99(left.samples) - p99(right.samples))[Math.floor(runs.length / 2)];
    const errors = runs.flatMap(({ samples }) => failures(samples));
    const memory = Math.max(...runs.map((run) => run.memoryMb));
    const left = Object.assign({}, ...runs.map((run) => run.left));
    const slow = p99(counted.samples);
    if (slow > bound) findings.push(`${name}: p99 ${Math.round(slow)} ms, expected at most ${Math.round(bound)}`);
    if (errors.length > 0) {
      const [{ operation, status, text }] = errors;
      findings.push(`${name}: ${errors.length} errors, such as ${operation} ${status} ${text.slice(0, 200)}`);
    }
    if (memory > memoryMax) findings.push(`${name}: ${memory} MB of memory, expected at most ${memoryMax}`);
    if (runs.some(({ outcomes }) => outcomes[500] > 0)) findings.push(`${name}: the noisy org got 500`);
    if (Object.keys(left).length > 0) findings.push(`${name} leaves ${JSON.stringify(left)}`);
    attacks[name] = {
      runs: runs.length,
      quiet: { ...times(counted.samples), ratio: Math.round((slow / Math.max(floorMs, p99(calm))) * 100) / 100 },
      errors: errors.length,
      noisy: counted.outcomes,
      memory_mb: memory,
      temp_mb: counted.tempMb,
      database_mb: counted.databaseMb,
      attacker_cpu_s: Math.round(counted.attackerCpuMs / 10) / 100,
      service_cpu: counted.cpuShare,
    };
  }
  const operations = [...new Set(calm.map(({ operation }) => operation))];
  const byOperation = operations.map((name) => [name, times(calm.filter(({ operation }) => operation === name))]);
  const ratios = Object.values(attacks).map(({ quiet }) => quiet.ratio);
  const numbers = {
    seconds_per_attack: attackMs / 1_000,
    quiet_requests_per_second: perSecond,
    floor_ms: floorMs,
    calm: { ...times(calm), by_operation: Object.fromEntries(byOperation) },
    ratio: { median: median(ratios), max: Math.max(...ratios) },
    memory_mb: Math.max(...Object.values(attacks).map(({ memory_mb: memory }) => memory)),
    attacks,
  };
  return { findings, numbers };
}
