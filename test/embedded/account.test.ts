// The user that the embedded PostgreSQL of root runs as, on machines with and without a user made for it.
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inspectDataFolder, prepareDataFolder } from '../../src/store/embedded/data-folder.ts';
import { asRoot, cleanUp, newFolder } from '../support/embedded/harness.ts';

/** The users of the machine, as /etc/passwd lists them. */
let users = '';
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const readFile = (...args: Parameters<typeof original.readFile>) =>
    args[0] === '/etc/passwd' ? Promise.resolve(users) : original.readFile(...args);
  return { ...original, readFile };
});

const root = 'root:x:0:0:root:/root:/bin/bash\n';
const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n';
const postgres = 'postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n';
const orrery = 'orrery:x:998:997::/home/orrery:/bin/sh\n';
const ada = 'ada:x:1815:1815:Ada:/home/ada:/bin/bash\n';

beforeEach(() => {
  users = root + ada + nobody;
});
afterEach(cleanUp);

const withoutUser = {
  kind: 'data_folder',
  message: 'PostgreSQL refuses to run as root, and there is no user "orrery" to run it as and to own the data.',
  fix: 'Create that user with "useradd --system orrery" and start again, or start Orrery as an ordinary user.',
};

test.runIf(asRoot)('root without a user for the data is told which to make, and nothing is made', async () => {
  const dataDir = join(newFolder(), 'new', 'data');
  await expect(prepareDataFolder(dataDir)).rejects.toMatchObject(withoutUser);
  expect(existsSync(join(dataDir, '..'))).toBe(false);
  mkdirSync(dataDir, { recursive: true });
  await expect(prepareDataFolder(dataDir)).rejects.toMatchObject(withoutUser);
  await expect(inspectDataFolder(dataDir)).rejects.toMatchObject(withoutUser);
});

test.runIf(asRoot)('a user made for Orrery comes before one made for PostgreSQL, and nobody is not taken', async () => {
  users = root + nobody + postgres;
  expect(await prepareDataFolder(join(newFolder(), 'data'))).toMatchObject({ account: { uid: 101, gid: 104 } });
  users += orrery;
  expect(await prepareDataFolder(join(newFolder(), 'data'))).toMatchObject({ account: { uid: 998, gid: 997 } });
});

test.runIf(asRoot)('a folder that belongs to an ordinary user is used as that user', async () => {
  const dataDir = newFolder();
  chownSync(dataDir, 1_815, 1_815);
  expect(await prepareDataFolder(dataDir)).toMatchObject({ account: { uid: 1_815, gid: 1_815 } });
  const unnamed = newFolder();
  chownSync(unnamed, 4_711, 4_711);
  await expect(prepareDataFolder(unnamed)).rejects.toMatchObject(withoutUser);
});

test.runIf(asRoot)('a database that already belongs to nobody stays usable', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'postgres'));
  chownSync(join(dataDir, 'postgres'), 65_534, 65_534);
  expect(await prepareDataFolder(dataDir)).toMatchObject({ account: { uid: 65_534, gid: 65_534 } });
});
