// The staircase: a room imports from the rooms below it, a folder from the folders below it, and no file imports itself
// by any path. Each rule is tried on a small sample that breaks it.
import { expect, test } from 'vitest';
import { toSource } from '../support/sources.ts';
import { client, program } from '../support/tidy/repository-code.ts';
import {
  boxCircles,
  brokenImports,
  engineFloors,
  fileCircles,
  strayPackages,
  unreachedFiles,
  unsharedDatabases,
  upwardFolders,
  upwardImports,
} from '../support/tidy/rooms.ts';

const importing = (path: string, ...targets: readonly string[]) =>
  toSource(path, targets.map((target) => `import { a } from '${target}';\n`).join(''));

test('every file imports only from its own room and the rooms below it', () => {
  expect(upwardImports(program)).toEqual([]);
});

test('an import from a room above is found, also of types', () => {
  const store = toSource('src/store/a.ts', "import type { B } from '../engine/b.ts';\n");
  expect(upwardImports([store, importing('src/engine/b.ts')])).toEqual(['src/store/a.ts imports src/engine/b.ts']);
  const http = importing('src/http/a.ts', '../query/b.ts');
  expect(upwardImports([http, importing('src/query/b.ts')])).toHaveLength(1);
});

const rooms = [
  ...['base', 'schema', 'access', 'query', 'store', 'engine', 'operations', 'http', 'cli'].map((room) => `src/${room}`),
  'demo',
];

test.each(rooms)('the folders and files of %s import each other in no circle', (room) => {
  expect(boxCircles(program, room)).toEqual([]);
});

test('the files of the client import each other in no circle', () => {
  expect(boxCircles(client, 'client')).toEqual([]);
});

test('a circle of folders is found, though no file imports itself', () => {
  const files = [
    importing('src/engine/unit/a.ts', '../rules/b.ts'),
    importing('src/engine/rules/b.ts'),
    importing('src/engine/rules/c.ts', '../unit/a.ts'),
  ];
  expect(fileCircles(files)).toEqual([]);
  expect(boxCircles(files, 'src/engine')).toEqual(['unit → rules → unit']);
});

test('the folders of engine are floors: each imports only from the floors below it', () => {
  expect(upwardFolders(program, 'src/engine', engineFloors)).toEqual([]);
});

test('an import from a floor above, from a neighbour, and a folder without a floor are found', () => {
  const files = [
    importing('src/engine/process/a.ts', '../unit/b.ts'),
    importing('src/engine/admin/a.ts', '../feed/b.ts'),
    importing('src/engine/other/a.ts'),
  ];
  expect(upwardFolders(files, 'src/engine', engineFloors)).toEqual([
    'src/engine/process/a.ts imports src/engine/unit/b.ts',
    'src/engine/admin/a.ts imports src/engine/feed/b.ts',
    'other has no floor',
  ]);
});

test('the client imports nothing but its own files', () => {
  expect(client.length).toBeGreaterThan(10);
  const paths = new Set(client.map(({ path }) => path));
  expect(client.flatMap(({ imports }) => imports.filter(({ target }) => !paths.has(target)))).toEqual([]);
});

test('every relative import names a file that exists, with its extension', () => {
  expect(brokenImports(program)).toEqual([]);
  expect(brokenImports([importing('src/a.ts', './b', './a.ts')])).toEqual(['src/a.ts imports src/b']);
});

test('no file imports itself, directly or by way of others', () => {
  expect(fileCircles(program)).toEqual([]);
  const circle = [importing('src/a.ts', './b.ts'), importing('src/b.ts', './c.ts'), importing('src/c.ts', './a.ts')];
  expect(fileCircles(circle)).toEqual(['src/a.ts → src/b.ts → src/c.ts → src/a.ts']);
});

test('every file is reached from the front door', () => {
  // The build makes two programs.
  expect(unreachedFiles(program, 'src/main.ts', 'src/store/embedded/stop-unused.ts')).toEqual([]);
  const files = [importing('src/main.ts', './a.ts'), importing('src/a.ts'), importing('src/b.ts', './a.ts')];
  expect(unreachedFiles(files, 'src/main.ts')).toEqual(['src/b.ts']);
});

test('a package is imported only in the rooms that it belongs to', () => {
  expect(strayPackages(program)).toEqual([]);
  expect(strayPackages([importing('src/engine/a.ts', 'pg')])).toEqual(['src/engine/a.ts imports pg']);
});

test('work of a request reaches the database only through the share of its org', () => {
  expect(unsharedDatabases(program)).toEqual([]);
  const whole = toSource('src/engine/read/a.ts', "import type { Database } from '../../store/database.ts';\n");
  const driver = importing('src/engine/feed/a.ts', '../../store/driver/open.ts');
  const shared = toSource('src/engine/unit/a.ts', "import type { Transaction } from '../../store/database.ts';\n");
  expect(unsharedDatabases([whole, driver, shared])).toEqual(['src/engine/read/a.ts', 'src/engine/feed/a.ts']);
});
