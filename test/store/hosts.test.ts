// Several hosts in the address of a database: the one that takes writes is found, at the start and after it was lost.
import { afterEach, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import type { Database } from '../../src/store/database.ts';
import { parseAddress } from '../../src/store/driver/address/server-address.ts';
import { standbyFix } from '../../src/store/driver/address/unusable.ts';
import { askServer, serverState } from '../../src/store/driver/ask-server.ts';
import { openHosts } from '../../src/store/driver/hosts.ts';
import { openMigrated, openUnmigrated } from '../../src/store/driver/open.ts';
import { readRevision } from '../../src/store/org/revision.ts';
import { startServe } from '../support/cli.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts } from '../support/records.ts';
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

/** Of the work, which has no limit of its own: it must end before a statement of 45 seconds does that begins now. */
async function beforeStatement<T>({ url }: TestServer, work: Promise<T>): Promise<T> {
  const statement = rawQuery(url, 'select pg_sleep(45)').then(() => {
    throw new Error('A statement of 45 seconds has ended before.');
  });
  // It ends with its server.
  statement.catch(() => {});
  return Promise.race([work, statement]);
}

const noLimits = { statementWaitMs: 600_000, silentMs: 600_000 };

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
  const restore = lowerBounds({ store: noLimits });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  await standby.promote();
  // Every wait ends although nothing has timed out, and every connection to the former primary is gone.
  expect((await beforeStatement(standby, hanging)).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
  // The former primary is back, and takes itself for one: connections go to the one that was promoted.
  primary.proxy.thaw();
  const patient = lowerBounds({ store: { rivalMs: 600_000 } });
  opened.push({ close: async () => patient() });
  const [promoted] = (await rawQuery(standby.url, serverState)).rows;
  for (const hosts of [
    [primary, standby],
    [standby, primary],
  ]) {
    const reach = await openHosts(parseAddress(addressOf(hosts)));
    expect(await reach.ask()).toEqual(promoted);
    expect(await askServer(reach.connection)).toEqual(promoted);
  }
});

test('what waits for a connection when the primary hangs gets one to the server that replaces it', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({ store: { ...noLimits, poolWaitMs: 600_000, connectMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, 3 * poolConnections);
  await standby.promote();
  expect((await beforeStatement(standby, hanging)).filter(({ status }) => status === 'rejected')).toHaveLength(
    poolConnections,
  );
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
  const restore = lowerBounds({ store: { ...noLimits, askMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary, standby);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  // The standby has been asked by now, and takes no writes yet.
  await sleep(bounds.store.quietMs + 4 * bounds.store.sweepMs);
  await standby.promote();
  expect((await beforeStatement(standby, hanging)).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect((await writeMany(database)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('an address that was moved to another server leaves the connections to the former one', async () => {
  const { primary, standby } = await openPair();
  const restore = lowerBounds({ store: noLimits });
  opened.push({ close: async () => restore() });
  const database = await openAt(primary);
  await database.script('create table item (name text)');
  await writeMany(database);
  primary.proxy.freeze();
  const hanging = writeMany(database, poolConnections);
  await standby.promote();
  primary.proxy.moveTo(standby.url);
  primary.proxy.thaw();
  expect((await beforeStatement(standby, hanging)).filter(({ status }) => status === 'fulfilled')).toEqual([]);
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

test('where every host that answers refuses for good, opening says why at once', async () => {
  const { primary, standby } = await openPair();
  // Whatever waits for another answer waits for longer than the test may.
  const restore = lowerBounds({ store: { openingMs: 600_000 } });
  opened.push({ close: async () => restore() });
  const failureAt = (change: (url: string) => string) =>
    openUnmigrated({ engine: 'server', url: change(addressOf([standby, primary])) }).catch((error: unknown) => error);
  const nowhere = await failureAt((url) => url.replace('/postgres?', '/nowhere?'));
  expect(nowhere).toMatchObject({
    kind: 'database_unreachable',
    message: expect.stringMatching(/There is no such database/),
  });
  const nobody = await failureAt((url) => url.replace('//', '//nobody@').replace(/nobody@[^@]+@/, 'nobody@'));
  expect(nobody).toMatchObject({ message: expect.stringContaining('does not allow this user to connect') });
  // The other one is down, and says nothing else.
  await primary.proxy.cut();
  expect(await failureAt((url) => url.replace('/postgres?', '/nowhere?'))).toEqual(nowhere);
  await primary.proxy.restore();
});

test('one host that has to take writes and is a standby is called that, by opening and by doctor', async () => {
  const { standby } = await openPair();
  const url = addressOf([standby]);
  const error = await openUnmigrated({ engine: 'server', url }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: expect.stringMatching(/ It is a standby, which takes no writes\.$/),
    fix: standbyFix,
  });
  const { value } = await runCommand(url, 'doctor', '', {});
  const { findings } = value as { readonly findings: readonly Finding[] };
  expect(findings).toContainEqual(expect.objectContaining({ ok: false, fix: standbyFix }));
});

test('every process and command finds the primary among the hosts, and follows it', async () => {
  const { primary, standby } = await openPair();
  const url = addressOf([standby, primary]);
  const serving = await startServe(['--workers', '2', '--database-url', url]);
  opened.push({ close: async () => void (await serving.stop()) });
  const made = await runCommand(url, 'org create', 'Acme', {});
  const { org_id: org } = made.value as { readonly org_id: number };
  const { key } = (await runCommand(url, 'key create', '', { org: String(org) })).value as { readonly key: string };
  const create = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' };
    const body = JSON.stringify({ properties: { svc_first_name: 'Ada' } });
    return (await fetch(`${serving.url}/rest/v1${contacts}`, { method: 'POST', headers, body })).status;
  };
  const createMany = () => Promise.all(Array.from({ length: 16 }, create));
  expect(new Set(await createMany())).toEqual(new Set([201]));
  await primary.kill();
  await primary.proxy.cut();
  await standby.promote();
  // Each connection may reach another process.
  await expect.poll(async () => [...new Set(await createMany())]).toEqual([201]);
  expect((await runCommand(url, 'org list', '', {})).failure).toBeUndefined();
});
