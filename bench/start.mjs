// The duration of a start (from an empty folder, on existing data, and on existing data of a server that runs), and the
// memory of an idle service: Node and its embedded PostgreSQL together. Prints the numbers and writes them, with date and
// machine, to bench/results/start.json. Linux only: memory is read from /proc, as RSS for Node and as PSS for PostgreSQL,
// so that pages shared by its processes are counted once.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machine, root } from './support.mjs';

const runs = 5;
const budget = { firstStartMs: 4_000, warmStartMs: 600, serverStartMs: 300, idleMemoryMb: 220 };

const first = [];
const warm = [];
const onServer = [];
const memory = [];
for (let run = 0; run < runs; run++) {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-bench-'));
  try {
    first.push((await start(['--data-dir', folder])).ms);
    const second = await start(['--data-dir', folder], async (pid) => {
      await sleep(3_000);
      const used = await memoryMb(pid, folder);
      // The PostgreSQL of the first process is the server of the second.
      onServer.push((await start(['--database-url', await addressOf(folder)])).ms);
      return used;
    });
    warm.push(second.ms);
    memory.push(second.result);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const result = {
  ...machine(),
  runs,
  first_start_ms: summary(first),
  warm_start_ms: summary(warm),
  server_start_ms: summary(onServer),
  idle_memory_mb: {
    total: summary(memory.map((each) => each.node + each.postgres)),
    node: summary(memory.map((each) => each.node)),
    postgres: summary(memory.map((each) => each.postgres)),
  },
  budget: {
    first_start_ms: budget.firstStartMs,
    warm_start_ms: budget.warmStartMs,
    server_start_ms: budget.serverStartMs,
    idle_memory_mb: budget.idleMemoryMb,
  },
};
await writeFile(join(root, 'bench/results/start.json'), `${JSON.stringify(result, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
const within =
  result.first_start_ms.median < budget.firstStartMs &&
  result.warm_start_ms.median < budget.warmStartMs &&
  result.server_start_ms.median < budget.serverStartMs &&
  result.idle_memory_mb.total.median < budget.idleMemoryMb;
process.exitCode = within ? 0 : 1;

/** The time from the start of the process until it logs that it is serving; then `inspect`, then a clean stop. */
async function start(database, inspect = async () => undefined) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['bin/orrery', 'serve', '--port', '0', ...database], { cwd: root });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let log = '';
  const ms = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += chunk;
      if (log.includes('"msg":"serving"')) resolve(Math.round(performance.now() - startedMs));
    });
    child.once('exit', () => reject(new Error(log)));
  });
  try {
    return { ms, result: await inspect(child.pid) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** The address of the PostgreSQL in the folder. Started by root, it names its folder as it sees it itself. */
async function addressOf(folder) {
  const [pid, , , port, host] = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const socket = host.trim().replace('/proc/self/', `/proc/${pid}/`);
  return `postgres://orrery@localhost:${port}/postgres?host=${encodeURIComponent(socket)}`;
}

/** Memory of the service and of every process of the PostgreSQL in the folder. */
async function memoryMb(pid, folder) {
  const postmaster = Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  let postgres = await memoryOf('Pss', postmaster);
  for (const each of pids) if ((await parentOf(each)) === postmaster) postgres += await memoryOf('Pss', each);
  return { node: await memoryOf('Rss', pid), postgres };
}

async function parentOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function memoryOf(kind, pid) {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${kind}:\\s+([0-9]+) kB`, 'm').exec(rollup)?.[1] ?? 0) / 1_024;
}

function summary(values) {
  const sorted = values.map(Math.round).sort((left, right) => left - right);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
}
