// The lives of the log: in which later one a cursor holds.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { FeedPlace } from '../../src/query/feed-cursor.ts';
import type { Database } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { hasSurvived } from '../../src/store/feed/lives.ts';
import { readPosition } from '../../src/store/feed/position.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { placeAt } from '../support/feed/place-at.ts';
import { root } from '../support/repository.ts';

let made: TestDatabase;
let database: Database;
beforeAll(async () => {
  made = await createDatabase();
  database = await openMigrated({ engine: 'server', url: made.url });
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

const lives = () =>
  database.query<{ number: number; identity: string }>(
    sql`select number, identity from orrery.change_life order by number`,
  );

test('the first life has the name of the former epoch, so that cursors outlive the upgrade', async () => {
  const [named] = await database.query<{ form: string }>(sql`
    select '^[0-9a-f-]{36}/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || oid || '$' as form
    from pg_database where datname = current_database()`);
  const { life } = await readPosition(database);
  expect(life).toMatch(new RegExp(named?.form ?? '^never$'));
  expect(await lives()).toEqual([{ number: 1, identity: life }]);
});

/** As PostgreSQL does in a recovery, after which every session is new. */
async function recover(): Promise<void> {
  await database.query(sql`delete from orrery.change_mark`);
  await Promise.all(Array.from({ length: 8 }, begin));
}

async function begin(): Promise<void> {
  await (await database.connect()).close();
}

test('as long as the log goes on, nobody begins a life', async () => {
  const before = await lives();
  await begin();
  expect(await lives()).toEqual(before);
});

test('after a recovery, of all who come at once one begins a life', async () => {
  const { life: former } = await readPosition(database);
  await recover();
  const { life } = await readPosition(database);
  expect((await lives()).map(({ identity }) => identity)).toEqual([former, life]);
});

test('without a life, which a full disk can prevent, no cursor is given out', async () => {
  await database.query(sql`delete from orrery.change_mark`);
  await expect(readPosition(database)).rejects.toMatchObject({ reason: 'storage_unavailable' });
  await begin();
  await readPosition(database);
});

const writeLife = (number: number, recoveredTo: string | null, firstXid = '100', lastSeq = '50') =>
  database.query(sql`insert into orrery.change_life (number, identity, home, recovered_to, first_xid, last_seq)
    values (${number}, ${`life ${number}`}, orrery.change_home(), ${recoveredTo}, ${firstXid}, ${lastSeq})`);

test('a cursor holds if each recovery since its life reached what it has seen', async () => {
  await database.query(sql`delete from orrery.change_life`);
  await writeLife(1, null);
  await writeLife(2, '9007199254740993');
  await writeLife(3, '9007199254740995');
  const survived = (life: string, log: string | null) =>
    hasSurvived(database, { life, log, from: '90:100:', after: '0', window: null });
  expect(await survived('life 1', '9007199254740993')).toBe(true);
  expect(await survived('life 1', '9007199254740994')).toBe(false);
  expect(await survived('life 2', '9007199254740995')).toBe(true);
  expect(await survived('life 2', '9007199254740996')).toBe(false);
  // Another server that was promoted beside this one, and a cursor that tells no position.
  expect(await survived('life 2 elsewhere', '1')).toBe(false);
  expect(await survived('life 1', null)).toBe(false);
  // A recovery of which nobody knows how far it went.
  await writeLife(4, null);
  expect(await survived('life 3', '1')).toBe(false);
});

test('a cursor is gone if a number that it counts as seen is given again', async () => {
  await database.query(sql`delete from orrery.change_life`);
  await writeLife(1, null);
  await writeLife(2, '1000');
  const place = { life: 'life 1', log: '1', from: '90:100:', after: '50', window: null };
  const survived = (change: Partial<FeedPlace>) => hasSurvived(database, { ...place, ...change });
  expect(await survived({})).toBe(true);
  expect(await survived({ from: '90:101:' })).toBe(false);
  expect(await survived({ after: '51' })).toBe(false);
  expect(await survived({ from: null, after: '0', window: { to: '90:100:', toFloor: '50' } })).toBe(true);
  expect(await survived({ window: { to: '90:101:', toFloor: '50' } })).toBe(false);
  expect(await survived({ window: { to: '90:100:', toFloor: '51' } })).toBe(false);
});

test('the lives of long ago are forgotten', async () => {
  await database.query(sql`delete from orrery.change_life`);
  await database.query(sql`insert into orrery.change_life (number, identity, home)
    select n, 'life ' || n, orrery.change_home() from generate_series(1, 150) as n`);
  await recover();
  const kept = await lives();
  expect(kept.length).toBe(100);
  expect(kept.at(-1)?.number).toBe(151);
});

test("after the guide's lines for a copy of the files, no earlier cursor holds", async () => {
  const before = await readPosition(database);
  const guide = await readFile(join(root, 'docs/operate.md'), 'utf8');
  const [, lines = ''] = /own files.*?```sql\n(.*?)```/s.exec(guide) ?? [];
  expect(lines.split('\n').filter((line) => line.startsWith('delete'))).toHaveLength(2);
  await database.script(lines);
  await begin();
  expect((await readPosition(database)).life).not.toBe(before.life);
  expect(await hasSurvived(database, { ...placeAt(before), log: '0' })).toBe(false);
});

test('on Amazon Aurora, where the log tells nothing and loses nothing, every cursor holds', async () => {
  const before = await readPosition(database);
  await database.query(
    sql`create function pg_catalog.aurora_version() returns text language sql as $$ select '16.4.1' $$`,
  );
  const moved = await readPosition(database);
  expect(moved).toMatchObject({ life: before.life, log: '0' });
  await recover();
  expect((await readPosition(database)).life).not.toBe(before.life);
  expect(await hasSurvived(database, placeAt(moved))).toBe(true);
});
