// Several processes on one data folder, and servers and processes that die: what is adopted, started again, stopped.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { prepareDataFolder } from '../../src/store/embedded/data-folder.ts';
import { type EmbeddedServer, openEmbedded } from '../../src/store/embedded/embedded.ts';
import { bringUp } from '../../src/store/embedded/postmaster.ts';
import { connectionOf } from '../../src/store/embedded/server-status.ts';
import { usualWatch } from '../../src/store/embedded/watch.ts';
import {
  asRoot,
  cleanUp,
  endProcesses,
  isRunning,
  newFolder,
  openInOtherProcess,
  postmasterPid,
  processesNaming,
  programsPackage,
  queryOne,
  removeProgram,
  until,
} from '../support/embedded/harness.ts';

let dataDir: string;

// One database for all: every test leaves it closed, and making one is the longest part of a start.
beforeAll(async () => {
  dataDir = join(newFolder(), 'data');
  await (await openEmbedded(dataDir)).close();
});
afterEach(endProcesses);
afterAll(async () => {
  await cleanUp();
  removeProgram();
});

/** Opens a connection that stays open, and returns the id of the server's process for it. */
async function connectBackend(server: EmbeddedServer): Promise<number> {
  const client = new pg.Client(server.connection);
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? -1;
}

test('a server whose starter was killed is adopted, and stopped by the last process that uses it', async () => {
  const killed = await openInOtherProcess(dataDir);
  expect(await killed.opened).toEqual({ origin: 'started' });
  const pid = postmasterPid(dataDir);
  await killed.kill();
  const server = await openEmbedded(dataDir);
  expect(server.origin).toBe('adopted');
  expect(postmasterPid(dataDir)).toBe(pid);
  await server.close();
  // The watch over the killed process notices within a second that there is nothing left to stop.
  await expect.poll(() => processesNaming(dataDir)).toEqual([]);
});

const lockPath = () => join(dataDir, 'postgres/postmaster.pid');

/** The processes that watch over one that gave its server so many seconds. */
function watches(seconds: number): Promise<string[]> {
  return processesNaming(` orrery-watch ${lockPath()} ${seconds} `);
}

test('a server whose process was killed is stopped if nobody comes, and nothing is left running', async () => {
  const killed = await openInOtherProcess(dataDir, { watchSeconds: 1 });
  expect(await killed.opened).toEqual({ origin: 'started' });
  expect(await watches(1)).toHaveLength(1);
  await killed.kill();
  // PostgreSQL removes its lock file at the end of a proper shutdown.
  await until(() => !existsSync(lockPath()));
  await expect.poll(() => processesNaming(dataDir)).toEqual([]);
});

test('a process that comes in time keeps the server of a killed one, and has a watch of its own', async () => {
  const killed = await openInOtherProcess(dataDir, { watchSeconds: 2 });
  await killed.opened;
  const pid = postmasterPid(dataDir);
  const heir = await openInOtherProcess(dataDir, { watchSeconds: 1 });
  expect(await heir.opened).toEqual({ origin: 'adopted' });
  await heir.ask('connect');
  await killed.kill();
  await expect.poll(() => watches(2)).toEqual([]);
  expect(postmasterPid(dataDir)).toBe(pid);
  expect(await watches(1)).toHaveLength(1);
  await heir.kill();
  await until(() => !existsSync(lockPath()));
});

test('a server whose process was killed is not stopped while another program is connected to it', async () => {
  const killed = await openInOtherProcess(dataDir, { watchSeconds: 1 });
  await killed.opened;
  const stranger = new pg.Client({ ...connectionOf(await prepareDataFolder(dataDir)), application_name: 'psql' });
  stranger.on('error', () => undefined);
  await stranger.connect();
  await killed.kill();
  const stopper = async () => (await processesNaming(`stop-unused.js ${dataDir}`)).some((line) => !line.includes('$'));
  // It looks twice.
  for (const seen of [true, false, true]) await expect.poll(stopper, { interval: 20 }).toBe(seen);
  await stranger.query('select 1');
  await stranger.end();
  await until(() => !existsSync(lockPath()));
});

test('a process that closes its server ends the watch over it', async () => {
  const server = await openEmbedded(dataDir);
  expect(await watches(usualWatch.seconds)).toHaveLength(1);
  await server.close();
  expect(await watches(usualWatch.seconds)).toEqual([]);
});

test('a server that another process uses is left running', async () => {
  const server = await openEmbedded(dataDir);
  const other = await openInOtherProcess(dataDir);
  expect(await other.opened).toEqual({ origin: 'adopted' });
  await other.ask('connect');
  const pid = postmasterPid(dataDir);
  await server.close();
  await server.close();
  expect(isRunning(pid)).toBe(true);
  await other.ask('disconnect');
  await other.ask('close');
  // It was started by this process, which has yet to take note of its end.
  await until(() => !isRunning(pid));
});

test('a process that leaves one behind that was there before does not look again and again whether it leaves, too', async () => {
  const other = await openInOtherProcess(dataDir);
  await other.opened;
  await other.ask('connect');
  const observer = new pg.Client({ ...connectionOf(await prepareDataFolder(dataDir)), application_name: 'orrery' });
  await observer.connect();
  /** How many sessions have begun, which each look is. */
  const sessions = async () =>
    (await observer.query<{ n: number }>('select sum(sessions)::int as n from pg_stat_database')).rows[0]?.n ?? 0;
  const server = await openEmbedded(dataDir);
  expect(server.origin).toBe('adopted');
  const before = await sessions();
  await server.close();
  // A session is counted when it has ended, a moment later.
  await sleep(1_200);
  expect((await sessions()) - before).toBeLessThan(4);
  await observer.end();
  await other.ask('disconnect');
  await other.ask('close');
});

test('a Ctrl-C that reaches the process group of the service does not reach the server', async () => {
  const server = await openEmbedded(dataDir);
  const pid = postmasterPid(dataDir);
  if (process.platform === 'linux') {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
    expect([Number(fields?.[2]), Number(fields?.[3])]).toEqual([pid, pid]);
  }
  await server.close();
});

test('a killed server is brought back, by one attempt for all callers', async () => {
  const server = await openEmbedded(dataDir);
  await queryOne(server, 'create table kept as select 7 as value');
  const pid = postmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
  const first = server.ensureRunning();
  expect(server.ensureRunning()).toBe(first);
  await first;
  expect(postmasterPid(dataDir)).not.toBe(pid);
  expect(await queryOne(server, 'select value from kept')).toEqual({ value: 7 });
  await server.ensureRunning();
  await server.close();
  await expect(server.ensureRunning()).rejects.toMatchObject({ kind: 'database_unreachable' });
  await expect.poll(() => processesNaming(dataDir)).toEqual([]);
});

test('processes that bring a killed server back at the same time end up on one', async () => {
  const others = [await openInOtherProcess(dataDir)];
  await others[0]?.opened;
  others.push(await openInOtherProcess(dataDir), await openInOtherProcess(dataDir));
  await Promise.all(others.map((other) => other.opened));
  for (let round = 0; round < 3; round += 1) {
    const pid = postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    expect(await Promise.all(others.map((other) => other.ask('ensure')))).toEqual([{}, {}, {}]);
    const [first, ...rest] = await Promise.all(others.map((other) => other.ask('connect')));
    expect(first?.['started']).toBeDefined();
    expect(rest).toEqual([first, first]);
    // A process that the server has just begun has its name for a moment.
    await expect.poll(async () => (await processesNaming(` -D ${join(dataDir, 'postgres')} `)).length).toBe(1);
    await Promise.all(others.map((other) => other.ask('disconnect')));
  }
  await Promise.all(others.map((other) => other.ask('close')));
});

test('a start waits for backends of a killed server that are still leaving', async () => {
  const server = await openEmbedded(dataDir);
  const backend = await connectBackend(server);
  const pid = postmasterPid(dataDir);
  process.kill(backend, 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
  let done = false;
  const running = server.ensureRunning().then(() => {
    done = true;
  });
  await sleep(1_500);
  expect(done).toBe(false);
  process.kill(backend, 'SIGCONT');
  await running;
  expect(await queryOne(server, 'select 1 as one')).toEqual({ one: 1 });
  await server.close();
});

test('a backend that never leaves ends in a Failure that names the process', async () => {
  const server = await openEmbedded(dataDir);
  const backend = await connectBackend(server);
  const pid = postmasterPid(dataDir);
  process.kill(backend, 'SIGSTOP');
  try {
    process.kill(pid, 'SIGKILL');
    await until(() => !isRunning(pid));
    await expect(bringUp(await prepareDataFolder(dataDir), programsPackage, 1_000)).rejects.toMatchObject({
      kind: 'data_folder',
      message: `The data folder ${dataDir} is still in use by children of PostgreSQL process ${pid}, which has ended.`,
    });
  } finally {
    process.kill(backend, 'SIGCONT');
    await until(() => !isRunning(backend));
  }
});

test('a server that does not answer ends in a Failure that names the process', async () => {
  const server = await openEmbedded(dataDir);
  const pid = postmasterPid(dataDir);
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(bringUp(await prepareDataFolder(dataDir), programsPackage, 1_000)).rejects.toMatchObject({
      kind: 'data_folder',
      message: `The data folder ${dataDir} is held by process ${pid}: nothing answers on its socket.`,
      fix: `Wait until that process has ended, or end it with kill -INT ${pid}, then start again.`,
    });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await server.close();
});

test('a server that is shutting down is waited for and started again', async () => {
  const server = await openEmbedded(dataDir);
  const pid = postmasterPid(dataDir);
  process.kill(pid, 'SIGINT');
  const again = await openEmbedded(dataDir);
  expect(postmasterPid(dataDir)).not.toBe(pid);
  expect(await queryOne(again, 'select 1 as one')).toEqual({ one: 1 });
  await again.close();
  await server.close();
});

test('a stale lock whose process id belongs to another program now does not keep the server from starting', async () => {
  const server = await openEmbedded(dataDir);
  const pid = postmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
  const { uid, gid } = statSync(lockPath());
  const sleeper = spawn('sleep', ['60'], { ...(asRoot ? { uid, gid } : {}), stdio: 'ignore' });
  writeFileSync(lockPath(), readFileSync(lockPath(), 'utf8').replace(/^\d+/, String(sleeper.pid)));
  try {
    const again = await openEmbedded(dataDir);
    expect(again.origin).toBe('started');
    expect(sleeper.exitCode).toBeNull();
    await again.close();
    await server.close();
  } finally {
    sleeper.kill('SIGKILL');
  }
});

test('a lock for starting that its process never released is taken over', async () => {
  const ended = spawn('true', { stdio: 'ignore' });
  await until(() => ended.exitCode !== null);
  const turn = join(dataDir, 'starting');
  // The process's own id is like that of a container in which every process has the same one; an empty file was never finished.
  for (const content of [String(ended.pid), String(process.pid), '']) {
    writeFileSync(turn, content);
    const server = await openEmbedded(dataDir);
    expect(server.origin).toBe('started');
    expect(existsSync(turn)).toBe(false);
    await server.close();
  }
});

test('while another process is starting the server, it is waited for, however long that takes', async () => {
  const starter = spawn('sleep', ['60'], { stdio: 'ignore' });
  const turn = join(dataDir, 'starting');
  writeFileSync(turn, String(starter.pid));
  try {
    const started = bringUp(await prepareDataFolder(dataDir), programsPackage, 300);
    await sleep(1_000);
    rmSync(turn);
    expect(await started).toMatchObject({ origin: 'started' });
  } finally {
    starter.kill('SIGKILL');
  }
  const server = await openEmbedded(dataDir);
  expect(server.origin).toBe('adopted');
  await server.close();
});

test('the log is emptied at a start when it has grown', async () => {
  const log = join(dataDir, 'postgres.log');
  truncateSync(log, 10_485_761);
  await (await openEmbedded(dataDir)).close();
  expect(statSync(log).size).toBeLessThan(10_000);
  expect(readFileSync(log, 'utf8')).toContain('ready to accept connections');
});

test('a cluster that cannot start is reported with the reason that PostgreSQL gave', async () => {
  const broken = join(newFolder(), 'data');
  await (await openEmbedded(broken)).close();
  truncateSync(join(broken, 'postgres/global/pg_control'), 0);
  await expect(openEmbedded(broken)).rejects.toMatchObject({
    kind: 'data_folder',
    message: expect.stringMatching(/^PostgreSQL could not start on the data folder .*: .*pg_control/),
  });
});
