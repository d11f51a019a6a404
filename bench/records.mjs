// Reading and writing records compared with a floor (floor.mjs), in one run and on one database: 100,000 contacts, 10,000
// companies and 30,000 deals, 32 connections. For each row the ratio of requests per second, and the CPU time of Node and
// PostgreSQL per request; then batches of 1,000 creates beside the same rows from prepared arrays (batch-floor.mjs), and the
// memory of Node after all of it. Prints the numbers, writes them to bench/results/records.json, and fails if a target is
// missed. `node bench/records.mjs get list` measures some rows and writes nothing. Linux only: CPU time and memory are read
// from /proc.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { prepareBatches, runBatchFloor } from './batch-floor.mjs';
import { companyOf, contactOf, dealOf, emailOf, largestAmount } from './crm-data.mjs';
import { fillFloor, typeIds } from './floor.mjs';
import { cpuMicroseconds, load, machine, median, requestBytes, root, startService } from './support.mjs';

/** Ratios to the floor, records per second in batches of 1,000, and MB of Node at the end. */
const targets = {
  ...{
    get: 1,
    list: 0.7,
    deep: 0.7,
    email: 0.7,
    range: 0.6,
    count: 1,
    update: 0.5,
    create: 0.6,
    graph: 0.4,
    batch100: 0.3,
  },
  batchRecordsPerSecond: 12_000,
  memoryMb: 180,
};
const scale = Number(process.env.BENCH_SCALE ?? 1);
const sizes = { svc_company: 10_000 * scale, svc_contact: 100_000 * scale, svc_deal: 30_000 * scale };
const connections = 32;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const roundMs = Number(process.env.BENCH_MS ?? 3_000);
const only = process.argv.slice(2);
const contacts = '/rest/v1/objects/svc_contact/records/';
const rangeWidth = largestAmount / 20;
/** How many bodies have got a number of their own. */
let serial = 0;
const countByScore = JSON.stringify({
  group_by: [{ property: 'svc_lead_score' }],
  aggregations: [{ function: 'count' }],
});

const service = await startService();
const pool = new pg.Pool({ ...service.database, user: 'orrery', database: 'postgres', max: 10 });
let floor;
try {
  const ids = await seed();
  await fillFloor(pool, service.orgId);
  floor = await startFloor();
  const result = await measureAll(ids);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (only.length === 0 && scale === 1) {
    await writeFile(join(root, 'bench/results/records.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  floor?.child.kill();
  await pool.end();
  await service.stop();
}

async function measureAll(ids) {
  const rows = {};
  for (const [name, sides] of Object.entries(await rowsOf(ids))) {
    if (only.length === 0 || only.includes(name)) rows[name] = await compare(sides);
  }
  const batches = only.length === 0 ? await measureBatches() : undefined;
  const memoryMb = Math.round((await memoryKb(service.pid)) / 1_024);
  const missed = Object.entries(rows)
    .filter(([name, { ratio }]) => ratio < targets[name])
    .map(([name, { ratio }]) => `${name}: ${ratio} of the floor, expected at least ${targets[name]}`);
  if (batches?.records_per_second < targets.batchRecordsPerSecond) {
    missed.push(`batches: ${batches.records_per_second} records per second, expected ${targets.batchRecordsPerSecond}`);
  }
  if (memoryMb > targets.memoryMb) missed.push(`memory: ${memoryMb} MB, expected at most ${targets.memoryMb}`);
  const settings = { records: sizes, connections, rounds, seconds_per_round: roundMs / 1_000, targets };
  return { ...machine(), ...settings, rows, batches_of_1000: batches, memory_mb: memoryMb, missed };
}

/** Each row as a request to us and the same one to the floor. Pages and records are chosen at random. */
async function rowsOf(ids) {
  const key = service.key;
  const cursors = await collectCursors();
  const deep = cursors.at(-1);
  const contact = () => pick(ids.svc_contact);
  const email = () => emailOf(below(sizes.svc_contact));
  const get = (path) => () => requestBytes('GET', path(), { key });
  const send = (method, path, body) => () => requestBytes(method, path(), { key, body: body() });
  const post = (path, body) => send('POST', () => path, body);
  const title = fresh([{ properties: { svc_job_title: 'Title @@' } }]);
  return {
    get: [get(() => `${contacts}${contact()}/`), get(() => `/contact/${contact()}`)],
    list: [
      get(() => `${contacts}?limit=50&cursor=${pick(cursors).cursor}`),
      get(() => `/contacts/${pick(cursors).id}`),
    ],
    deep: [get(() => `${contacts}?limit=50&cursor=${deep.cursor}`), get(() => `/contacts/${deep.id}`)],
    email: [post(`${contacts}query/`, () => byEmail(email())), get(() => `/email/${encodeURIComponent(email())}`)],
    range: [
      post('/rest/v1/objects/svc_deal/records/query/', () => byAmount(below(largestAmount * 0.95))),
      get(() => {
        const from = below(largestAmount * 0.95);
        return `/range/${from}-${from + rangeWidth}`;
      }),
    ],
    count: [post(`${contacts}aggregate/`, () => countByScore), get(() => '/count')],
    update: [
      send('PATCH', () => `${contacts}${contact()}/`, title),
      send('PATCH', () => `/contact/${contact()}`, title),
    ],
    create: [
      post(contacts, fresh(newContacts(500).map((properties) => ({ properties })))),
      post('/contacts', fresh(newContacts(500).map((properties) => [properties]))),
    ],
    graph: [
      post('/rest/v1/batch/', fresh(newContacts(500).map(graph))),
      post(
        '/graph',
        fresh(newContacts(500).map((properties, index) => [newCompany(index), properties, dealOf(index)])),
      ),
    ],
    batch100: [
      post('/rest/v1/batch/', fresh(hundreds().map((list) => ({ atomic: true, operations: list.map(newContact) })))),
      post('/contacts', fresh(hundreds())),
    ],
  };
}

function pick(list) {
  return list[below(list.length)];
}

function below(limit) {
  return Math.floor(Math.random() * limit);
}

/** Texts of bodies by turns, each with a number of its own in place of each `@@`: making one must cost little. */
function fresh(bodies) {
  const texts = bodies.map((body) => JSON.stringify(body).split('@@'));
  let turn = 0;
  return () => texts[turn++ % texts.length].join(String(serial++));
}

function newContacts(count) {
  return Array.from({ length: count }, (_, index) => ({
    ...contactOf(index),
    svc_email: [`new@@-${index}@bench.example`],
  }));
}

function newCompany(index) {
  return { ...companyOf(index), svc_domain: `new@@-${index}.example` };
}

function hundreds() {
  return Array.from({ length: 20 }, () => newContacts(100));
}

function newContact(properties) {
  return create('svc_contact', properties);
}

function byEmail(email) {
  return JSON.stringify({ filter: { property: 'svc_email', operator: 'eq', value: email }, limit: 50 });
}

function byAmount(from) {
  const value = [from, from + rangeWidth].map((amount) => ({ amount: String(amount), unit: 'EUR' }));
  const sort = [{ property: 'svc_amount', direction: 'asc' }];
  return JSON.stringify({ filter: { property: 'svc_amount', operator: 'between', value }, sort, limit: 50 });
}

function create(type, properties, more = {}) {
  return { operation: 'create', object_type: type, properties, ...more };
}

/** A company, a contact and a deal that are linked, all or none. */
function graph(contact, index) {
  const link = (name, ref) => ({ association_type: `svc_${name}`, target_id: { ref } });
  return {
    atomic: true,
    operations: [
      create('svc_company', newCompany(index), { ref: 'company' }),
      create('svc_contact', contact, { ref: 'contact', associations: [link('contact_to_company', 'company')] }),
      create('svc_deal', dealOf(index), {
        associations: [link('deal_to_company', 'company'), link('deal_to_contact', 'contact')],
      }),
    ],
  };
}

async function startFloor() {
  const { host, port } = service.database;
  const words = ['bench/floor.mjs', host, String(port), service.key];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const listening = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(Number(String(chunk))));
  });
  return { child, port: listening };
}

/** Rounds by turns, so that other work on the machine affects both. */
async function compare([ours, theirs]) {
  const rows = { ours: [], floor: [] };
  const sides = { ours: [service.port, service.pid, ours], floor: [floor.port, floor.child.pid, theirs] };
  for (const [port, , next] of Object.values(sides)) await load(port, connections, 2_000, next);
  for (let round = 0; round < rounds; round++) {
    for (const [side, [port, pid, next]] of Object.entries(sides)) {
      rows[side].push(await metered(pid, () => load(port, connections, roundMs, next)));
    }
  }
  return { ratio: ratioOf(rows), ours: told(rows.ours), floor: told(rows.floor) };
}

function ratioOf({ ours, floor: theirs }) {
  return rounded(median(ours.map((row, index) => row.perSecond / theirs[index].perSecond)), 2);
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
    per_second: rounded(median(rows.map((row) => row.perSecond)), 1),
    node_cpu_us: rounded(median(rows.map((row) => row.nodeCpu)), 0),
    postgres_cpu_us: rounded(median(rows.map((row) => row.postgresCpu)), 0),
  };
}

/** Batches of 1,000 creates, two at a time. */
async function measureBatches() {
  const size = 1_000;
  const atOnce = 2;
  const rows = { ours: [], floor: [] };
  let made = 10_000_000;
  for (let round = 0; round < rounds; round++) {
    const count = 10;
    const bodies = Array.from({ length: count }, () => batchOf('svc_contact', size, () => contactOf(made++)));
    rows.ours.push(await metered(service.pid, () => sendAll(bodies, atOnce)));
    const prepared = prepareBatches(service.orgId, `f${round}`, count, size);
    rows.floor.push(await metered(process.pid, () => runBatchFloor(pool, prepared, atOnce)));
  }
  const records = (list) => rounded(median(list.map((row) => row.perSecond)) * size, 0);
  return {
    ratio: ratioOf(rows),
    records_per_second: records(rows.ours),
    floor_records_per_second: records(rows.floor),
    ours: told(rows.ours),
    floor: told(rows.floor),
  };
}

function batchOf(type, size, next, links = () => []) {
  const operations = Array.from({ length: size }, (_, index) =>
    create(type, next(index), { associations: links(index) }),
  );
  return requestBytes('POST', '/rest/v1/batch/', { key: service.key, body: JSON.stringify({ operations }) });
}

function sendAll(bodies, atOnce) {
  const waiting = [...bodies];
  return load(service.port, atOnce, 600_000, () => waiting.shift());
}

/** The ids of all records by type. Contacts have a company, deals a company and a contact. */
async function seed() {
  const ids = {};
  const values = { svc_company: companyOf, svc_contact: contactOf, svc_deal: dealOf };
  const link = (name, list, index) => ({ association_type: `svc_${name}`, target_id: list[index % list.length] });
  const links = {
    svc_company: () => [],
    svc_contact: (index) => [link('contact_to_company', ids.svc_company, index)],
    svc_deal: (index) => [
      link('deal_to_company', ids.svc_company, index),
      link('deal_to_contact', ids.svc_contact, index * 3),
    ],
  };
  for (const [type, size] of Object.entries(sizes)) {
    let from = 0;
    await load(service.port, 2, 600_000, () => {
      if (from >= size) return undefined;
      const at = from;
      from += 1_000;
      return batchOf(
        type,
        Math.min(1_000, size - at),
        (index) => values[type](at + index),
        (index) => links[type](at + index),
      );
    });
    const { rows } = await pool.query('select id from orrery.record where org_id = $1 and type_id = $2', [
      service.orgId,
      typeIds[type],
    ]);
    ids[type] = rows.map(({ id }) => id);
  }
  await pool.query('vacuum analyze');
  return ids;
}

/** Cursors from all over the list, with the last record before each. The last one is nine tenths down. */
async function collectCursors() {
  const found = [];
  let cursor = '';
  const limit = Math.min(500, sizes.svc_contact / 20);
  for (let seen = 0; seen < sizes.svc_contact * 0.9; seen += limit) {
    const response = await fetch(`${service.url}${contacts}?limit=${limit}&properties=svc_email${cursor}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { data, pagination } = await response.json();
    found.push({ id: data.at(-1).id, cursor: pagination.next_cursor });
    cursor = `&cursor=${pagination.next_cursor}`;
  }
  return found;
}

async function memoryKb(pid) {
  return Number(/^VmRSS:\s+([0-9]+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]);
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
