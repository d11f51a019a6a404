// A small Citus cluster on this machine, for trials, tests and benchmarks: a coordinator and some workers, from an installed
// PostgreSQL that has Citus. It listens on the loopback address alone, lets everybody on this machine in, and is gone with its
// folder: nothing that matters belongs into it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL refuses to run as root, so root starts it as one of these. */
const accounts = ['orrery', 'postgres'];

/** Of every server. */
const settings = [
  // A worker has connections of many sessions of the coordinator.
  ['max_connections', '400'],
  ['listen_addresses', '127.0.0.1'],
];

/** Of the servers of a cluster. */
const clusterSettings = [
  ['shared_preload_libraries', 'citus'],
  ['citus.node_conninfo', 'sslmode=disable'],
  // Parts are moved by logical replication, while they are in use.
  ['wal_level', 'logical'],
  ['max_prepared_transactions', '400'],
  // Each database of a cluster has a process of Citus.
  ['max_worker_processes', '64'],
  ['citus.enable_statistics_collection', 'off'],
  ['citus.stat_counters_flush_interval', '1s'],
  ['citus.enable_stat_counters', 'on'],
];

/**
 * `pgConfig` is the program pg_config of the installation. Without workers, it is one server, which knows nothing of Citus. With `keepsDisk` false, nothing waits for the disk. With `logs` true,
 * each server writes all statements to `log` in its folder.
 */
export async function startCluster({ pgConfig, workers = 2, keepsDisk = true, logs = false }) {
  const programs = execFileSync(pgConfig, ['--bindir'], { encoding: 'utf8' }).trim();
  const root = mkdtempSync(join(tmpdir(), 'orrery-citus-'));
  const account = ownerOf(root);
  const nodes = [];
  const stop = async () => {
    for (const node of nodes.toReversed()) await node.stop();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    for (let number = 0; number <= workers; number++) {
      const name = number === 0 ? 'coordinator' : `worker${number}`;
      nodes.push(
        await startNode({ programs, folder: join(root, name), account, isAlone: workers === 0, keepsDisk, logs }),
      );
    }
    const [coordinator, ...others] = nodes;
    if (workers > 0) joinCluster(coordinator, others);
    return {
      coordinator,
      workers: others,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function ownerOf(folder) {
  if (process.getuid?.() !== 0) return {};
  for (const name of accounts) {
    try {
      const id = (what) =>
        Number(execFileSync('id', [what, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      const account = { uid: id('-u'), gid: id('-g') };
      chownSync(folder, account.uid, account.gid);
      chmodSync(folder, 0o755);
      return account;
    } catch {
      // There is no such user; the next one is tried.
    }
  }
  throw new Error(
    `PostgreSQL does not run as root. Create a user named ${accounts.join(' or ')}, or start this as an ordinary user.`,
  );
}

async function startNode({ programs, folder, account, isAlone, keepsDisk, logs }) {
  const port = await freePort();
  const own = { ...account, cwd: '/', env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  mkdirSync(folder);
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username', 'orrery', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'],
    {
      ...own,
      stdio: 'ignore',
    },
  );
  const more = [
    ...(isAlone ? [] : clusterSettings),
    ['port', String(port)],
    ['unix_socket_directories', folder],
    ...(keepsDisk
      ? []
      : [
          ['fsync', 'off'],
          ['full_page_writes', 'off'],
        ]),
    ...(logs
      ? [
          ['log_statement', 'all'],
          ['log_line_prefix', '%m %p %d '],
        ]
      : []),
  ];
  appendFileSync(
    join(data, 'postgresql.conf'),
    [...settings, ...more].map(([name, value]) => `${name} = '${value}'\n`).join(''),
  );
  const log = join(folder, 'log');
  const start = async () => {
    const file = openSync(log, 'a', 0o644);
    const child = spawn(join(programs, 'postgres'), ['-D', data], { ...own, stdio: ['ignore', file, file] });
    const ended = once(child, 'close');
    for (let tries = 0; !answers(programs, port); tries++) {
      if (child.exitCode !== null || tries > 200) {
        child.kill('SIGQUIT');
        throw new Error(`A server of the cluster did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
      }
      await sleep(100);
    }
    return { child, ended };
  };
  let running = await start();
  const end = async (signal) => {
    running.child.kill(signal);
    await running.ended;
  };
  return {
    port,
    log,
    /** The address of a database on this server. */
    url: (database = 'postgres') => `postgres://orrery@127.0.0.1:${port}/${database}`,
    /** The process whose children are all others of the server. */
    pid: () => running.child.pid,
    stop: () => end('SIGINT'),
    /** Without an orderly end: what was not written yet is lost. */
    kill: () => end('SIGQUIT'),
    restart: async () => {
      running = await start();
    },
    psql: (database, text) => psql({ programs, port, database }, text),
  };
}

/** Makes the databases named postgres on all servers one cluster. */
function joinCluster(coordinator, workers) {
  const ask = (server, text) => server.psql('postgres', text);
  for (const server of [coordinator, ...workers]) ask(server, 'create extension citus');
  ask(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers) ask(coordinator, `select citus_add_node('127.0.0.1', ${port})`);
}

/** The output of one statement, its columns parted by bars. */
function psql({ programs, port, database }, text) {
  return execFileSync(
    join(programs, 'psql'),
    [
      '-X',
      '-q',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'orrery',
      '-d',
      database,
      '-c',
      text,
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  ).trim();
}

function answers(programs, port) {
  try {
    execFileSync(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
