// Rules that hold for every table, checked in PostgreSQL itself: org_id leads every key, so that a statement finds its
// rows in one place, no row can point into another org, and a cluster can be distributed by org.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMigrated } from '../../src/store/driver/open.ts';
import { createDatabase, rawQuery, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await (await openMigrated({ engine: 'server', url: database.url })).close();
});
afterAll(() => database.drop());

const ask = async (text: string) => (await rawQuery(database.url, text)).rows;

/** Partitions and their parents are tables alike. */
const tables = `select c.oid, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'orrery' and c.relkind in ('r', 'p')`;
const orgTables = `${tables} and exists (
  select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)`;
const column = (table: string, number: string) =>
  `(select attname from pg_attribute where attrelid = ${table} and attnum = ${number})`;

test('every table belongs to orgs, except those of the installation itself', async () => {
  const others = await ask(`${tables} and c.oid not in (select oid from (${orgTables}) o) order by 2`);
  expect(others.map(({ name }) => name)).toEqual(['change_life', 'change_mark', 'cursor_secret', 'epoch', 'migration']);
  expect((await ask(orgTables)).length).toBeGreaterThanOrEqual(7);
});

test('org_id is never null', async () => {
  const nullable = await ask(`select t.name from (${orgTables}) t join pg_attribute a on a.attrelid = t.oid
    where a.attname = 'org_id' and not a.attnotnull`);
  expect(nullable).toEqual([]);
});

test('every table of orgs has a primary key', async () => {
  const without = await ask(`select t.name from (${orgTables}) t
    where not exists (select from pg_constraint where conrelid = t.oid and contype = 'p')`);
  expect(without).toEqual([]);
});

test('org_id leads every primary key and every unique index', async () => {
  const indexes = await ask(`select t.name, (select relname from pg_class where oid = i.indexrelid) as index,
      ${column('t.oid', 'i.indkey[0]')} as first
    from (${orgTables}) t join pg_index i on i.indrelid = t.oid where i.indisunique`);
  expect(indexes.length).toBeGreaterThanOrEqual(7);
  // The words of a record are found by the record; no statement walks through those of an org (see the migration).
  const others = indexes.filter(({ first }) => first !== 'org_id').map(({ index }) => index);
  expect(others).toEqual(['search_pkey']);
});

test('org_id leads every foreign key, at both of its ends', async () => {
  const keys = await ask(`select t.name, f.conname, ${column('f.conrelid', 'f.conkey[1]')} as from_column,
      ${column('f.confrelid', 'f.confkey[1]')} as to_column
    from (${orgTables}) t join pg_constraint f on f.conrelid = t.oid and f.contype = 'f'`);
  expect(keys.length).toBeGreaterThanOrEqual(3);
  expect(keys.filter((key) => key.from_column !== 'org_id' || key.to_column !== 'org_id')).toEqual([]);
});
