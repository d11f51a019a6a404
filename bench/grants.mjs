// A key from which properties are hidden beside one that sees everything, in one run: gets, lists, queries, searches, pages of
// the feed and aggregates. Prints, for each row, the requests per second of the narrowed key as a ratio to the other's, writes
// them to bench/results/grants.json, and fails if a read is below 0.85 or a search below 0.7. `node bench/grants.mjs get` measures some
// rows and writes nothing.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contact } from './batch-floor.mjs';
import { load, machine, median, openConnection, requestBytes, root, startService } from './support.mjs';

const only = process.argv.slice(2);
const connections = 16;
const rounds = Number(process.env.BENCH_ROUNDS ?? 11);
const roundMs = Number(process.env.BENCH_MS ?? 1_500);
const contacts = 20_000;
/** A text, whose words a search must not find, and values that are only left out. */
const hidden = ['svc_job_title', 'svc_phone_number'];

const service = await startService();
const connection = await openConnection(service.port);
try {
  const ids = await seed();
  const keys = { whole: service.key, narrowed: await narrowedKey() };
  const rows = {};
  for (const name of Object.keys(rowsOf(ids, ''))) {
    if (only.length === 0 || only.includes(name)) rows[name] = await measure(name, ids, keys);
  }
  const slow = Object.entries(rows).filter(([name, { ratio }]) => ratio < (name.startsWith('search') ? 0.7 : 0.85));
  const result = { ...machine(), contacts, hidden, rounds, rows, missed: slow.map(([name]) => name) };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (only.length === 0) {
    await writeFile(join(root, 'bench/results/grants.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = slow.length === 0 ? 0 : 1;
} finally {
  connection.close();
  await service.stop();
}

async function seed() {
  const ids = [];
  for (let first = 0; first < contacts; first += 1_000) {
    const operations = Array.from({ length: 1_000 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: contact(`seed${first + index}`),
    }));
    const { json } = await connection.send('POST', '/batch/', service.key, { operations });
    ids.push(...json().data.results.map(({ id }) => id));
  }
  return ids;
}

async function narrowedKey() {
  const grant = `svc_contact:read,create,update,delete,associate;hide=${hidden.join()}`;
  const others = '*:read,create,update,delete,associate';
  // A grant of all types would show what the other hides, so it names each type but contacts.
  const { json } = await connection.send('GET', '/objects/', service.key);
  const rest = json().data.flatMap(({ name }) => (name === 'svc_contact' ? [] : [name]));
  const words = ['--grant', grant, '--grant', others.replace('*', rest.join())];
  return (await service.orrery('key', 'create', '--org', String(service.orgId), '--name', 'narrowed', ...words)).key;
}

/** The request of each row, as a function that makes the next one. */
function rowsOf(ids, key) {
  const records = '/rest/v1/objects/svc_contact/records/';
  const pick = () => Math.floor(Math.random() * contacts);
  const send = (method, path, body) =>
    requestBytes(method, path, { key, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const search = (text) => send('POST', `${records}query/`, { search: text, limit: 50 });
  return {
    get: () => send('GET', `${records}${ids[pick()]}/`),
    list: () =>
      send('POST', `${records}query/`, {
        filter: { property: 'id', operator: 'in', value: Array.from({ length: 50 }, () => ids[pick()]) },
        limit: 50,
      }),
    equality: () => {
      const [value] = contact(`seed${pick()}`).svc_email;
      return send('POST', `${records}query/`, { filter: { property: 'svc_email', operator: 'eq', value } });
    },
    changes: () => send('GET', '/rest/v1/changes/?limit=50'),
    search_one: () => search(`seed${pick()}`),
    search_many: () => search(contact(`seed${pick()}`).svc_last_name),
  };
}

async function measure(name, ids, keys) {
  const ratios = [];
  const perSecond = { whole: [], narrowed: [] };
  const run = (who, ms) => load(service.port, connections, ms, rowsOf(ids, keys[who])[name]);
  for (const who of Object.keys(keys)) await run(who, 1_000);
  for (let round = 0; round < rounds; round++) {
    // The first round may warm up caches for the second, so the order alternates.
    const order = round % 2 === 0 ? ['whole', 'narrowed'] : ['narrowed', 'whole'];
    const found = {};
    for (const who of order) found[who] = (await run(who, roundMs)).perSecond;
    ratios.push(found.narrowed / found.whole);
    for (const who of order) perSecond[who].push(found[who]);
  }
  return {
    ratio: Number(median(ratios).toFixed(3)),
    narrowed_per_second: Math.round(median(perSecond.narrowed)),
    whole_per_second: Math.round(median(perSecond.whole)),
  };
}
