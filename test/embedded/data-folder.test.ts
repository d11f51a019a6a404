// Data folders that cannot be used, each explained in one sentence, and unusual ones that can.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openEmbedded, openEmbeddedWith } from '../../src/store/embedded/embedded.ts';
import { socketFolderOf } from '../../src/store/embedded/socket-folder.ts';
import {
  asRoot,
  cleanUp,
  copyPackageWithoutLinks,
  newFolder,
  openInOtherProcess,
  queryOne,
  removeProgram,
} from '../support/embedded/harness.ts';

afterEach(cleanUp);
afterAll(removeProgram);

const nobody = 65_534;

test('a file in the place of the data folder is refused', async () => {
  const path = join(newFolder(), 'data');
  writeFileSync(path, '');
  for (const dataDir of [path, join(path, 'below')]) {
    await expect(openEmbedded(dataDir)).rejects.toMatchObject({
      kind: 'data_folder',
      message: `The data folder ${dataDir} is not a folder.`,
      fix: 'Give another folder with --data-dir or ORRERY_DATA_DIR.',
    });
  }
});

test('a folder that the user cannot write is refused', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o555);
  const dataDir = join(folder, 'data');
  const refusal = { kind: 'data_folder', message: `The data folder ${dataDir} cannot be written by this user.` };
  if (asRoot) {
    const { opened } = await openInOtherProcess(dataDir, { uid: nobody });
    expect(await opened).toMatchObject({ kind: refusal.kind, sentence: refusal.message });
  } else {
    await expect(openEmbedded(dataDir)).rejects.toMatchObject(refusal);
  }
  chmodSync(folder, 0o755);
});

test('a database of another PostgreSQL version is refused', async () => {
  const dataDir = join(newFolder(), 'data');
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '17\n');
  if (asRoot) chownSync(join(dataDir, 'postgres'), nobody, nobody);
  await expect(openEmbedded(dataDir)).rejects.toMatchObject({
    kind: 'database_unsuitable',
    message: `The database in ${dataDir} was made by PostgreSQL 17, and this release runs PostgreSQL 18.`,
  });
});

test('a folder named postgres that is not a database is refused', async () => {
  const dataDir = join(newFolder(), 'data');
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  if (asRoot) chownSync(join(dataDir, 'postgres'), nobody, nobody);
  await expect(openEmbedded(dataDir)).rejects.toMatchObject({ kind: 'data_folder' });
});

test('a data folder too long for a socket has its socket in the temporary folder', async () => {
  const dataDir = join(newFolder(), 'long-'.repeat(20), 'data');
  const server = await openEmbedded(dataDir);
  expect(server.connection.host).toMatch(/^\/tmp\/orrery-[0-9a-f]{16}$/);
  const found = statSync(server.connection.host);
  expect([found.mode & 0o777, found.uid]).toEqual([0o700, statSync(join(dataDir, 'postgres')).uid]);
  expect(await queryOne(server, 'select 1 as one')).toEqual({ one: 1 });
  await server.close();
  await rm(server.connection.host, { recursive: true });
});

test('a link in the place of the temporary socket folder is refused', async () => {
  const folder = newFolder();
  const dataDir = join(folder, 'long-'.repeat(20), 'data');
  const socketFolder = socketFolderOf(dataDir);
  symlinkSync(folder, socketFolder);
  try {
    await expect(openEmbedded(dataDir)).rejects.toMatchObject({
      kind: 'data_folder',
      message: `The folder of the database's socket, ${socketFolder}, is a link or belongs to another user.`,
    });
  } finally {
    await rm(socketFolder);
  }
});

test('blanks, commas and quotes in the path of a data folder do no harm', async () => {
  const dataDir = join(newFolder(), 'Ada\'s data, "new"');
  const server = await openEmbedded(dataDir);
  expect(await queryOne(server, 'select 1 as one')).toEqual({ one: 1 });
  await server.close();
});

test.runIf(asRoot)('a database that belongs to root is refused with the fix', async () => {
  const dataDir = join(newFolder(), 'data');
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  await expect(openEmbedded(dataDir)).rejects.toMatchObject({
    kind: 'data_folder',
    message: `The database in ${join(dataDir, 'postgres')} belongs to root, and PostgreSQL refuses to run as root.`,
  });
});

test.runIf(asRoot)('as root a database runs as the user that owns it, and that user can open it too', async () => {
  const dataDir = join(newFolder(), 'data');
  mkdirSync(dataDir);
  chownSync(dataDir, nobody, nobody);
  // A package that both can read, wherever the clone is.
  const packageFolder = copyPackageWithoutLinks(join(newFolder(), 'package'));
  const server = await openEmbeddedWith(() => packageFolder, dataDir);
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(nobody);
  const owner = await openInOtherProcess(dataDir, { uid: nobody, packageFolder });
  expect(await owner.opened).toEqual({ origin: 'adopted' });
  await owner.kill();
  await server.close();
  const alone = await openInOtherProcess(dataDir, { uid: nobody, packageFolder });
  expect(await alone.opened).toEqual({ origin: 'started' });
  await alone.ask('close');
  expect(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).toBe('18\n');
});

test.runIf(asRoot)('an ordinary user is not let into the database of another', async () => {
  const dataDir = join(newFolder(), 'data');
  const server = await openEmbedded(dataDir);
  const owner = statSync(join(dataDir, 'postgres')).uid;
  chmodSync(dataDir, 0o777);
  const stranger = owner === nobody ? 1 : nobody;
  const { opened } = await openInOtherProcess(dataDir, { uid: stranger });
  expect(await opened).toMatchObject({
    kind: 'data_folder',
    sentence: `The database in ${join(dataDir, 'postgres')} belongs to another user (uid ${owner}).`,
  });
  await server.close();
});

test.runIf(asRoot)(
  'as root a data folder below a private folder works, and the private folder stays private',
  async () => {
    const home = join(newFolder(), 'home');
    mkdirSync(home, { mode: 0o700 });
    const dataDir = join(home, 'below', 'data');
    const server = await openEmbedded(dataDir);
    expect(server.origin).toBe('created');
    expect(await queryOne(server, 'select 1 as one')).toEqual({ one: 1 });
    expect([statSync(home).mode & 0o777, statSync(home).uid]).toEqual([0o700, 0]);
    const again = await openEmbedded(dataDir);
    expect(again.origin).toBe('adopted');
    const pid = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await again.ensureRunning();
    expect(await queryOne(again, 'select 1 as one')).toEqual({ one: 1 });
    await server.close();
    await again.close();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  },
);
