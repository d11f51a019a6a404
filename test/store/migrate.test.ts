// Migrations: each once, all or nothing, one runner at a time, never backwards. Files that a later or an earlier
// release would have are put beside the real ones as the program reads its folder.
import type * as FileSystem from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { raw, sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { openMigrated, openOrBegin, openReady, openUnmigrated } from '../../src/store/driver/open.ts';
import { migrate, migrationStatus, readMigrations } from '../../src/store/migrate.ts';
import { createDatabase, rawQuery, type TestDatabase } from '../support/database.ts';
import { lowerBounds } from '../support/lower-bounds.ts';

const more = vi.hoisted(() => new Map<string, string>());
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof FileSystem>();
  const nameOf = (path: unknown) => String(path).split('/').at(-1) ?? '';
  const isMigrations = (path: unknown) => String(path).endsWith('/store/migrations/');
  return {
    ...real,
    readdir: async (path: string) => [...(await real.readdir(path)), ...(isMigrations(path) ? more.keys() : [])],
    readFile: async (path: string, encoding: BufferEncoding) =>
      more.get(nameOf(path)) ?? (await real.readFile(path, encoding)),
  };
});

const opened: { readonly database: TestDatabase; readonly connections: Database[] }[] = [];
afterEach(async () => {
  more.clear();
  for (const { database, connections } of opened.splice(0)) {
    await Promise.all(connections.map((each) => each.close()));
    await database.drop();
  }
});

async function emptyDatabase() {
  const database = await createDatabase();
  const connections: Database[] = [];
  opened.push({ database, connections });
  const open = async (how: typeof openUnmigrated = openUnmigrated) => {
    const connection = await how({ engine: 'server', url: database.url });
    connections.push(connection);
    return connection;
  };
  const ask = async (text: string) => (await rawQuery(database.url, text)).rows;
  return { url: database.url, open, ask };
}

/** Every relation and function outside PostgreSQL's own schemas, and what has been applied. */
async function stateOf({ ask }: { readonly ask: (text: string) => Promise<unknown[]> }): Promise<unknown> {
  const relations = await ask(`
    select n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1, 2`);
  const schemas = await ask("select nspname from pg_namespace where nspname !~ '^(pg_|information_schema)' order by 1");
  const [table] = (await ask("select to_regclass('orrery.migration') is not null as exists")) as { exists: boolean }[];
  return { relations, schemas, applied: table?.exists ? await ask('select * from orrery.migration order by 1') : [] };
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}

test('an empty database gets all migrations, and a second run finds nothing to do', async () => {
  const empty = await emptyDatabase();
  const database = await empty.open();
  const names = (await readMigrations()).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(await migrationStatus(database)).toEqual({ current: 0, latest: names.length, pending: names });
  expect(await migrate(database)).toEqual(names);
  const state = await stateOf(empty);
  expect(await migrate(database)).toEqual([]);
  expect(await migrationStatus(database)).toEqual({ current: names.length, latest: names.length, pending: [] });
  expect(await stateOf(empty)).toEqual(state);
});

test('migrations are numbered from one without a gap', async () => {
  const numbers = (await readMigrations()).map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test('of four runners at once one applies, and none fails', async () => {
  const empty = await emptyDatabase();
  more.set('9001-slow.sql', 'select pg_sleep(0.3); create table orrery.slow (only_row boolean primary key);');
  const runners = await Promise.all(Array.from({ length: 4 }, () => empty.open()));
  const applied = await Promise.all(runners.map((runner) => migrate(runner)));
  const names = (await readMigrations()).map(({ name }) => name);
  expect(applied.filter((each) => each.length > 0)).toEqual([names]);
  expect(await empty.ask('select name from orrery.migration order by number')).toEqual(names.map((name) => ({ name })));
});

test('only new migrations are applied, and existing data stays', async () => {
  const empty = await emptyDatabase();
  const database = await empty.open(openMigrated);
  await empty.ask('update orrery.epoch set version = 41');
  more.set('9001-later.sql', 'create table orrery.later (only_row boolean primary key);');
  expect(await migrate(database)).toEqual(['9001-later.sql']);
  expect(await empty.ask('select version from orrery.epoch')).toEqual([{ version: '41' }]);
});

test('a migration may sort more than a request may', async () => {
  const restore = lowerBounds({ shares: { temporaryBytes: 1_048_576 } });
  try {
    const database = await (await emptyDatabase()).open(openMigrated);
    const sort = 'select g, md5(g::text) as value from generate_series(1, 400000) as g order by value';
    await expect(database.query(sql`${raw(sort)} offset 400000`)).rejects.toMatchObject({
      reason: 'temporary_space_exceeded',
    });
    more.set('9001-sorted.sql', `create table orrery.sorted as ${sort};`);
    expect(await migrate(database)).toEqual(['9001-sorted.sql']);
  } finally {
    restore();
  }
});

test('a migration that fails leaves nothing of itself or of those before it', async () => {
  const empty = await emptyDatabase();
  const database = await empty.open();
  const before = await stateOf(empty);
  more.set('9001-good.sql', 'create table orrery.good (only_row boolean primary key);');
  more.set('9002-bad.sql', 'create table orrery.half (only_row boolean primary key); select 1 / 0;');
  await expect(migrate(database)).rejects.toMatchObject({ code: '22012' });
  expect(await stateOf(empty)).toEqual(before);
  more.delete('9002-bad.sql');
  expect((await migrate(database)).at(-1)).toBe('9001-good.sql');
});

test('a migration that fails leaves an older schema as it was', async () => {
  const empty = await emptyDatabase();
  const database = await empty.open(openMigrated);
  const before = await stateOf(empty);
  more.set('9001-bad.sql', 'alter table orrery.org add column extra text; drop table orrery.none;');
  await expect(migrate(database)).rejects.toMatchObject({ code: '42P01' });
  expect(await stateOf(empty)).toEqual(before);
  expect(await empty.ask("select from pg_attribute where attname = 'extra' and not attisdropped")).toEqual([]);
});

test.each([openMigrated, openReady, openOrBegin])(
  'a schema of a newer release is refused and not touched (%o)',
  async (how) => {
    const empty = await emptyDatabase();
    more.set('9001-newer.sql', 'create table orrery.newer (only_row boolean primary key);');
    await empty.open(openMigrated);
    more.clear();
    const before = await stateOf(empty);
    const failure = await failureOf(empty.open(how));
    expect(failure.kind).toBe('schema_newer');
    expect(failure.message).toContain('9001-newer.sql');
    expect(await stateOf(empty)).toEqual(before);
  },
);

test('a migration that was rewritten after it was applied is refused, and nothing after it is run', async () => {
  const empty = await emptyDatabase();
  more.set('9001-one.sql', 'create table orrery.one (only_row boolean primary key);');
  await empty.open(openMigrated);
  const before = await stateOf(empty);
  more.set('9001-one.sql', 'create table orrery.one (only_row boolean primary key, extra text);');
  more.set('9002-two.sql', 'create table orrery.two (only_row boolean primary key);');
  const failure = await failureOf(empty.open(openMigrated));
  expect(failure.kind).toBe('database_unsuitable');
  expect(failure.message).toContain('9001-one.sql');
  expect(await stateOf(empty)).toEqual(before);
});

test('a command that finds an older schema says how to bring it up to date, and leaves it alone', async () => {
  const empty = await emptyDatabase();
  await empty.open(openMigrated);
  const before = await stateOf(empty);
  more.set('9001-later.sql', 'create table orrery.later (only_row boolean primary key);');
  const failure = await failureOf(empty.open(openReady));
  expect(failure.kind).toBe('database_unsuitable');
  expect(failure.fix).toContain('orrery db migrate');
  expect(await stateOf(empty)).toEqual(before);
});

test('a command that finds an empty database leaves it alone, unless one may begin with it', async () => {
  const empty = await emptyDatabase();
  const before = await stateOf(empty);
  const failure = await failureOf(empty.open(openReady));
  expect(failure).toMatchObject({
    kind: 'not_found',
    message: expect.stringMatching(/^There is no Orrery data in .+\/.+\.$/),
    fix: expect.stringContaining('"orrery org create"'),
  });
  expect(await stateOf(empty)).toEqual(before);
  const database = await empty.open(openOrBegin);
  expect((await migrationStatus(database)).pending).toEqual([]);
});

test('reading the status of a database does not change it', async () => {
  const empty = await emptyDatabase();
  const before = await stateOf(empty);
  const database = await empty.open(openUnmigrated);
  expect((await migrationStatus(database)).current).toBe(0);
  expect(await stateOf(empty)).toEqual(before);
});
