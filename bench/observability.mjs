// The cost of leaving the log line and the histogram of every request to their libraries (pino and prom-client) instead of
// writing them by hand. The program writes the log line by hand and the histogram with prom-client; this build of it has
// both ways of both, and switches at a signal. One process runs all ways in many short rounds, so that neither other work
// on the machine nor the luck of one process favours a way. Prints the numbers, writes them to
// bench/results/observability.json, and fails if the histogram costs more than the target. Linux only: CPU time is read
// from /proc.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contact } from './batch-floor.mjs';
import {
  buildProgram,
  changeSources,
  cpuNanoseconds,
  load,
  machine,
  median,
  requestBytes,
  root,
  startService,
} from './support.mjs';

/** How much CPU time of a request a library may cost. */
const target = 0.03;
const connections = 8;
const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
const roundMs = Number(process.env.BENCH_MS ?? 250);

/** Each signal switches to the next. `as_is_again` is the same as `as_is`: their ratio shows the noise. */
const ways = ['as_is', 'log_by_pino', 'as_is_again', 'histogram_by_hand'];

const allWays = {
  'http/log.ts': {
    pattern: /if \(log\.isLevelEnabled\('info'\)\) destination\.write\(lineOf\(facts\)\);/g,
    count: 1,
    replacement: 'if (globalThis.way === 1) logByPino(log, facts); else $&',
    append: `
      globalThis.way = 0;
      process.on('SIGUSR2', () => {
        globalThis.way = (globalThis.way + 1) % ${ways.length};
      });
      function logByPino(log, { requestId, method, route, status, ms, orgId, credentialId, address }) {
        const facts = { request_id: requestId, method, route, status, ms, org_id: orgId, key_id: credentialId, address };
        log.info(facts, 'request');
      }`,
  },
  'http/metrics.ts': {
    pattern: /requests\.observe\(request, seconds\)/g,
    count: 1,
    replacement: 'globalThis.way === 3 ? observeByHand(request, seconds) : $&',
    append: `
      const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
      const series = new Map();
      function observeByHand({ method, route, status }, seconds) {
        const key = \`\${method} \${status} \${route}\`;
        let one = series.get(key);
        if (one === undefined) {
          one = { counts: [...buckets, 0].fill(0), sum: 0 };
          series.set(key, one);
        }
        const index = buckets.findIndex((bound) => seconds <= bound);
        one.counts[index < 0 ? buckets.length : index] += 1;
        one.sum += seconds;
      }`,
  },
};

const folder = join(root, `bench/results/.observability-${process.pid}`);
let service;
try {
  service = await startService(join(folder, 'data'), await buildProgram(folder, [changeSources(allWays)]));
  const result = {
    ...machine(),
    connections,
    rounds,
    seconds_per_round: roundMs / 1_000,
    target,
    field_types: await compare('/rest/v1/field_types/'),
    get: await compare(await recordPath()),
  };
  result.missed = ['field_types', 'get']
    .map((operation) => ({ operation, cost: result[operation].histogram_cost.median }))
    .filter(({ cost }) => cost > target)
    .map(({ operation, cost }) => `${operation}: the histogram costs ${cost}, expected at most ${target}`);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, 'bench/results/observability.json'), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function recordPath() {
  const base = '/rest/v1/objects/svc_contact/records/';
  const response = await fetch(`${service.url}${base}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ properties: contact('one') }),
  });
  return `${base}${(await response.json()).data.id}/`;
}

/** One request in all ways, round by round; the first twenty rounds only warm up. */
async function compare(path) {
  const request = requestBytes('GET', path, { key: service.key });
  const rows = Object.fromEntries(ways.map((way) => [way, []]));
  for (let round = -20; round < rounds; round++) {
    for (const way of ways) {
      const row = await measure(request);
      if (round >= 0) rows[way].push(row);
      process.kill(service.pid, 'SIGUSR2');
      await sleep(20);
    }
  }
  const usOf = (way) => rows[way].map(({ us }) => us);
  const [asIs, again, pino, hand] = [
    usOf('as_is'),
    usOf('as_is_again'),
    usOf('log_by_pino'),
    usOf('histogram_by_hand'),
  ];
  const middle = asIs.map((us, round) => (us + again[round]) / 2);
  return {
    log_cost: costOf(pino, middle),
    histogram_cost: costOf(middle, hand),
    both_cost: costOf(pino, hand),
    noise: costOf(asIs, again),
    cpu_us: Object.fromEntries(ways.map((way) => [way, rounded(median(rows[way].map(({ us }) => us)), 1)])),
    per_second: Object.fromEntries(
      ways.map((way) => [way, rounded(median(rows[way].map(({ perSecond }) => perSecond)), 0)]),
    ),
  };
}

/** CPU time of the service for each request, in microseconds, and requests a second. */
async function measure(request) {
  const before = await cpuNanoseconds(service.pid);
  const { requests, perSecond } = await load(service.port, connections, roundMs, () => request);
  return { us: ((await cpuNanoseconds(service.pid)) - before) / requests / 1_000, perSecond };
}

/** How much more CPU time one way takes, round by round: the median, and the quartiles, which show the spread. */
function costOf(more, less) {
  const costs = more.map((us, round) => us / less[round] - 1).sort((left, right) => left - right);
  const at = (share) => rounded(costs[Math.floor((costs.length - 1) * share)], 3);
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)] };
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}
