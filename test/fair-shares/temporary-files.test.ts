// Temporary files of the database: a request may write so much and no more, and whatever is no request has no limit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { checkOpenDatabase } from '../../src/cli/doctor/check-database.ts';
import { readConfig } from '../../src/config.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { openMigrated, openUnmigrated } from '../../src/store/driver/open.ts';
import { createDatabase, rawQuery, type TestDatabase } from '../support/database.ts';
import { lowerBounds } from '../support/lower-bounds.ts';

let own: TestDatabase;
const opened: Database[] = [];
const role = `orrery_plain_${process.pid}`;
let restoreBounds: () => void;
beforeAll(async () => {
  restoreBounds = lowerBounds({ shares: { temporaryBytes: 1_048_576 } });
  own = await createDatabase();
  await open(openMigrated);
  await rawQuery(own.url, `create role ${role}; grant pg_read_all_data to ${role}`);
});
afterAll(async () => {
  restoreBounds();
  await Promise.all(opened.map((database) => database.close()));
  await own.drop();
  await rawQuery(own.url.replace(/orrery_test_\w+/, 'postgres'), `drop role ${role}`);
});

async function open(how: typeof openUnmigrated, url = own.url): Promise<Database> {
  const database = await how({ engine: 'server', url });
  opened.push(database);
  return database;
}

/** An address under which the connection has the rights of an ordinary user. */
function plainUrl(): string {
  const url = new URL(own.url);
  url.searchParams.set('options', `-c role=${role}`);
  return url.href;
}

async function limitOf(connection: Transaction): Promise<string | undefined> {
  const [row] = await connection.query<{ limit: string }>(sql`select current_setting('temp_file_limit') as limit`);
  return row?.limit;
}

/** Sorts about 20 MB, more than fits into memory. */
const large = sql`select count(*) from (select g from generate_series(1, 400000) as g order by md5(g::text)) as s`;

test('a statement of a request that writes too much is ended, and the request told to ask for less', async () => {
  const database = await open(openUnmigrated);
  expect(await limitOf(database)).toBe('1MB');
  expect(await limitOf(database.urgent)).toBe('1MB');
  const problem = await database.query(large).catch((error: unknown) => error);
  expect(problem).toMatchObject({ code: 'timeout', reason: 'temporary_space_exceeded', status: 504 });
  expect(String(problem)).not.toMatch(/53400|generate_series|exceeds/);
  expect(await database.query(sql`select 1 as n`)).toEqual([{ n: 1 }]);
});

test('backups, restores and imports have no limit', async () => {
  const database = await open(openUnmigrated);
  const connection = await database.connect();
  try {
    expect(await limitOf(connection)).toBe('-1');
    await connection.query(large);
  } finally {
    await connection.close();
  }
});

test('a limit that the server has already stays as it is', async () => {
  const name = new URL(own.url).pathname.slice(1);
  await rawQuery(own.url, `alter database ${name} set temp_file_limit = '3MB'`);
  try {
    expect(await limitOf(await open(openUnmigrated))).toBe('3MB');
  } finally {
    await rawQuery(own.url, `alter database ${name} reset temp_file_limit`);
  }
});

test('a user who may not set it connects as before, and doctor names the grant, after which it is set', async () => {
  const plain = await open(openUnmigrated, plainUrl());
  expect(await limitOf(plain)).toBe('-1');
  const finding = async (database: Database) => {
    const { findings } = await checkOpenDatabase(readConfig({ databaseUrl: own.url }, {}), database);
    return findings.find(({ check }) => check === 'temporary files');
  };
  const advice = await finding(plain);
  expect(advice).toMatchObject({ ok: true, fix: expect.stringContaining('superuser') });
  const grant = /grant set .*(?=\.$)/.exec(advice?.fix ?? '')?.[0] ?? '';
  expect(grant).toBe(`grant set on parameter temp_file_limit to ${role}`);
  await rawQuery(own.url, grant);
  try {
    const granted = await open(openUnmigrated, plainUrl());
    expect(await limitOf(granted)).toBe('1MB');
    expect(await finding(granted)).toEqual({
      check: 'temporary files',
      ok: true,
      detail: 'A request may write up to 1MB at a time.',
    });
  } finally {
    await rawQuery(own.url, `revoke set on parameter temp_file_limit from ${role}`);
  }
});
