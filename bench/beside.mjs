// This program beside another build of it, in one run: `node bench/beside.mjs FOLDER`, where FOLDER is a built checkout of
// another commit. Both have a database of their own with the same records; rounds alternate, so that other work on the
// machine affects both. Prints, for each row, this build's requests per second and CPU time per request (Node and
// PostgreSQL together) as ratios to the other's, writes them to bench/results/beside.json, and fails if a row has fewer
// than 0.97 of the other's requests per second. `node bench/beside.mjs FOLDER get list` measures some rows and writes
// nothing.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { contact } from './batch-floor.mjs';
import {
  cpuMicroseconds,
  load,
  machine,
  median,
  openConnection,
  requestBytes,
  root,
  startService,
} from './support.mjs';

const slowest = 0.97;
const connections = 16;
const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
const roundMs = Number(process.env.BENCH_MS ?? 1_500);
const sizes = { svc_contact: 20_000, svc_company: 2_000, svc_deal: 6_000 };
const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of a built checkout to compare with.');

const sides = { before: await openSide(resolve(folder)), now: await openSide(root) };
try {
  const rows = {};
  for (const name of Object.keys(rowsOf(sides.now))) {
    if (only.length === 0 || only.includes(name)) rows[name] = await measure(name);
  }
  const result = { ...machine(), before: await commitOf(resolve(folder)), now: await commitOf(root), rounds, rows };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (only.length === 0) {
    await writeFile(join(root, 'bench/results/beside.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  const slower = Object.entries(rows).filter(([, row]) => row.per_second < slowest);
  if (slower.length > 0) throw new Error(`Slower than before: ${slower.map(([name]) => name).join(', ')}.`);
} finally {
  for (const side of Object.values(sides)) await side.service.stop();
}

async function commitOf(directory) {
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%h %s'], { cwd: directory });
  return stdout.trim();
}

/** A service with records in it, and their ids. */
async function openSide(directory) {
  const service = await startService(undefined, join(directory, 'bin/orrery'));
  const connection = await openConnection(service.port);
  const ids = {};
  for (const [type, count] of Object.entries(sizes)) {
    ids[type] = [];
    for (let first = 0; first < count; first += 1_000) {
      const operations = Array.from({ length: 1_000 }, (_, index) => ({
        operation: 'create',
        object_type: type,
        properties: propertiesOf(type, first + index),
        ...(type === 'svc_deal' ? { associations: linksOf(ids, first + index) } : {}),
      }));
      const { json } = await connection.send('POST', '/batch/', service.key, { operations });
      ids[type].push(...json().data.results.map((each) => each.record?.id ?? each.id));
    }
  }
  connection.close();
  const client = new pg.Client({ ...service.database, user: 'orrery', database: 'postgres' });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
  return { service, ids, serial: 0 };
}

function propertiesOf(type, index) {
  if (type === 'svc_contact') return { ...contact(`seed${index}`), svc_lead_score: ['cold', 'warm', 'hot'][index % 3] };
  if (type === 'svc_company') return { svc_name: `Company ${index}`, svc_domain: `company${index}.example` };
  return { svc_name: `Deal ${index}`, svc_amount: { amount: String(100 + index), unit: 'USD' } };
}

function linksOf(ids, index) {
  return [
    { association_type: 'svc_deal_to_company', target_id: ids.svc_company[index % ids.svc_company.length] },
    { association_type: 'svc_deal_to_contact', target_id: ids.svc_contact[index % ids.svc_contact.length] },
  ];
}

/** The request of each row, as a function that makes the next one. */
function rowsOf(side) {
  const { service, ids } = side;
  const pick = (type) => ids[type][Math.floor(Math.random() * ids[type].length)];
  const records = (type) => `/rest/v1/objects/${type}/records/`;
  const send = (method, path, body) =>
    requestBytes(method, path, { key: service.key, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const sendBatch = (operations) => send('POST', '/rest/v1/batch/', { atomic: true, operations });
  const creation = (ref, properties) => ({ operation: 'create', object_type: 'svc_contact', ref, properties });
  const email = (index) => contact(`seed${index}`).svc_email[0];
  return {
    get: () => send('GET', `${records('svc_contact')}${pick('svc_contact')}/`),
    get_with_include: () => send('GET', `${records('svc_deal')}${pick('svc_deal')}/?include=svc_deal_to_company`),
    list: () => send('GET', `${records('svc_contact')}?limit=50`),
    linked: () =>
      send('GET', `${records('svc_deal')}${pick('svc_deal')}/associations/svc_deal_to_contact/?direction=outgoing`),
    equality: () =>
      send('POST', `${records('svc_contact')}query/`, {
        filter: { property: 'svc_email', operator: 'eq', value: email(Math.floor(Math.random() * sizes.svc_contact)) },
      }),
    sorted: () =>
      send('POST', `${records('svc_company')}query/`, {
        sort: [{ property: 'svc_name', direction: 'asc' }],
        limit: 50,
      }),
    count: () =>
      send('POST', `${records('svc_company')}aggregate/`, { aggregations: [{ function: 'count', as: 'n' }] }),
    changes: () => send('GET', '/rest/v1/changes/?limit=50'),
    create: () => send('POST', records('svc_contact'), { properties: contact(`new${side.serial++}`) }),
    create_with_links: () =>
      send('POST', records('svc_deal'), {
        properties: { svc_name: `New ${side.serial++}` },
        associations: linksOf(ids, side.serial),
      }),
    update: () =>
      send('PATCH', `${records('svc_contact')}${pick('svc_contact')}/`, {
        properties: { svc_headline: `Headline ${side.serial++}` },
      }),
    batch_of_100: () =>
      send('POST', '/rest/v1/batch/', {
        operations: Array.from({ length: 100 }, () => ({
          operation: 'create',
          object_type: 'svc_contact',
          properties: contact(`batch${side.serial++}`),
        })),
      }),
    // Both begin with creates, which are a row of their own.
    create_two_and_merge: () =>
      sendBatch([
        creation('first', contact(`kept${side.serial++}`)),
        creation('second', contact(`gone${side.serial++}`)),
        { operation: 'merge', object_type: 'svc_contact', id: { ref: 'first' }, duplicate_id: { ref: 'second' } },
      ]),
    create_and_erase: () =>
      sendBatch([
        creation('one', contact(`erased${side.serial++}`)),
        { operation: 'erase', object_type: 'svc_contact', id: { ref: 'one' } },
      ]),
  };
}

async function measure(name) {
  const ratios = { per_second: [], cpu: [] };
  const perSecond = { before: [], now: [] };
  for (const side of Object.values(sides)) await load(side.service.port, connections, 2_000, rowsOf(side)[name]);
  for (let round = 0; round < rounds; round++) {
    // The first round may warm up caches for the second, so the order alternates.
    const order = round % 2 === 0 ? ['before', 'now'] : ['now', 'before'];
    const found = {};
    for (const each of order) found[each] = await metered(sides[each], rowsOf(sides[each])[name]);
    ratios.per_second.push(found.now.perSecond / found.before.perSecond);
    ratios.cpu.push(found.now.cpu / found.before.cpu);
    for (const each of order) perSecond[each].push(found[each].perSecond);
  }
  return {
    per_second: rounded(median(ratios.per_second), 3),
    cpu: rounded(median(ratios.cpu), 3),
    now_per_second: Math.round(median(perSecond.now)),
    before_per_second: Math.round(median(perSecond.before)),
  };
}

async function metered({ service: { port, pid, postmaster } }, next) {
  const used = async () => (await cpuMicroseconds(pid)) + (await cpuMicroseconds(postmaster, true));
  const before = await used();
  const result = await load(port, connections, roundMs, next);
  return { ...result, cpu: ((await used()) - before) / result.requests };
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
