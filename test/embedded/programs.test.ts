// Where the programs of PostgreSQL come from: the npm package as it is, the package with its links added, or a copy
// beside the data.
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { inspectPrograms, openEmbeddedWith } from '../../src/store/embedded/embedded.ts';
import { locatePackage, packageVersion, preparePrograms } from '../../src/store/embedded/programs.ts';
import {
  asRoot,
  cleanUp,
  copyPackageWithoutLinks,
  newFolder,
  openInOtherProcess,
  removeProgram,
  scriptedPackage,
} from '../support/embedded/harness.ts';

afterEach(cleanUp);
afterAll(removeProgram);

const nobody = { uid: 65_534, gid: 65_534 };

test('missing library links are made in the package', async () => {
  const folder = newFolder();
  const bare = copyPackageWithoutLinks(join(folder, 'package'));
  const programs = await preparePrograms(bare, folder, asRoot ? nobody : undefined);
  expect(programs.postgres).toBe(join(bare, 'native/bin/postgres'));
  const libraries = readdirSync(join(bare, 'native/lib')).map((name) => lstatSync(join(bare, 'native/lib', name)));
  expect(libraries.filter((library) => library.isSymbolicLink()).length).toBeGreaterThan(5);
  expect(readdirSync(folder)).toEqual(['package']);
});

test.runIf(asRoot)('a package that the unprivileged user cannot reach is copied beside the data', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'home'), { mode: 0o700 });
  const hidden = copyPackageWithoutLinks(join(folder, 'home/package'));
  const dataDir = join(folder, 'data');
  const server = await openEmbeddedWith(() => hidden, dataDir);
  expect(server.origin).toBe('created');
  const copy = `engine-${await packageVersion(hidden)}`;
  expect(readdirSync(dataDir).sort()).toEqual([copy, 'postgres', 'postgres.log', 'socket']);
  await server.close();
  const copiedAt = statSync(join(dataDir, copy)).mtimeMs;
  const again = await openEmbeddedWith(() => hidden, dataDir);
  expect(again.origin).toBe('started');
  expect(statSync(join(dataDir, copy)).mtimeMs).toBe(copiedAt);
  await again.close();
});

test.runIf(asRoot)(
  'a package and data that the unprivileged user cannot reach have their copy in a shared place',
  async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'home/data'), { recursive: true });
    chmodSync(join(folder, 'home'), 0o700);
    const hidden = copyPackageWithoutLinks(join(folder, 'home/package'));
    const programs = await preparePrograms(hidden, join(folder, 'home/data'), nobody, join(folder, 'shared'));
    expect(programs.postgres).toContain(join(folder, 'shared', `engine-${await packageVersion(hidden)}`));
  },
);

test('a package without links that cannot be written is copied beside the data', async () => {
  const folder = newFolder();
  const bare = copyPackageWithoutLinks(join(folder, 'package'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  if (asRoot) chownSync(dataDir, nobody.uid, nobody.gid);
  chmodSync(join(bare, 'native/lib'), 0o555);
  try {
    const options = { ...(asRoot ? { uid: nobody.uid } : {}), packageFolder: bare };
    const other = await openInOtherProcess(dataDir, options);
    expect(await other.opened).toEqual({ origin: 'created' });
    expect(readdirSync(dataDir)).toContain(`engine-${await packageVersion(bare)}`);
    await other.ask('close');
  } finally {
    chmodSync(join(bare, 'native/lib'), 0o755);
  }
});

test.runIf(asRoot)('a damaged copy of the programs is replaced', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'home'), { mode: 0o700 });
  const script = 'echo "postgres (PostgreSQL) 18.4"';
  const hidden = scriptedPackage(join(folder, 'home/package'), { initdb: script, postgres: script });
  const copy = join(folder, `engine-${await packageVersion(hidden)}`);
  mkdirSync(join(copy, 'native/bin'), { recursive: true });
  writeFileSync(join(copy, 'native/bin/postgres'), '', { mode: 0o644 });
  const programs = await preparePrograms(hidden, folder, nobody);
  expect(programs.initdb).toBe(join(copy, 'native/bin/initdb'));
  expect(existsSync(programs.initdb)).toBe(true);
});

test('programs that do not run on the machine are a Failure with its reason', async () => {
  const folder = newFolder();
  const script = 'echo "postgres: error while loading shared libraries: libx.so: cannot open" >&2; exit 127';
  const broken = scriptedPackage(join(folder, 'package'), { initdb: script, postgres: script });
  await expect(preparePrograms(broken, folder, undefined)).rejects.toMatchObject({
    kind: 'engine_missing',
    message:
      'The embedded PostgreSQL does not run on this machine: postgres: error while loading shared libraries: libx.so: cannot open.',
  });
});

test('a platform without programs is a Failure that suggests a server', () => {
  expect(() => locatePackage('win32-x64')).toThrow(
    expect.objectContaining({
      kind: 'engine_missing',
      message: 'There is no embedded PostgreSQL for win32-x64.',
      fix: 'Give a PostgreSQL server with --database-url or DATABASE_URL.',
    }),
  );
});

test('doctor learns platform, version and program', async () => {
  expect(await inspectPrograms()).toEqual({
    platform: `${process.platform}-${process.arch}`,
    version: expect.stringMatching(/^18\./),
    program: expect.stringMatching(/^postgres \(PostgreSQL\) 18\./),
    problem: undefined,
  });
});
