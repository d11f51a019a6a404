// The drivers of the tests at full size, against the built program: copies that follow the feed while twelve writers are
// at work (on one process, then on two, by turns), random operations on links and stages compared with a model, a
// record with very many links that is read page by page, writers whose service and PostgreSQL are killed, generated
// requests, two orgs that must answer alike, and a quiet org beside one that attacks. Prints the numbers, writes those of
// each part to bench/results/soak.json, and fails on any finding. `node bench/soak.mjs copies` (or `model`, `hubs`, `kills`,
// `generated`, `twins`, `neighbours`) runs one part. `neighbours` may be followed by parts of the names of attacks. The part
// `failover`, a PostgreSQL pair that loses its primary again and again, needs other programs and runs only by its name.
// SOAK_RUNS, SOAK_MS, SOAK_OPERATIONS, SOAK_LINKS, SOAK_KILLS, SOAK_REQUESTS, SOAK_TWINS, SOAK_HIDDEN, SOAK_ATTACK_MS and
// SOAK_EVENTS change the sizes, SOAK_SEED the seed, and SOAK_PROGRAM the program. Only numbers of full size, of all attacks
// and of this program are written.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { findPrograms, whatIsMissing } from './failover/programs.mjs';
import { runFailoverPart } from './failover/run.mjs';
import { runGeneratedPart } from './generated.mjs';
import { runKillPart } from './kills.mjs';
import { runNeighbours } from './neighbours.mjs';
import { machine, median, root, startService } from './support.mjs';
import { runTwinPart } from './twins.mjs';

const full = { runs: 20, ms: 10_000, operations: 10_000, links: 100_000 };
const sizes = {
  runs: Number(process.env.SOAK_RUNS ?? full.runs),
  ms: Number(process.env.SOAK_MS ?? full.ms),
  operations: Number(process.env.SOAK_OPERATIONS ?? full.operations),
  links: Number(process.env.SOAK_LINKS ?? full.links),
};
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
/** How many times the time of a page at the beginning one in the middle or at the end may take. */
const flat = 2;
const program = process.env.SOAK_PROGRAM ?? 'bin/orrery';
const [only, ...chosen] = process.argv.slice(2);
/** Parts that share a database with two services; the others have their own. */
const sharing = ['copies', 'model', 'hubs'];
/** A program of its own, not a driver. */
const attacker = 'fair-shares/attacker';
/** Parts that run only by their names. */
const named = ['failover'];

if (only === 'failover') {
  const missing = whatIsMissing(await findPrograms());
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`);
    process.exit(1);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'orrery-soak-'));
const services = [];
try {
  const drivers = await bundleDrivers();
  if (only === undefined || sharing.includes(only)) {
    services.push(await startService(join(folder, 'data')));
    services.push(await startService(join(folder, 'data')));
  }
  const result = await runParts(drivers);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  const isFull = Object.keys(process.env).every((name) => !name.startsWith('SOAK_') || name === 'SOAK_SEED');
  if (chosen.length === 0 && isFull) await keep(result);
  process.exitCode = result.findings.length === 0 ? 0 : 1;
} finally {
  for (const service of services.toReversed()) await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Replaces the parts that were run. */
async function keep({ findings: _, ...parts }) {
  const file = join(root, 'bench/results/soak.json');
  const known = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...known, ...parts }, null, 2)}\n`);
}

/** The drivers are in TypeScript, which Node 20 cannot run, so they are bundled like the program. */
async function bundleDrivers() {
  const output = join(folder, 'drivers');
  const names = [
    ...['feed/run', 'plain-requests', 'links/hubs', 'links/driver', 'links/requests', 'links/world'],
    ...['random', 'openapi/generated-run', 'feed/copy'],
    ...['killable-host', 'kill-run', 'persistent-writers', 'marked-writes', 'compare-kept'].map(
      (name) => `records/${name}`,
    ),
    ...['client', 'leaks/world', 'leaks/twins'],
    ...['attacks', 'prepare', 'quiet-org'].map((name) => `fair-shares/${name}`),
  ];
  await build({
    cwd: root,
    input: {
      ...Object.fromEntries([...names, attacker].map((name) => [name, `test/support/${name}.ts`])),
      account: 'src/store/embedded/account.ts',
    },
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'warn',
    output: { dir: output, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
  const modules = [...names, 'account'].map((name) => import(pathToFileURL(join(output, `${name}.mjs`)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

async function runParts(drivers) {
  const alone = (run) => (all) => run(all, { folder, program, seed });
  const parts = {
    copies: runCopies,
    model: runModel,
    hubs: runHubs,
    kills: alone(runKillPart),
    generated: alone(runGeneratedPart),
    twins: alone(runTwinPart),
    neighbours: runAttacks,
    failover: alone(runFailoverPart),
  };
  const result = {};
  const findings = [];
  for (const [name, run] of Object.entries(parts)) {
    if (only === undefined ? named.includes(name) : only !== name) continue;
    const part = await run(drivers);
    findings.push(...part.findings.slice(0, 20).map((finding) => `${name}: ${finding}`));
    result[name] = { ...machine(), seed, ...part.numbers, findings: part.findings.length };
  }
  return { ...result, findings };
}

/** A full key of a new org, and one key for each of these grants. */
async function newKeys(...grants) {
  const [first] = services;
  const { orgId, key } = await first.newOrg('Soak');
  const keys = [key];
  for (const grant of grants) {
    keys.push((await first.orrery('key', 'create', '--org', String(orgId), '--grant', grant)).key);
  }
  return { orgId, keys };
}

async function runCopies({ runFeed, narrowTypes }) {
  const reports = [];
  const findings = [];
  for (let run = 0; run < sizes.runs; run++) {
    const { keys } = await newKeys(`${narrowTypes.join()}:read`);
    const [key, narrowKey] = keys;
    const urls = services.slice(0, 1 + (run % 2)).map(({ url }) => url);
    const report = await runFeed({ urls, key, narrowKey, durationMs: sizes.ms, leastRequests: 500, seed: seed + run });
    findings.push(...report.findings.map((finding) => `seed ${seed + run}, ${urls.length} services: ${finding}`));
    reports.push(report);
    const told = report.findings.slice(0, 5).map((finding) => `  ${finding}\n`);
    process.stderr.write(
      `run ${run + 1}: ${report.entries} entries, ${report.findings.length} findings\n${told.join('')}`,
    );
  }
  const sum = (member) => reports.reduce((total, report) => total + report[member], 0);
  const slowest = reports.map(({ slowestMs }) => slowestMs);
  return {
    findings,
    numbers: {
      runs: reports.length,
      seconds_per_run: sizes.ms / 1_000,
      writes: sum('requests'),
      entries: sum('entries'),
      records: sum('records'),
      links: sum('links'),
      slowest_reader_ms: { median: median(slowest), max: Math.max(...slowest) },
    },
  };
}

async function runModel({ findLinkFaults, linksSchema, sendTo }) {
  const { orgId, keys } = await newKeys();
  const [service] = services;
  const schema = join(folder, 'links.json');
  await writeFile(schema, JSON.stringify(linksSchema));
  await service.orrery('schema', 'apply', '--org', String(orgId), schema);
  const findings = await findLinkFaults({ send: sendTo(service.url, keys[0]), seed, count: sizes.operations });
  return { findings, numbers: { operations: sizes.operations } };
}

async function runHubs({ makeHubs, pageFindings, pagesOf, plainSend }) {
  const { keys } = await newKeys();
  const limit = 500;
  const send = plainSend(services[0].url, keys[0]);
  const made = await makeHubs(send, sizes.links);
  const findings = [];
  const numbers = { links: sizes.links, page_size: limit };
  for (const direction of ['incoming', 'outgoing']) {
    // The first time only warms up.
    await pagesOf(send, made[direction], limit);
    const pages = await pagesOf(send, made[direction], limit);
    findings.push(...pageFindings(direction, pages, made.contacts, limit));
    const tenth = Math.max(1, Math.floor(pages.length / 10));
    const middle = Math.floor((pages.length - tenth) / 2);
    const msOf = (from) => rounded(median(pages.slice(from, from + tenth).map(({ ms }) => ms)));
    // The very last page is shorter than the others, so it is left out.
    const times = { first_ms: msOf(0), middle_ms: msOf(middle), last_ms: msOf(pages.length - 1 - tenth) };
    const ratios = {
      middle_ratio: rounded(times.middle_ms / times.first_ms),
      last_ratio: rounded(times.last_ms / times.first_ms),
    };
    numbers[direction] = { pages: pages.length, ...times, ...ratios };
    for (const [name, ratio] of Object.entries(ratios)) {
      if (ratio > flat) findings.push(`${direction} ${name}: ${ratio}, expected at most ${flat}`);
    }
  }
  return { findings, numbers };
}

function runAttacks(drivers) {
  return runNeighbours(drivers, { folder, attacker: join(folder, 'drivers', `${attacker}.mjs`), chosen, program });
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}
