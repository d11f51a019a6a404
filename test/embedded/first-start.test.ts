// The first start of an embedded database: what it creates, for whom, and what an interruption or a race leaves.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { removeAbandonedPartials } from '../../src/store/embedded/atomic-folder.ts';
import { openEmbedded, openEmbeddedWith } from '../../src/store/embedded/embedded.ts';
import {
  asRoot,
  cleanUp,
  namesIn,
  newFolder,
  openInOtherProcess,
  postmasterPid,
  processesNaming,
  queryOne,
  removeProgram,
  scriptedPackage,
  until,
} from '../support/embedded/harness.ts';

afterEach(cleanUp);
afterAll(removeProgram);

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a first start makes a durable UTF-8 database that only its owner reaches', async () => {
  const dataDir = join(newFolder(), 'new/data');
  const server = await openEmbedded(dataDir);
  expect(server.origin).toBe('created');
  const row = await queryOne(
    server,
    `select current_user as "user", lower('ÉŞ') as lower, 'a' < 'B' as dictionary_order,
       current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
       current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('listen_addresses') as addresses, current_setting('timezone') as zone,
       (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale`,
  );
  expect(row).toEqual({
    user: 'orrery',
    lower: 'éş',
    dictionary_order: false,
    encoding: 'UTF8',
    checksums: 'on',
    fsync: 'on',
    synchronous_commit: 'on',
    addresses: '',
    zone: 'UTC',
    locale: 'b C.UTF-8',
  });
  const paths = [dataDir, join(dataDir, 'postgres'), server.connection.host];
  expect(paths.map(modeOf)).toEqual([0o700, 0o700, 0o700]);
  expect(modeOf(join(dataDir, 'postgres.log'))).toBe(0o600);
  expect(modeOf(join(server.connection.host, '.s.PGSQL.5432'))).toBe(0o700);
  await server.close();
});

test('two processes that start at once on an empty folder share one server', async () => {
  const dataDir = join(newFolder(), 'data');
  const processes = await Promise.all([openInOtherProcess(dataDir), openInOtherProcess(dataDir)]);
  const opened = await Promise.all(processes.map((other) => other.opened));
  expect(opened.filter(({ origin }) => origin === 'created')).toHaveLength(1);
  const [first, second] = await Promise.all(processes.map((other) => other.ask('connect')));
  expect(first?.['started']).toBeDefined();
  expect(second).toEqual(first);
  expect(namesIn(dataDir)).toEqual(['postgres', 'postgres.log', 'socket']);
  await Promise.all(processes.map((other) => other.ask('disconnect')));
  await Promise.all(processes.map((other) => other.ask('close')));
  expect(await processesNaming(` -D ${join(dataDir, 'postgres')} `)).toEqual([]);
});

test('a first start that was killed leaves nothing half-made', async () => {
  const dataDir = join(newFolder(), 'data');
  const killed = await openInOtherProcess(dataDir);
  const partials = () => (existsSync(dataDir) ? namesIn(dataDir).filter((name) => name.includes('partial')) : []);
  await until(() => partials().length === 1);
  await killed.kill();
  expect(namesIn(dataDir)).toEqual([expect.stringContaining(`postgres.partial-${killed.pid}-`)]);
  const server = await openEmbedded(dataDir);
  expect(server.origin).toBe('created');
  await server.close();
  // Its initdb may have run until now, so the next opening removes what it wrote last.
  while ((await processesNaming(`postgres.partial-${killed.pid}-`)).length > 0) await sleep(20);
  await (await openEmbedded(dataDir)).close();
  expect(partials()).toEqual([]);
});

test('a temporary folder is removed unless its process lives', async () => {
  const dataDir = join(newFolder(), 'data');
  const living = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = spawn('true', { stdio: 'ignore' });
  await until(() => ended.exitCode !== null);
  // The own id too: after the restart of a container, another process had it.
  for (const pid of [ended.pid, living.pid, process.pid]) {
    mkdirSync(join(dataDir, `postgres.partial-${pid}-abc/base`), { recursive: true });
  }
  await removeAbandonedPartials(dataDir);
  expect(readdirSync(dataDir)).toEqual([`postgres.partial-${living.pid}-abc`]);
  living.kill('SIGKILL');
});

test('a disk that is full at the first start is one sentence, and leaves nothing behind', async () => {
  const folder = newFolder();
  const full = scriptedPackage(join(folder, 'package'), {
    postgres: 'echo "postgres (PostgreSQL) 18.4"',
    initdb: [
      'echo "running bootstrap script ... "',
      'echo "2026-11-15 02:44:55.891 UTC [5015] FATAL:  could not extend file \\"base/1/2691\\": No space left on device" >&2',
      'echo "child process exited with exit code 134" >&2',
      'echo "initdb: removing contents of data directory" >&2',
      'exit 1',
    ].join('\n'),
  });
  await expect(openEmbeddedWith(() => full, join(folder, 'data'))).rejects.toMatchObject({
    kind: 'data_folder',
    message: `The database could not be created in ${join(folder, 'data')}: could not extend file "base/1/2691": No space left on device.`,
    fix: 'Free about 60 MB on the disk, then start again.',
  });
  expect(readdirSync(join(folder, 'data'))).toEqual([]);
});

test.runIf(asRoot)('as root the server runs as an unprivileged user that owns the data', async () => {
  const dataDir = join(newFolder(), 'data');
  const server = await openEmbedded(dataDir);
  const owner = statSync(join(dataDir, 'postgres')).uid;
  expect(owner).not.toBe(0);
  expect(statSync(dataDir).uid).toBe(owner);
  expect(statSync(join(dataDir, 'postgres.log')).uid).toBe(owner);
  if (process.platform === 'linux') expect(statSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(owner);
  await server.close();
});

test.runIf(asRoot)('as root a folder with other files keeps its owner and mode', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'letter.txt'), 'mine');
  const server = await openEmbedded(folder);
  expect(statSync(folder).uid).toBe(0);
  expect(modeOf(folder)).toBe(0o755);
  expect(statSync(join(folder, 'postgres')).uid).not.toBe(0);
  await server.close();
});
