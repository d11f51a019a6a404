// Reading and writing records compared with a floor, in one run and on one database: the ratio of requests per second,
// and the CPU time of Node and PostgreSQL per request. Prints the numbers, writes them to bench/results/records.json, and
// fails if a target is missed. `node bench/records.mjs get` measures one operation and writes nothing. Linux only: CPU
// time is read from /proc.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { contact, prepareBatches, runBatchFloor } from './batch-floor.mjs';
import { cpuMicroseconds, load, machine, median, requestBytes, root, startService } from './support.mjs';

const targets = { get: 0.6, list: 0.7, create: 0.5, batch: 0.6, batchRecordsPerSecond: 5_000 };
const seeded = 20_000;
const connections = 32;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const roundMs = Number(process.env.BENCH_MS ?? 4_000);
const only = process.argv[2];

const service = await startService();
const pool = new pg.Pool({ ...service.database, user: 'orrery', database: 'postgres', max: 10 });
const floor = await startFloor();
try {
  const result = await measureAll();
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (only === undefined) {
    await writeFile(join(root, 'bench/results/records.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  floor.child.kill();
  await pool.end();
  await service.stop();
}

async function measureAll() {
  const ids = await seed();
  const cursors = await collectCursors();
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const key = service.key;
  const base = '/rest/v1/objects/svc_contact/records/';
  await pool.query('create table orrery.bench_record (like orrery.record including all)');
  let serial = 0;
  const body = () => JSON.stringify({ properties: contact(`single${serial++}`) });
  const measures = {
    get: () =>
      compare(
        () => requestBytes('GET', `${base}${pick(ids)}/`, { key }),
        () => requestBytes('GET', `/get/${pick(ids)}`, { key }),
      ),
    list: () =>
      compare(
        () => requestBytes('GET', `${base}?limit=50&cursor=${pick(cursors)}`, { key }),
        () => requestBytes('GET', `/list/${pick(ids)}`, { key }),
      ),
    create: () =>
      compare(
        () => requestBytes('POST', base, { key, body: body() }),
        () => requestBytes('POST', '/create', { key, body: body() }),
      ),
    batch: measureBatches,
  };
  const results = {};
  for (const [name, measure] of Object.entries(measures)) {
    if (only === undefined || only === name) results[name] = await measure();
  }
  const missed = Object.entries(results).flatMap(([name, { ratio, records_per_second: records }]) => [
    ...(ratio < targets[name] ? [`${name}: ${ratio} of the floor, expected at least ${targets[name]}`] : []),
    ...(records !== undefined && records < targets.batchRecordsPerSecond
      ? [`${name}: ${records} records per second, expected at least ${targets.batchRecordsPerSecond}`]
      : []),
  ]);
  return { ...machine(), connections, rounds, seconds_per_round: roundMs / 1_000, targets, ...results, missed };
}

async function startFloor() {
  const { host, port } = service.database;
  const words = ['bench/floor.mjs', host, String(port), String(service.orgId), service.key];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const listening = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(Number(String(chunk))));
  });
  return { child, port: listening };
}

/** Rounds by turns, so that other work on the machine affects both. */
async function compare(ours, theirs) {
  const rows = { ours: [], floor: [] };
  const sides = { ours: [service.port, service.pid, ours], floor: [floor.port, floor.child.pid, theirs] };
  for (const [port, , next] of Object.values(sides)) await load(port, connections, 3_000, next);
  for (let round = 0; round < rounds; round++) {
    for (const [side, [port, pid, next]] of Object.entries(sides)) {
      rows[side].push(await metered(pid, () => load(port, connections, roundMs, next)));
    }
  }
  return {
    ratio: rounded(median(rows.ours.map((row, index) => row.perSecond / rows.floor[index].perSecond)), 2),
    ours: told(rows.ours),
    floor: told(rows.floor),
  };
}

async function metered(pid, run) {
  const before = [await cpuMicroseconds(pid), await cpuMicroseconds(service.postmaster, true)];
  const result = await run();
  const after = [await cpuMicroseconds(pid), await cpuMicroseconds(service.postmaster, true)];
  const each = (index) => (after[index] - before[index]) / result.requests;
  return { ...result, nodeCpu: each(0), postgresCpu: each(1) };
}

function told(rows) {
  return {
    per_second: rounded(median(rows.map((row) => row.perSecond)), 0),
    node_cpu_us: rounded(median(rows.map((row) => row.nodeCpu)), 0),
    postgres_cpu_us: rounded(median(rows.map((row) => row.postgresCpu)), 0),
  };
}

/** Batches of 1,000 creates, two at a time, compared with the same rows from prepared arrays. */
async function measureBatches() {
  const size = 1_000;
  const atOnce = 2;
  const rows = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    const count = 10;
    const bodies = Array.from({ length: count }, (_, index) => batchBody(`r${round}b${index}`, size));
    rows.ours.push(await metered(service.pid, () => sendBatches(bodies, atOnce)));
    const prepared = prepareBatches(service.orgId, `f${round}`, count, size);
    rows.floor.push(await metered(process.pid, () => runBatchFloor(pool, prepared, atOnce)));
  }
  const records = (list) => median(list.map((row) => row.perSecond)) * size;
  return {
    ratio: rounded(median(rows.ours.map((row, index) => row.perSecond / rows.floor[index].perSecond)), 2),
    records_per_second: rounded(records(rows.ours), 0),
    floor_records_per_second: rounded(records(rows.floor), 0),
    ours: told(rows.ours),
    floor: told(rows.floor),
  };
}

function batchBody(name, size) {
  const operations = Array.from({ length: size }, (_, index) => ({
    operation: 'create',
    object_type: 'svc_contact',
    properties: contact(`${name}n${index}`),
  }));
  return requestBytes('POST', '/rest/v1/batch/', { key: service.key, body: JSON.stringify({ operations }) });
}

async function sendBatches(bodies, atOnce) {
  const waiting = [...bodies];
  return load(service.port, atOnce, 600_000, () => waiting.shift());
}

async function seed() {
  const bodies = Array.from({ length: seeded / 1_000 }, (_, index) => batchBody(`seed${index}x`, 1_000));
  await sendBatches(bodies, 2);
  await pool.query('vacuum analyze');
  const { rows } = await pool.query('select id from orrery.record where org_id = $1 and type_id = 1', [service.orgId]);
  return rows.map((row) => row.id);
}

/** Cursors from all over the list. */
async function collectCursors() {
  const cursors = [];
  let cursor;
  for (let page = 0; page < 39; page++) {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const response = await fetch(`${service.url}/rest/v1/objects/svc_contact/records/?limit=500${query}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    cursor = (await response.json()).pagination.next_cursor;
    cursors.push(cursor);
  }
  return cursors;
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
