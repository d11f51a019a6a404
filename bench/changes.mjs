// The cost of the change feed for writes: batches of 1,000 creates and single updates, with and without the feed.
// "Without" is the program built from the same sources, without the code that makes entries and notifies other processes;
// each of the two has its own database. The entries are not replaced by a view or a trigger that discards them: they would
// still be made, sent and planned, and the feed would look cheaper than it is. Both run by turns in short rounds, so that
// other work on the machine affects both. Prints the numbers, writes them to bench/results/changes.json, and fails if a
// target is missed. Linux only: CPU time is read from /proc.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { contact } from './batch-floor.mjs';
import {
  buildProgram,
  changeSources,
  cpuMicroseconds,
  load,
  machine,
  median,
  requestBytes,
  root,
  startService,
} from './support.mjs';

/** The share of a write's time that the feed may take. */
const targets = { batch: 0.1, update: 0.25 };
const seeded = 10_000;
const connections = 16;
const batchesPerRound = 6;
const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
const roundMs = Number(process.env.BENCH_MS ?? 2_000);
const records = '/rest/v1/objects/svc_contact/records/';

const folder = join(root, `bench/results/.changes-${process.pid}`);
const sides = {};
try {
  sides.with = await startService(undefined, await buildProgram(join(folder, 'with'), []));
  sides.without = await startService(undefined, await buildProgram(join(folder, 'without'), [withoutFeed()]));
  const ids = { with: await seed(sides.with), without: await seed(sides.without) };
  await vacuum();
  const result = {
    ...machine(),
    connections,
    rounds,
    seconds_per_round: roundMs / 1_000,
    targets,
    batch: await compare(createBatches),
    update: await compare((service, side, round) => updateRecords(service, ids[side], round)),
  };
  result.missed = Object.entries(targets)
    .filter(([name, share]) => result[name].share > share)
    .map(([name, share]) => `${name}: ${result[name].share} of the time, expected at most ${share}`);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, 'bench/results/changes.json'), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  for (const service of Object.values(sides)) await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Removes every entry of the feed, and the notification of other processes, from the sources. */
function withoutFeed() {
  const entries = { pattern: /\bunit\.noteEntry\([^;]*;/g, replacement: ';' };
  return changeSources({
    'engine/rules/write.ts': { ...entries, count: 2 },
    'engine/unit/trash-draft.ts': { ...entries, count: 2 },
    'engine/rules/link.ts': { ...entries, count: 1 },
    'engine/rules/record-link.ts': { ...entries, count: 2 },
    'engine/process/signal.ts': { pattern: /\bsender\.note\([^;]*;/g, replacement: ';', count: 1 },
  });
}

/** Does the work of autovacuum now, and checks that one side has a feed and the other has none. */
async function vacuum() {
  const counts = {};
  for (const [side, service] of Object.entries(sides)) {
    const client = new pg.Client({ ...service.database, user: 'orrery', database: 'postgres' });
    await client.connect();
    const text = 'select count(*)::integer as count from orrery.change where org_id = $1 and type_id = 1';
    counts[side] = (await client.query(text, [service.orgId])).rows[0].count;
    await client.query('vacuum analyze');
    await client.end();
  }
  if (counts.with !== seeded || counts.without !== 0)
    throw new Error(`Unexpected feed entries: ${JSON.stringify(counts)}.`);
}

async function seed(service) {
  const bodies = Array.from({ length: seeded / 1_000 }, (_, index) => batchOf(service, `seed${index}x`));
  await load(service.port, 2, 600_000, () => bodies.shift());
  const ids = [];
  let cursor = '';
  do {
    const response = await fetch(`${service.url}${records}?limit=500&properties=svc_last_name${cursor}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { data, pagination } = await response.json();
    ids.push(...data.map(({ id }) => id));
    cursor = pagination.next_cursor === null ? null : `&cursor=${pagination.next_cursor}`;
  } while (cursor !== null);
  return ids;
}

function batchOf({ key }, name) {
  const operations = Array.from({ length: 1_000 }, (_, index) => ({
    operation: 'create',
    object_type: 'svc_contact',
    properties: contact(`${name}n${index}`),
  }));
  return requestBytes('POST', '/rest/v1/batch/', { key, body: JSON.stringify({ operations }) });
}

/** Sends batches, two at a time. */
function createBatches(service, _, round) {
  const bodies = Array.from({ length: batchesPerRound }, (_, index) => batchOf(service, `r${round}b${index}`));
  return () => load(service.port, 2, 600_000, () => bodies.shift());
}

/** Each update changes two values of one record. */
function updateRecords(service, ids, round) {
  let serial = 0;
  const next = () => {
    const id = ids[Math.floor(Math.random() * ids.length)];
    const properties = { svc_job_title: `Title ${round} ${serial++}`, svc_headline: `Headline ${round} ${serial}` };
    return requestBytes('PATCH', `${records}${id}/`, { key: service.key, body: JSON.stringify({ properties }) });
  };
  return () => load(service.port, connections, roundMs, next);
}

/** Rounds by turns, in alternating order; the first two only warm up. */
async function compare(prepare) {
  const rows = { with: [], without: [] };
  for (let round = -2; round < rounds; round++) {
    const order = Object.entries(sides);
    if (round % 2 !== 0) order.reverse();
    for (const [side, service] of order) {
      const row = await metered(service, prepare(service, side, round + 2));
      if (round >= 0) rows[side].push(row);
    }
  }
  const shareOf = (member) => (row, index) => 1 - rows.without[index][member] / row[member];
  return {
    share: rounded(median(rows.with.map(shareOf('us'))), 3),
    cpu_share: rounded(median(rows.with.map(shareOf('cpu'))), 3),
    with: told(rows.with),
    without: told(rows.without),
  };
}

/** Wall time and CPU time of both processes per request, in microseconds. */
async function metered({ pid, postmaster }, run) {
  const before = [await cpuMicroseconds(pid), await cpuMicroseconds(postmaster, true)];
  const { perSecond, requests } = await run();
  const after = [await cpuMicroseconds(pid), await cpuMicroseconds(postmaster, true)];
  const [nodeCpu, postgresCpu] = after.map((value, index) => (value - before[index]) / requests);
  return { perSecond, us: 1_000_000 / perSecond, nodeCpu, postgresCpu, cpu: nodeCpu + postgresCpu };
}

function told(rows) {
  return {
    per_second: rounded(median(rows.map((row) => row.perSecond)), 1),
    node_cpu_us: rounded(median(rows.map((row) => row.nodeCpu)), 0),
    postgres_cpu_us: rounded(median(rows.map((row) => row.postgresCpu)), 0),
  };
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
