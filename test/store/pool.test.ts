// Connections to PostgreSQL: every failure becomes a Problem, never a crash, and the pool is usable afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { Problem } from '../../src/base/problem.ts';
import { sql } from '../../src/base/sql.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { Disk } from '../../src/store/driver/disk.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { openPool } from '../../src/store/driver/pool.ts';
import { Pulse } from '../../src/store/driver/pulse.ts';
import { fixedReach } from '../../src/store/driver/reach.ts';
import { createDatabase, rawQuery, type TestDatabase } from '../support/database.ts';
import { startProxy } from '../support/database-proxy.ts';
import { lowerBounds } from '../support/lower-bounds.ts';

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createDatabase();
  await rawQuery(own.url, 'create table item (name text)');
  database = await openUnmigrated({ engine: 'server', url: own.url });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const insertItem = (name: string) => sql`insert into item (name) values (${name})`;

async function itemCount(name: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    sql`select count(*)::integer as count from item where name = ${name}`,
  );
  return row?.count ?? -1;
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Problem);
  return error as Problem;
}

/** Ends connections of the pool from outside, as an administrator or a failover does. */
async function terminate(which: string): Promise<number> {
  const { rowCount } = await rawQuery(
    own.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'orrery' and datname = current_database() and ${which}`,
  );
  return rowCount ?? 0;
}

async function expectHealthy(of: Database = database): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => of.query<{ n: number }>(sql`select ${index}::integer as n`)),
  );
  expect(answers.map(([row]) => row?.n)).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(of.gauge().waiting).toBe(0);
  expect(of.gauge().total).toBeLessThanOrEqual(bounds.store.poolConnections);
}

test('every connection limits statements to ten seconds, brief ones to one, idle transactions to thirty, and speaks UTC', async () => {
  const [row] = await database.query(sql`
    select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`);
  expect(row).toEqual({ statement: '10s', idle: '30s', zone: 'UTC' });
  const timeout = sql`select current_setting('statement_timeout') as value`;
  expect(await database.urgent.query(timeout)).toEqual([{ value: '10s' }]);
  expect(await database.transaction((transaction) => transaction.query(timeout))).toEqual([{ value: '10s' }]);
  expect(await database.dryRun((transaction) => transaction.query(timeout))).toEqual([{ value: '10s' }]);
  expect(bounds.shares.briefStatementMs).toBe(1_000);
  expect(await database.brief.query(timeout)).toEqual([{ value: '1s' }]);
});

test('a statement over its time is a timeout, and its transaction is undone', async () => {
  const began = performance.now();
  const problem = await problemOf(
    database.transaction(async (transaction) => {
      await transaction.query(insertItem('slow'));
      await transaction.query(sql`set local statement_timeout = 100`);
      await transaction.query(sql`select pg_sleep(8)`);
    }),
  );
  expect(problem).toMatchObject({ code: 'timeout', reason: 'statement_timeout', status: 504 });
  expect(performance.now() - began).toBeLessThan(7_500);
  expect(problem.message).not.toMatch(/pg_sleep|canceling|57014/);
  expect(await itemCount('slow')).toBe(0);
  // The shorter time was the transaction's own.
  await database.query(sql`select pg_sleep(0.2)`);
  await expectHealthy();
});

test('a transaction is committed when its work returns and undone when it throws, whatever it throws', async () => {
  await database.transaction((transaction) => transaction.query(insertItem('kept')));
  expect(await itemCount('kept')).toBe(1);
  for (const thrown of [new Error('no'), new Problem('conflict', 'unique_value_taken', 'no'), 'no', undefined]) {
    const caught = await database
      .transaction(async (transaction) => {
        await transaction.query(insertItem('undone'));
        throw thrown;
      })
      .catch((error: unknown) => ({ error }));
    expect(caught).toEqual({ error: thrown });
  }
  expect(await itemCount('undone')).toBe(0);
  await expectHealthy();
});

test('a failed statement undoes its whole transaction, and the connection is clean afterwards', async () => {
  const work = database.transaction(async (transaction) => {
    await transaction.query(insertItem('half'));
    await transaction.query(sql`select 1 / 0`);
  });
  // An error of the program itself is not a Problem: the log must have it in full.
  await expect(work).rejects.toMatchObject({ code: '22012' });
  expect(await itemCount('half')).toBe(0);
  await expectHealthy();
});

test('an idle connection that is ended from outside is replaced without anyone noticing', async () => {
  await expectHealthy();
  expect(await terminate("state = 'idle'")).toBeGreaterThan(0);
  await expect.poll(() => database.gauge().total).toBe(0);
  await expectHealthy();
});

test('a statement whose connection is ended is unavailable, and the very next one works', async () => {
  const sleeping = Array.from({ length: 5 }, () => problemOf(database.query(sql`select pg_sleep(8)`)));
  await expect.poll(() => terminate("query like '%pg_sleep(8)%'")).toBeGreaterThan(0);
  const problem = await Promise.race(sleeping);
  const [row] = await database.query(sql`select 1 as one`);
  expect(row).toEqual({ one: 1 });
  expect(problem).toMatchObject({ code: 'unavailable', reason: 'storage_unavailable', status: 503 });
  expect(problem.headers['Retry-After']).toBe('1');
  await expect.poll(() => terminate("query like '%pg_sleep(8)%'")).toBe(0);
  await Promise.all(sleeping);
  await expectHealthy();
});

test('a transaction whose connection is ended is unavailable and undone, however far it has come', async () => {
  const endSession = async () => {
    expect(await terminate("state = 'idle in transaction'")).toBe(1);
    await sleep(50);
  };
  const rests: readonly ((transaction: Transaction) => Promise<unknown>)[] = [
    (transaction) => transaction.query(sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(7)`),
    (transaction) => endSession().then(() => transaction.query(sql`select 1`)),
    endSession,
  ];
  for (const rest of rests) {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insertItem('lost'));
      await rest(transaction);
    });
    expect(await problemOf(work)).toMatchObject({ code: 'unavailable', reason: 'storage_unavailable' });
    expect(await itemCount('lost')).toBe(0);
  }
  await expectHealthy();
});

test('a server that goes away and comes back is unavailable in between, and nothing needs a restart', async () => {
  const proxy = await startProxy(own.url);
  const through = await openUnmigrated({ engine: 'server', url: proxy.url });
  const sleeping = problemOf(through.query(sql`select pg_sleep(6)`));
  await sleep(50);
  await proxy.cut();
  expect(await sleeping).toMatchObject({ code: 'unavailable' });
  for (let round = 0; round < 3; round++) {
    expect(await problemOf(through.query(sql`select 1`))).toMatchObject({ code: 'unavailable' });
  }
  await proxy.restore();
  await expectHealthy(through);
  await through.close();
  await proxy.cut();
});

test('a server that no longer lets the service in is unavailable, not an error of the service', async () => {
  const locked = await createDatabase();
  const shut = await openUnmigrated({ engine: 'server', url: locked.url });
  const name = new URL(locked.url).pathname.slice(1);
  await rawQuery(own.url, `alter database ${name} allow_connections false`);
  await rawQuery(own.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await expect.poll(() => shut.gauge().total).toBe(0);
  expect(await problemOf(shut.query(sql`select 1`))).toMatchObject({ code: 'unavailable', status: 503 });
  await rawQuery(own.url, `alter database ${name} allow_connections true`);
  await expectHealthy(shut);
  await shut.close();
  await locked.drop();
});

test('requests over the bound on waiting for a connection are refused at once, and the others are served', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = Array.from({ length: bounds.store.poolConnections }, () =>
    database.transaction(async (transaction) => {
      await transaction.query(sql`select 1`);
      await released;
    }),
  );
  await expect.poll(() => database.gauge()).toEqual({ total: bounds.store.poolConnections, idle: 0, waiting: 0 });
  const waiting = Array.from({ length: bounds.store.poolWaiting }, () => database.query(sql`select 1`));
  // They are refused while all connections are still in use.
  const problems = await Promise.all(Array.from({ length: 20 }, () => problemOf(database.query(sql`select 1`))));
  release();
  for (const problem of problems) expect(problem).toMatchObject({ code: 'unavailable', reason: 'overloaded' });
  expect(problems[0]?.headers['Retry-After']).toBe('1');
  await Promise.all([...holding, ...waiting]);
  await expectHealthy();
});

test('a busy pool after a revival of the server is overloaded, not an error of the service', async () => {
  const proxy = await startProxy(own.url);
  await proxy.cut();
  const restore = lowerBounds({ store: { poolWaitMs: 1_000, quietMs: 100, sweepMs: 50 } });
  let revive = () => {};
  const revived = new Promise<void>((resolve) => {
    revive = resolve;
  }).then(() => proxy.restore());
  let callers = 0;
  const { hostname: host, port, username: user, password, pathname } = new URL(proxy.url);
  const pulse = new Pulse(() => Promise.resolve('refusal'));
  const connection = { host, port: Number(port), user, password, database: pathname.slice(1), ssl: false };
  const pool = openPool({
    // All of them have found the server gone before it comes back.
    reach: fixedReach(connection, host, () => {
      if (++callers === 5) revive();
      return revived;
    }),
    connections: 1,
    statementMs: 10_000,
    pulse,
    disk: new Disk(),
  });
  try {
    const ends = await Promise.all(
      Array.from({ length: 5 }, () =>
        pool.query(sql`select pg_sleep(4)`).then(
          () => 'answered',
          (error: unknown) => (error instanceof Problem ? `${error.status} ${error.reason}` : String(error)),
        ),
      ),
    );
    expect(ends.toSorted()).toEqual([...Array.from({ length: 4 }, () => '503 overloaded'), 'answered']);
  } finally {
    restore();
    await pool.close();
    await pulse.close();
    await proxy.cut();
  }
});

test('a connection that died in silence is given up, and the others of its time are not used again', async () => {
  const proxy = await startProxy(own.url);
  const through = await openUnmigrated({ engine: 'server', url: proxy.url });
  await expectHealthy(through);
  const restore = lowerBounds({ store: { statementWaitMs: 1_500 } });
  try {
    expect(through.gauge().total).toBeGreaterThan(1);
    // The connections are dead, and new ones work: as after a restart of a firewall that forgot them.
    proxy.freeze();
    proxy.thaw();
    expect(await problemOf(through.query(sql`select 1`))).toMatchObject({ reason: 'storage_unavailable' });
  } finally {
    restore();
    await expectHealthy(through);
    await through.close();
    await proxy.cut();
  }
});

test('a connection on which a pooler says that it has lost the server is not used again', async () => {
  const alone = await openUnmigrated({ engine: 'server', url: own.url, connections: 1 });
  const process = () => alone.query(sql`select pg_backend_pid() as process`);
  const before = await process();
  const lost = alone.script("do $$ begin raise exception 'server conn crashed?' using errcode = '08P01'; end $$");
  expect((await problemOf(lost)).reason).toBe('storage_unavailable');
  expect(await process()).not.toEqual(before);
  await alone.close();
});
