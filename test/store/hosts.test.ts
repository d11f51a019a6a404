// Several hosts in the address of a database: the one that takes writes is found, at the start and after it was lost.
import { afterEach, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { parseAddress } from '../../src/store/driver/address/server-address.ts';
import { askServer } from '../../src/store/driver/ask-server.ts';
import { openHosts } from '../../src/store/driver/hosts.ts';
import { openMigrated, openUnmigrated } from '../../src/store/driver/open.ts';
import { readRevision } from '../../src/store/org/revision.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { addressOf, openServerPair, type ServerPair } from '../support/store/server-pair.ts';
import type { TestServer } from '../support/store/server-process.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function openPair(): Promise<ServerPair> {
  const pair = await openServerPair();
  opened.push(pair);
  return pair;
}

async function openAt(...servers: readonly TestServer[]): Promise<Database> {
  const database = await openUnmigrated({ engine: 'server', url: addressOf(servers) });
  opened.push(database);
  return database;
}

const write = (database: Database) => database.query(sql`insert into item (name) values ('one')`);
const { poolConnections } = bounds.store;
/** More at once than there are connections, so that each is used. */
const writeMany = (database: Database, many = 3 * poolConnections) =>
  Promise.allSettled(Array.from({ length: many }, () => write(database)));
const count = async (database: Database) => {
  const [row] = await database.query<{ count: number }>(sql`select count(*)::integer as count from item`);
  return row?.count;
};

test('the primary is found whatever its place, followed when it is killed, and writes go on where nothing was lost', async () => {
  const { primary, standby } = await openPair();
  const database = await openAt(standby, primary);
  await database.script('create table item (name text)');
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(database.facts.place).toMatch(/^127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/postgres$/);
  const own = await database.connect();
  expect(await own.query(sql`select pg_is_in_recovery() as standby`)).toEqual([{ standby: false }]);
  await own.close();
  await primary.kill();
  await primary.proxy.cut();
  // Nobody takes writes for now.
  await expect(write(database)).rejects.toMatchObject({ reason: 'storage_unavailable' });
  await standby.promote();
  await expect
    .poll(
      () =>
        write(database).then(
          () => 'written',
          () => 'refused',
        ),
      { timeout: 30_000 },
    )
    .toBe('written');
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await count(database)).toBe(6 * poolConnections + 1);
  const listening = await database.listen('any', { notified: () => {}, ended: () => {} });
  await listening.close();
});

test('a primary that hangs is left as soon as another server takes writes: nobody waits for a statement to time out', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({ store: { statementWaitMs: 600_000, silentMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  await standby.promote();
  // Every wait ends although nothing has timed out, and every connection to the former primary is gone.
  expect((await hanging).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
  // The former primary is back, and takes itself for one: connections go where the answer came from, whoever answers later.
  primary.proxy.thaw();
  const reach = await openHosts(parseAddress(addressOf([primary, standby])));
  for (let round = 0; round < 10; round++) {
    const answer = await reach.ask();
    for (let later = 0; later < 2; later++) expect(await askServer(reach.connection)).toEqual(answer);
  }
});

test('what waits for a connection when the primary hangs gets one to the server that replaces it', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({
    store: { statementWaitMs: 600_000, silentMs: 600_000, poolWaitMs: 600_000, connectMs: 600_000 },
  });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, 3 * poolConnections);
  await standby.promote();
  expect((await hanging).filter(({ status }) => status === 'rejected')).toHaveLength(poolConnections);
});

test('a connection without limits, and one that listens, end when another server has replaced theirs', async () => {
  const { primary, standby } = await openPair();
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  const own = await database.connect();
  opened.push(own);
  const ended: unknown[] = [];
  opened.push(await database.listen('any', { notified: () => {}, ended: () => ended.push('listening') }));
  await writeMany(database);
  primary.proxy.freeze();
  own.query(sql`select 1`).catch((error: unknown) => ended.push(error));
  await standby.promote();
  await writeMany(database, 1);
  await expect.poll(() => ended).toHaveLength(2);
  expect(ended).toContain('listening');
  expect(ended).toContainEqual(expect.objectContaining({ reason: 'storage_unavailable' }));
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
  const next = await database.connect();
  opened.push(next);
  expect(await next.query(sql`select pg_is_in_recovery() as standby`)).toEqual([{ standby: false }]);
});

test('a host that hangs delays nobody: the others are asked again until one of them takes writes', async () => {
  const { primary, standby } = await openPair();
  // Of the host that hangs, the question stays open.
  const restore = lowerBounds({ store: { statementWaitMs: 600_000, silentMs: 600_000, askMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  // The standby has been asked by now, and takes no writes yet.
  await sleep(bounds.store.quietMs + 4 * bounds.store.sweepMs);
  await standby.promote();
  expect((await hanging).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('an address that was moved to another server leaves the connections to the former one', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({ store: { statementWaitMs: 600_000, silentMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  await standby.promote();
  primary.proxy.moveTo(standby.url);
  primary.proxy.thaw();
  expect((await hanging).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a standby at the one address is a database that cannot be used now', async () => {
  const { primary, standby } = await openPair();
  const database = await openMigrated({ engine: 'server', url: primary.url });
  opened.push(database);
  const beside = await openUnmigrated({ engine: 'server', url: standby.url });
  opened.push(beside);
  await expect
    .poll(() => readRevision(beside).catch((error: unknown) => error))
    .toMatchObject({ reason: 'storage_unavailable' });
});

test('where no host takes writes, opening says so', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({ store: { openingMs: 500 } });
  opened.push({ close: async () => restore() });
  await primary.proxy.cut();
  const error = await openAt(primary, standby).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Failure);
  expect((error as Failure).message).toMatch(/^None of the PostgreSQL servers at .* takes writes/);
  await primary.proxy.restore();
});
