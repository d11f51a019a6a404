// Queries in an org with a million contacts beside orgs with 1,000 and 10,000 in the same tables: queries that must cost
// the same in all of them, as ratios of interleaved medians; counts and sums over the million; the automatic index of a
// property; and the effect of the big org on a small one. Prints the numbers, writes them to bench/results/queries.json,
// and fails if a target is missed. BENCH_DATA names a folder that keeps the data.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { contact } from './batch-floor.mjs';
import { load, machine, median, openConnection, requestBytes, root, startService } from './support.mjs';

const sizes = { small: 1_000, middle: 10_000, big: Number(process.env.BENCH_RECORDS ?? 1_000_000) };
const rounds = Number(process.env.BENCH_ROUNDS ?? 200);
const targets = { flat: 1.5, rangeMs: 10, countMs: 400, groupedMs: 3_000, neighbour: 1.5 };
const folder = process.env.BENCH_DATA;
const records = '/objects/svc_contact/records/';
const schema = {
  properties: {
    svc_contact: [
      { name: 'score', label: 'Score', field_type: 'number' },
      { name: 'code', label: 'Code', field_type: 'text' },
    ],
  },
};

const service = await startService(folder);
const connection = await openConnection(service.port);
try {
  const orgs = await prepare();
  const result = { ...machine(), records: sizes, rounds, targets, ...(await measure(orgs)) };
  result.missed = missed(result);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, 'bench/results/queries.json'), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  connection.close();
  await service.stop();
}

function person(index, size) {
  const tiers = ['cold', 'warm', 'hot'];
  return {
    ...contact(`p${index}`),
    // Each name occurs five times, whatever the size of the org.
    svc_last_name: `Family${index % (size / 5)}`,
    svc_summary: `Met at the fair, word q${index}x.`,
    svc_lead_score: tiers[index % 3],
    score: `${(index * 7_919) % size}.${index % 100}`,
    code: `code-${(index * 31) % (size / 5)}`,
  };
}

/** Orgs with their contacts: those in the folder, if there are any, or new ones. */
async function prepare() {
  const kept =
    folder === undefined ? undefined : await readFile(join(folder, 'bench.json'), 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const orgs = {};
  for (const [name, size] of Object.entries(sizes)) {
    const org = await service.newOrg(name);
    const file = join(root, `bench/results/.schema-${process.pid}.json`);
    await writeFile(file, JSON.stringify(schema));
    await service.orrery('schema', 'apply', '--org', String(org.orgId), file);
    orgs[name] = { ...org, size };
    await (await import('node:fs/promises')).rm(file);
  }
  // The small orgs are written between the records of the big one, as in real use.
  await seed(orgs.big, 0, sizes.big / 2);
  await seed(orgs.middle, 0, sizes.middle);
  await seed(orgs.small, 0, sizes.small);
  await seed(orgs.big, sizes.big / 2, sizes.big);
  await vacuum();
  if (folder !== undefined) await writeFile(join(folder, 'bench.json'), JSON.stringify(orgs));
  return orgs;
}

async function seed({ key, size }, from, to) {
  let next = from;
  await load(service.port, 2, 3_600_000, () => {
    if (next >= to) return undefined;
    const operations = [];
    for (const end = Math.min(next + 1_000, to); next < end; next++) {
      operations.push({ operation: 'create', object_type: 'svc_contact', properties: person(next, size) });
    }
    return requestBytes('POST', '/rest/v1/batch/', { key, body: JSON.stringify({ operations }) });
  });
}

/** Does the work of autovacuum now. */
async function vacuum() {
  const client = new pg.Client({ ...service.database, user: 'orrery', database: 'postgres' });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function measure(orgs) {
  const pages = {};
  for (const [name, org] of Object.entries(orgs)) pages[name] = await findPages(org);
  const flat = {};
  const cases = flatCases(pages);
  for (const [name, run] of Object.entries(cases)) flat[name] = await byTurns(orgs, run);
  return {
    flat,
    becomes_indexed: await becomesIndexed(orgs),
    number_range_ms: await numberRange(orgs.big),
    count_ms: await aggregateMs(orgs.big, { aggregations: [{ function: 'count' }] }),
    grouped_sum_ms: await aggregateMs(orgs.big, {
      group_by: [{ property: 'svc_lead_score' }],
      aggregations: [{ function: 'sum', property: 'score' }, { function: 'count' }],
    }),
    neighbours: await neighbours(orgs, cases),
  };
}

/** Ids to read, and cursors to the last page of the list and of a sorted query. */
async function findPages({ key, size }) {
  const ids = [];
  let cursor = '';
  let last = '';
  for (let page = 0; page < Math.ceil(size / 500); page++) {
    const { json } = await connection.send(
      'GET',
      `${records}?limit=500&properties=code${cursor && `&cursor=${cursor}`}`,
      key,
    );
    const { data, pagination } = json();
    ids.push(data[0].id);
    if (pagination.next_cursor === null) break;
    last = cursor;
    cursor = pagination.next_cursor;
  }
  const sorted = { sort: [{ property: 'svc_last_name', direction: 'desc' }], limit: 500, properties: ['code'] };
  let deep;
  for (let page = 0; page < Math.ceil(size / 500) - 1; page++) {
    const body = { ...sorted, ...(deep && { cursor: deep }) };
    deep = (await connection.send('POST', `${records}query/`, key, body)).json().pagination.next_cursor ?? deep;
  }
  return { ids, deepList: last, deepSort: deep };
}

function flatCases(pages) {
  const query = (org, body) => connection.send('POST', `${records}query/`, org.key, body);
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const some = (size) => Math.floor(Math.random() * size);
  return {
    get: (org, name) => connection.send('GET', `${records}${pick(pages[name].ids)}/`, org.key),
    list: (org) => connection.send('GET', records, org.key),
    equality: (org) =>
      query(org, { filter: { property: 'svc_last_name', operator: 'eq', value: `family${some(org.size / 5)}` } }),
    unique: (org) =>
      query(org, {
        filter: { property: 'svc_email', operator: 'eq', value: contact(`p${some(org.size)}`).svc_email[0] },
      }),
    sort: (org) => query(org, { sort: [{ property: 'svc_last_name', direction: 'asc' }] }),
    updated_desc: (org) => query(org, { sort: [{ property: 'svc_updated_at', direction: 'desc' }] }),
    created_desc: (org) => query(org, { sort: [{ property: 'svc_created_at', direction: 'desc' }] }),
    rare_word: (org) => query(org, { search: `q${some(org.size)}x` }),
    update: (org, name) =>
      connection.send('PATCH', `${records}${pick(pages[name].ids)}/`, org.key, {
        properties: { svc_job_title: `Title ${some(1e9)}` },
      }),
    create: (org) =>
      connection.send('POST', records, org.key, { properties: { ...contact(`new${some(1e12)}`), score: '1' } }),
    deepest_list: (org, name) =>
      connection.send(
        'GET',
        `${records}?limit=50${pages[name].deepList && `&cursor=${pages[name].deepList}`}`,
        org.key,
      ),
    deepest_sort: (org, name) =>
      query(org, {
        sort: [{ property: 'svc_last_name', direction: 'desc' }],
        limit: 50,
        ...(pages[name].deepSort && { cursor: pages[name].deepSort }),
      }),
  };
}

/** Medians, measured by turns, so that other work on the machine affects all orgs. */
async function byTurns(orgs, run) {
  const times = Object.fromEntries(Object.keys(orgs).map((name) => [name, []]));
  for (let round = 0; round < rounds + 20; round++) {
    for (const [name, org] of Object.entries(orgs)) {
      const { ms } = await run(org, name);
      if (round >= 20) times[name].push(ms);
    }
  }
  const ms = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, rounded(median(list))]));
  return { ratio: rounded(ms.big / ms.small), ms };
}

/** Filters by a property that has no index yet, until its automatic index is ready. */
async function becomesIndexed(orgs) {
  const run = (org) =>
    connection.send('POST', `${records}query/`, org.key, {
      filter: { property: 'code', operator: 'eq', value: `code-${Math.floor((Math.random() * org.size) / 5)}` },
    });
  const first = (await run(orgs.big)).ms;
  const began = performance.now();
  for (;;) {
    const reports = (await service.orrery('doctor')).indexes ?? [];
    if (reports.some(({ state }) => state === 'ready') && !reports.some(({ state }) => state === 'building')) break;
    if (performance.now() - began > 1_200_000) throw new Error('No index has come.');
    // A wish for an index counts when it is repeated a minute later.
    await run(orgs.big);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  // Processes learn of it within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return {
    first_ms: rounded(first),
    ready_after_s: rounded((performance.now() - began) / 1_000),
    ...(await byTurns(orgs, run)),
  };
}

async function numberRange({ key, size }) {
  const query = () => {
    const low = Math.floor(Math.random() * size * 0.9);
    return connection.send('POST', `${records}query/`, key, {
      filter: { property: 'score', operator: 'between', value: [String(low), String(low + size / 100)] },
      sort: [{ property: 'score', direction: 'desc' }],
      limit: 50,
    });
  };
  await query();
  const began = performance.now();
  for (;;) {
    const reports = (await service.orrery('doctor')).indexes ?? [];
    if (reports.length >= 2 && reports.every(({ state }) => state === 'ready')) break;
    if (performance.now() - began > 1_200_000) throw new Error('No index has come.');
    await query();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const times = [];
  for (let round = 0; round < rounds + 20; round++) {
    const { ms } = await query();
    if (round >= 20) times.push(ms);
  }
  return rounded(median(times));
}

async function aggregateMs({ key }, body) {
  const times = [];
  for (let round = 0; round < 5; round++) {
    times.push((await connection.send('POST', `${records}aggregate/`, key, body)).ms);
  }
  return rounded(median(times));
}

/** The small org's medians alone, and while the big org keeps summing over all its records. */
async function neighbours(orgs, cases) {
  const names = ['get', 'list', 'equality', 'sort', 'rare_word'];
  const small = { small: orgs.small };
  const alone = {};
  const beside = {};
  const body = JSON.stringify({
    group_by: [{ property: 'svc_lead_score' }],
    aggregations: [{ function: 'sum', property: 'score' }],
  });
  const heavy = requestBytes('POST', `/rest/v1${records}aggregate/`, { key: orgs.big.key, body });
  for (const name of names) {
    const before = (await byTurns(small, cases[name])).ms.small;
    let stopped = false;
    const loading = load(service.port, 2, 600_000, () => (stopped ? undefined : heavy));
    await new Promise((resolve) => setTimeout(resolve, 500));
    beside[name] = (await byTurns(small, cases[name])).ms.small;
    stopped = true;
    await loading;
    const after = (await byTurns(small, cases[name])).ms.small;
    alone[name] = rounded((before + after) / 2);
  }
  const ratios = names.map((name) => beside[name] / alone[name]);
  return { ratio: rounded(median(ratios)), worst: rounded(Math.max(...ratios)), alone_ms: alone, beside_ms: beside };
}

function missed({
  flat,
  becomes_indexed: indexed,
  number_range_ms: range,
  count_ms: count,
  grouped_sum_ms: grouped,
  neighbours: near,
}) {
  return [
    ...Object.entries({ ...flat, becomes_indexed: indexed })
      .filter(([, { ratio }]) => ratio > targets.flat)
      .map(([name, { ratio }]) => `${name}: ${ratio} times the small org, expected at most ${targets.flat}`),
    ...(range > targets.rangeMs ? [`number range: ${range} ms, expected at most ${targets.rangeMs}`] : []),
    ...(count > targets.countMs ? [`count: ${count} ms, expected at most ${targets.countMs}`] : []),
    ...(grouped > targets.groupedMs ? [`grouped sum: ${grouped} ms, expected at most ${targets.groupedMs}`] : []),
    ...(near.ratio > targets.neighbour ? [`neighbours: ${near.ratio}, expected at most ${targets.neighbour}`] : []),
  ];
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}
