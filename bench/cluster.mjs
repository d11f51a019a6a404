// A Citus cluster of a coordinator and two workers beside one server of the same version, both on this machine and in one run: how
// long one request takes when nothing else happens, how many a second 50 orgs get at once, the CPU time of a request in the
// service, the coordinator and the workers, and how orgs, reads and writes are spread over the workers. All servers share the
// cores of this machine, so the ratios say what a cluster costs, and not what more machines give. Needs CITUS_PG_CONFIG (see
// deploy/citus/README.md), and writes bench/results/cluster.json.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCluster } from '../deploy/citus/cluster.mjs';
import { contact } from './batch-floor.mjs';
import {
  cpuNanoseconds,
  databaseNanoseconds,
  load,
  machine,
  median,
  openConnection,
  requestBytes,
  root,
  spawnOn,
} from './support.mjs';

const pgConfig = process.env.CITUS_PG_CONFIG;
if (pgConfig === undefined) {
  process.stderr.write('Set CITUS_PG_CONFIG: see deploy/citus/README.md.\n');
  process.exit(2);
}
const orgs = Number(process.env.BENCH_ORGS ?? 50);
const rounds = Number(process.env.BENCH_ROUNDS ?? 7);
const roundMs = Number(process.env.BENCH_MS ?? 1_500);
const alone = 25;
const connections = 32;
const records = '/rest/v1/objects/svc_contact/records/';

const run = promisify(execFile);
const places = {};
try {
  places.server = await open(0);
  places.cluster = await open(2);
  const spread = { orgs: orgsByWorker(places.cluster) };
  const rows = {};
  for (const name of Object.keys(rowsOf(places.server))) {
    const before = await commitsByWorker(places.cluster);
    rows[name] = await measure(name);
    const after = await commitsByWorker(places.cluster);
    spread[name] = shares(after.map((count, index) => count - before[index]));
  }
  const [version] = places.cluster.cluster.coordinator.psql('postgres', 'select citus_version()').split(' on ');
  const result = { ...machine(), version, postgresql: postgresqlOf(places.server), orgs, rounds, rows, spread };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, 'bench/results/cluster.json'), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  for (const place of Object.values(places)) await close(place);
}

/** A service on a server, or on a cluster with so many workers, and its orgs with a hundred contacts each. */
async function open(workers) {
  const cluster = await startCluster({ pgConfig, workers });
  try {
    return await fill(cluster, workers);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function fill(cluster, workers) {
  const url = cluster.coordinator.url();
  const orrery = async (...words) => {
    const { stdout } = await run(process.execPath, ['bin/orrery', ...words, '--json', '--database-url', url], {
      cwd: root,
    });
    return JSON.parse(stdout);
  };
  await (workers > 0 ? orrery('db', 'distribute') : orrery('org', 'create', 'first'));
  const { child, url: address } = await spawnOn(url, 'bin/orrery');
  const place = { cluster, child, port: Number(new URL(address).port), orgs: [] };
  const connection = await openConnection(place.port);
  for (let number = 0; number < orgs; number++) {
    const { org_id: id } = await orrery('org', 'create', `Org ${number}`, '--rate-limit', '999999999/60');
    const { key } = await orrery('key', 'create', '--org', String(id));
    const operations = Array.from({ length: 100 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: contact(`${number} ${index}`.replace(' ', 'x')),
    }));
    const { json } = await connection.send('POST', '/batch/', key, { operations });
    place.orgs.push({ id, key, ids: json().data.results.map((result) => result.id) });
  }
  connection.close();
  return place;
}

async function close({ cluster, child }) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  await cluster.stop();
}

/** The request of each row, as a function that makes the next one, of any org. */
function rowsOf({ orgs: all }) {
  let made = 0;
  const any = (list) => list[Math.floor(Math.random() * list.length)];
  const send = (make) => () => {
    const org = any(all);
    const [method, path, body] = make(org);
    return requestBytes(method, path, { key: org.key, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  };
  const fresh = () => contact(`n${++made}y${process.hrtime.bigint()}`);
  return {
    get: send(({ ids }) => ['GET', `${records}${any(ids)}/`]),
    query: send(() => [
      'POST',
      `${records}query/`,
      { filter: { property: 'svc_job_title', operator: 'starts_with', value: 'E' }, limit: 20 },
    ]),
    create: send(() => ['POST', records, { properties: fresh() }]),
    update: send(({ ids }) => ['PATCH', `${records}${any(ids)}/`, { properties: { svc_last_name: `L${++made}` } }]),
    'batch of 100': send(() => [
      'POST',
      '/rest/v1/batch/',
      {
        operations: Array.from({ length: 100 }, () => ({
          operation: 'create',
          object_type: 'svc_contact',
          properties: fresh(),
        })),
      },
    ]),
  };
}

/** By turns on both: the time of one request alone, and how many a second many get. */
async function measure(name) {
  const none = () => ({ ms: [], perSecond: [], node: [], first: [], workers: [] });
  const found = { server: none(), cluster: none() };
  for (let round = 0; round <= rounds; round++) {
    for (const [place, { port }] of Object.entries(places)) {
      const next = rowsOf(places[place])[name];
      let left = alone;
      const single = await load(port, 1, 60_000, () => (left-- > 0 ? next() : undefined));
      const before = await cpuOf(places[place]);
      const many = await load(port, connections, roundMs, next);
      const after = await cpuOf(places[place]);
      // In the first round statements are prepared and indexes are wished for.
      if (round === 0) continue;
      found[place].ms.push((single.seconds / single.requests) * 1_000);
      found[place].perSecond.push(many.perSecond);
      for (const part of Object.keys(after)) {
        found[place][part].push((after[part] - before[part]) / many.requests / 1e6);
      }
    }
  }
  const of = (place, figure, digits) => Number(median(found[place][figure]).toFixed(digits));
  const ratio = (figure) => {
    const each = found.cluster[figure].map((value, round) => value / found.server[figure][round]);
    return Number(median(each).toFixed(2));
  };
  return {
    ms: { server: of('server', 'ms', 2), cluster: of('cluster', 'ms', 2), ratio: ratio('ms') },
    perSecond: {
      server: of('server', 'perSecond', 0),
      cluster: of('cluster', 'perSecond', 0),
      ratio: ratio('perSecond'),
    },
    cpu_ms: {
      server: { node: of('server', 'node', 2), postgresql: of('server', 'first', 2) },
      cluster: {
        node: of('cluster', 'node', 2),
        coordinator: of('cluster', 'first', 2),
        workers: of('cluster', 'workers', 2),
      },
    },
  };
}

/** The CPU time that the parts have taken so far, in nanoseconds. */
async function cpuOf({ child, cluster: { coordinator, workers } }) {
  let ofWorkers = 0;
  for (const worker of workers) ofWorkers += await databaseNanoseconds(worker.pid());
  return {
    node: await cpuNanoseconds(child.pid),
    first: await databaseNanoseconds(coordinator.pid()),
    workers: ofWorkers,
  };
}

function orgsByWorker({ cluster: { coordinator, workers } }) {
  return workers.map(({ port }) =>
    Number(
      coordinator.psql(
        'postgres',
        `select count(*) from pg_dist_shard_placement as p join (
          select get_shard_id_for_distribution_column('orrery.org', o.org_id) as id from orrery.org as o) as s on s.id = p.shardid
        where p.nodeport = ${port}`,
      ),
    ),
  );
}

/** Sessions report what they have done about once a second. */
async function commitsByWorker({ cluster: { workers } }) {
  await new Promise((resolve) => {
    setTimeout(resolve, 2_000);
  });
  return workers.map((worker) =>
    Number(worker.psql('postgres', `select xact_commit from pg_stat_database where datname = 'postgres'`)),
  );
}

function shares(counts) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => Number((count / all).toFixed(2)));
}

function postgresqlOf({ cluster: { coordinator } }) {
  return coordinator.psql('postgres', 'show server_version').split(' ')[0];
}
