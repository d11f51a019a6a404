// Settings of a server that must not matter, and statements that long ones must not delay.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { createDatabase, holdRow, rawQuery, type TestDatabase } from '../support/database.ts';
import { until } from '../support/eventually.ts';

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createDatabase();
  const name = new URL(own.url).pathname.slice(1);
  await rawQuery(own.url, `alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  database = await openMigrated({ engine: 'server', url: own.url, connections: 2 });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

test('statements see the newest version of a row they have locked, whatever the server prefers', async () => {
  const [row] = await database.query<{ isolation: string }>(
    sql`select current_setting('transaction_isolation') as isolation`,
  );
  expect(row?.isolation).toBe('read committed');
});

test('statements that use every connection do not delay the statements that all requests need', async () => {
  const long = Array.from({ length: 2 }, () => database.query(sql`select pg_sleep(2)`));
  const order: string[] = [];
  const [urgent] = await Promise.all([
    database.urgent.query<{ one: number }>(sql`select 1 as one`).then((rows) => {
      order.push('urgent');
      return rows;
    }),
    Promise.all(long).then(() => order.push('long')),
  ]);
  expect(urgent).toEqual([{ one: 1 }]);
  expect(order).toEqual(['urgent', 'long']);
});

test('an opening whose session is ended while it waits for the tables tries again', async () => {
  const release = await holdRow(own.url, 'lock table orrery.migration in access exclusive mode');
  const opening = openMigrated({ engine: 'server', url: own.url, connections: 1 });
  // As a restore does with sessions that wait for tables that it replaces.
  for (let count = 0; count < 2; count++) {
    await until(async () => {
      const { rowCount } = await rawQuery(
        own.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%orrery.migration%'`,
      );
      return rowCount === 1;
    });
  }
  await release();
  await (await opening).close();
});

test('a transaction that keeps losing leaves the other one more and more time, and then gives up', async () => {
  const attempts: number[] = [];
  const lost = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const losing = database.transaction(() => {
    attempts.push(performance.now());
    return Promise.reject(lost);
  });
  await expect(losing).rejects.toMatchObject({ code: 'unavailable', reason: 'storage_unavailable' });
  expect(attempts).toHaveLength(bounds.store.transactionAttempts);
  const { repeatWaitMs } = bounds.store;
  for (const [index, at] of attempts.entries()) {
    // Timers may end a millisecond early.
    if (index > 0) expect(at - (attempts[index - 1] ?? 0)).toBeGreaterThan(repeatWaitMs * 2 ** (index - 1) - 2);
  }
});

test('a transaction that lost a deadlock is run again', async () => {
  await database.script('create table public.counter (id integer primary key, value integer not null)');
  await database.script('insert into public.counter values (1, 0), (2, 0)');
  const both = (first: number, second: number) =>
    database.transaction(async (transaction) => {
      for (const id of [first, second]) {
        await transaction.query(sql`update public.counter set value = value + 1 where id = ${id}`);
        await transaction.query(sql`select pg_sleep(0.2)`);
      }
    });
  // Taken in opposite orders, the two locks are a deadlock, which PostgreSQL ends by refusing one of them.
  await Promise.all([both(1, 2), both(2, 1)]);
  expect(await database.query(sql`select id, value from public.counter order by id`)).toEqual([
    { id: 1, value: 2 },
    { id: 2, value: 2 },
  ]);
});
