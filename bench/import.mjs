// Imports of contacts from CSV while a service is running: contacts per second, CPU time of both sides per contact, and
// peak memory for a small and a large file; also with a searchable text of a dozen words in each contact, and the same
// contacts again with another title, each found by its email and updated; with a link to one of 10,000 companies, found by
// its domain; and such an import taken back. The same run measures two floors: the same values with a plain COPY into a bare table, and with batches of 1,000 through the API.
// Prints the numbers, writes them to bench/results/import.json, and fails if a target is missed. Linux only: CPU time and
// memory are read from /proc.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { summaryOf, valuesOf } from './import-data.mjs';
import { load, machine, requestBytes, root, startService } from './support.mjs';

// The target speed is for contacts with a dozen words. Those that are found, or taken back, must be at least half as fast,
// and those with a link 0.7 times as fast as without.
// Ten times the rows may need a little more memory, because garbage is collected less often.
const targets = { contactsPerSecond: 15_000, matched: 0.5, linked: 0.7, reverted: 0.5, memoryGrowth: 1.25 };
const small = Number(process.env.BENCH_SMALL ?? 50_000);
const middle = Number(process.env.BENCH_MIDDLE ?? 200_000);
const large = Number(process.env.BENCH_LARGE ?? 500_000);
const undone = Number(process.env.BENCH_UNDONE ?? 100_000);
const companies = 10_000;
/** The last import of each org. */
const jobs = new Map();

const folder = await mkdtemp(join(tmpdir(), 'orrery-bench-import-'));
const data = `${folder}-data`;
const service = await startService(data);
try {
  const result = await measureAll();
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (process.env.BENCH_LARGE === undefined) {
    await writeFile(join(root, 'bench/results/import.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  await service.stop();
  for (const each of [folder, data]) await rm(each, { recursive: true, force: true });
}

async function measureAll() {
  const first = await measureImport(await orgFor(small), small);
  const api = await measureApi(small);
  const copy = await measureCopy(small);
  const second = await measureImport(await orgFor(large), large);
  const org = await orgFor(middle);
  const worded = await measureImport(org, middle, { summary: summaryOf });
  const matched = await measureImport(org, middle, { summary: summaryOf, match: 'svc_email' });
  const other = await orgFor(undone);
  const imported = await measureImport(other, undone, { summary: summaryOf });
  const reverted = await measureRevert(other, undone);
  const linked = await measureLinked(await orgFor(undone), undone);
  const growth = rounded(second.peak_memory_mb / first.peak_memory_mb, 2);
  const missed = [
    ...(worded.per_second < targets.contactsPerSecond
      ? [`${worded.per_second} contacts per second, expected at least ${targets.contactsPerSecond}`]
      : []),
    ...(matched.per_second < worded.per_second * targets.matched
      ? [
          `${matched.per_second} found contacts per second, expected at least ${targets.matched} of ${worded.per_second}`,
        ]
      : []),
    ...(reverted.per_second < imported.per_second * targets.reverted
      ? [
          `${reverted.per_second} contacts taken back per second, expected at least ${targets.reverted} of ${imported.per_second}`,
        ]
      : []),
    ...(linked.per_second < imported.per_second * targets.linked
      ? [
          `${linked.per_second} linked contacts per second, expected at least ${targets.linked} of ${imported.per_second}`,
        ]
      : []),
    ...(growth > targets.memoryGrowth
      ? [`memory grows ${growth} times, expected at most ${targets.memoryGrowth}`]
      : []),
  ];
  return {
    ...machine(),
    targets,
    small: first,
    large: second,
    with_summaries: worded,
    matched,
    imported,
    linked,
    reverted,
    memory_growth: growth,
    api_batches: api,
    bare_copy: copy,
    ratio_to_api_batches: rounded(second.per_second / api.per_second, 2),
    ratio_to_bare_copy: rounded(second.per_second / copy.per_second, 2),
    missed,
  };
}

function orgFor(count) {
  return service.newOrg(`Import ${count}`);
}

/** From the start of the command to its end, including opening and closing the database. */
async function measureImport({ orgId }, count, { summary, match, map } = {}) {
  const path = await writeContacts(count, { summary, isFound: match !== undefined, hasCompany: map !== undefined });
  const words = ['import', '--org', String(orgId), '--type', 'svc_contact', path, '--json'];
  if (map !== undefined) words.push('--map', map);
  if (match !== undefined) words.push('--match', match);
  const { measured, printed } = await measureCommand(words, count);
  const { created, updated, refused, linked, job_id } = JSON.parse(printed);
  if (map !== undefined && linked !== count) throw new Error(printed);
  if ((match === undefined ? created : updated) !== count || refused !== 0) throw new Error(printed);
  jobs.set(orgId, job_id);
  return measured;
}

/** Contacts with a summary, each linked to one of 10,000 companies. */
async function measureLinked(org, count) {
  const path = join(folder, 'companies.csv');
  const rows = Array.from({ length: companies }, (_, index) => `Company ${index},${domainOf(index)}\n`);
  await writeFile(path, `Name,Domain\n${rows.join('')}`);
  await measureCommand(['import', '--org', String(org.orgId), '--type', 'svc_company', path, '--json'], companies);
  const map = join(folder, 'map.json');
  await writeFile(map, JSON.stringify({ Company: { association: 'svc_contact_to_company', by: 'svc_domain' } }));
  return measureImport(org, count, { summary: summaryOf, map });
}

function domainOf(index) {
  return `company${index % companies}.example`;
}

/** The last import of the org, taken back. */
async function measureRevert({ orgId }, count) {
  const words = ['revert', '--org', String(orgId), '--job', jobs.get(orgId), '--json'];
  const { measured, printed } = await measureCommand(words, count);
  if (JSON.parse(printed).counts.reverted !== count) throw new Error(printed);
  return measured;
}

async function measureCommand(words, count) {
  const before = await postgresCpu();
  const child = spawn(process.execPath, ['bin/orrery', ...words, '--data-dir', data], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const began = performance.now();
  const watched = watch(child);
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await once(child, 'close');
  const seconds = (performance.now() - began) / 1_000;
  const { cpu, peak } = watched();
  const measured = {
    contacts: count,
    seconds: rounded(seconds, 1),
    per_second: rounded(count / seconds, 0),
    node_cpu_us: rounded(cpu / count, 0),
    postgres_cpu_us: rounded(((await postgresCpu()) - before) / count, 0),
    peak_memory_mb: rounded(peak / 1_024, 0),
  };
  return { measured, printed };
}

/** CPU time and peak memory of a process, from the last sample before it ended. */
function watch({ pid }) {
  const last = { cpu: 0, peak: 0 };
  const sample = async () => {
    const [stat, status] = await Promise.all([statOf(pid), readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')]);
    last.cpu = Math.max(last.cpu, (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * 10_000);
    last.peak = Math.max(last.peak, Number(/VmHWM:\s+([0-9]+)/.exec(status)?.[1] ?? 0));
  };
  const timer = setInterval(() => void sample(), 50);
  return () => {
    clearInterval(timer);
    return last;
  };
}

/** CPU time of all PostgreSQL processes, including those that have ended. */
async function postgresCpu() {
  const own = await statOf(service.postmaster);
  let ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(own[field] ?? 0), 0);
  for (const name of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const stat = await statOf(name);
    if (Number(stat[1]) === service.postmaster) ticks += Number(stat[11]) + Number(stat[12]);
  }
  return ticks * 10_000;
}

async function statOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function measureApi(count) {
  const { key } = await service.newOrg('Batches');
  const bodies = [];
  for (let at = 0; at < count; at += 1_000) {
    const operations = Array.from({ length: 1_000 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: valuesOf(at + index),
    }));
    bodies.push(requestBytes('POST', '/rest/v1/batch/', { key, body: JSON.stringify({ operations }) }));
  }
  const { seconds } = await load(service.port, 2, 600_000, () => bodies.shift());
  return { contacts: count, seconds: rounded(seconds, 1), per_second: rounded(count / seconds, 0) };
}

/** The limit of PostgreSQL and a socket: one table, one key, no checks, and the text is prepared before the clock starts. */
async function measureCopy(count) {
  const client = new pg.Client({ ...service.database, user: 'orrery', database: 'postgres' });
  await client.connect();
  try {
    await client.query('create temporary table bare (id bigint primary key, properties jsonb not null)');
    let text = '';
    for (let index = 0; index < count; index++) text += `${index}\t${JSON.stringify(valuesOf(index))}\n`;
    const rows = Buffer.from(text);
    const began = performance.now();
    const stream = client.query(copyFrom('copy bare from stdin'));
    stream.end(rows);
    await once(stream, 'finish');
    const seconds = (performance.now() - began) / 1_000;
    return { contacts: count, seconds: rounded(seconds, 1), per_second: rounded(count / seconds, 0) };
  } finally {
    await client.end();
  }
}

async function writeContacts(count, { summary, isFound, hasCompany }) {
  const path = join(
    folder,
    `contacts-${count}${summary === undefined ? '' : '-summary'}${isFound ? '-found' : ''}${hasCompany ? '-company' : ''}.csv`,
  );
  const file = createWriteStream(path);
  file.write(
    `First name,Last name,Email,Phone,Job title,Location,Lead score${summary === undefined ? '' : ',Summary'}${hasCompany ? ',Company' : ''}\n`,
  );
  for (let index = 0; index < count; index++) {
    const values = valuesOf(index);
    const [{ national_number: digits }] = values.svc_phone_number;
    const cells = [
      values.svc_first_name,
      values.svc_last_name,
      values.svc_email[0],
      `+44 ${digits.slice(0, 2)} ${digits.slice(2, 6)} ${digits.slice(6)}`,
      isFound ? `Former ${values.svc_job_title}` : values.svc_job_title,
      `"${values.svc_location}"`,
      values.svc_lead_score,
      ...(summary === undefined ? [] : [summary(index)]),
      ...(hasCompany ? [domainOf(index * 7)] : []),
    ];
    if (!file.write(`${cells.join(',')}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  return path;
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
