// Cursors of the feed after a failover and after a crash: they hold wherever nothing that they have seen was lost, and where
// something was, they are gone. What was acknowledged is followed by what comes next: no entry is skipped or comes twice.
import { afterEach, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { hasSurvived } from '../../src/store/feed/lives.ts';
import { type PositionRow, readPosition } from '../../src/store/feed/position.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { beginAgain, crash, stopLogWriter } from '../support/feed/crash.ts';
import { placeAt } from '../support/feed/place-at.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { addressOf, openServer, openServerPair, type ServerPair } from '../support/store/server-pair.ts';
import { alterSystem, type TestServer } from '../support/store/server-process.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Served {
  readonly pair: ServerPair;
  readonly service: TestService;
  readonly client: Client;
}

async function openPair(): Promise<ServerPair> {
  const pair = await openServerPair();
  opened.push(pair);
  return pair;
}

async function open(): Promise<Served> {
  const pair = await openPair();
  const service = await startService({ databaseUrl: addressOf([pair.primary, pair.standby]) });
  opened.push({ close: () => service.stop() });
  return { pair, service, client: await service.newClient() };
}

const contact = (client: Client, name: string) => make(client, 'svc_contact', { svc_last_name: name });

const cursorAfter = async (client: Client, path: string): Promise<string> => {
  const { status, body } = await client.get(path);
  expect(status).toBe(200);
  return body.pagination?.next_cursor ?? '';
};

/** The status, and how many entries follow the cursor in all. */
async function follow(client: Client, cursor: string): Promise<readonly [number, unknown]> {
  const found: unknown[] = [];
  for (let next = cursor; ; ) {
    const { status, body } = await client.get(`/changes/?limit=2&cursor=${next}`);
    if (status !== 200) return [status, body.reason];
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (body.data.length === 0) {
      expect(new Set(found).size).toBe(found.length);
      return [status, found.length];
    }
    next = body.pagination?.next_cursor ?? '';
  }
}

/** A cursor of each kind: in the middle of a window, at its end, at the end of the feed, and of a list. */
async function cursorsOf(client: Client): Promise<Readonly<Record<string, string>>> {
  const list = await client.get('/objects/svc_contact/records/?limit=1');
  return {
    within: await cursorAfter(client, '/changes/?limit=2'),
    end: await cursorAfter(client, '/changes/?limit=1000'),
    latest: await cursorAfter(client, '/changes/?cursor=latest'),
    list: list.body.pagination?.changes_cursor ?? '',
  };
}

async function followAll(client: Client, cursors: Readonly<Record<string, string>>): Promise<unknown> {
  const followed = Object.entries(cursors).map(async ([kind, cursor]) => [kind, await follow(client, cursor)] as const);
  return Object.fromEntries(await Promise.all(followed));
}

/** Writes until one is taken, as a client that follows Retry-After does. */
async function writeAfterwards(client: Client, name: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `after-${name}` };
  const body = JSON.stringify({ properties: { svc_last_name: name } });
  await until(async () => {
    const answer = await client.call('POST', '/objects/svc_contact/records/', { headers, body, allowFault: true });
    return answer.status === 201;
  });
}

const ends: readonly (readonly [string, (primary: TestServer) => Promise<void>])[] = [
  ['a planned switchover', (primary) => primary.stop()],
  ['the death of the primary', (primary) => primary.kill()],
];

test.each(ends)('after %s every cursor holds, ids go on, and what was answered is answered again', async (_, end) => {
  const { pair, service, client } = await open();
  for (const name of ['a', 'b', 'c', 'd']) await contact(client, name);
  const cursors = await cursorsOf(client);
  const [, entries] = await follow(client, 'earliest');
  const once = () =>
    client.post('/objects/svc_contact/records/', { properties: { svc_last_name: 'e' } }, { 'idempotency-key': 'once' });
  const answer = await once();
  const former = await service.createOrg();
  await end(pair.primary);
  await pair.primary.proxy.cut();
  await pair.standby.promote();
  await writeAfterwards(client, 'f');
  expect((await once()).body.data).toEqual(answer.body.data);
  expect(await service.createOrg()).toBeGreaterThan(former);
  expect(await followAll(client, cursors)).toEqual({
    within: [200, entries],
    end: [200, 2],
    latest: [200, 2],
    list: [200, 2],
  });
  expect(await follow(client, 'earliest')).toEqual([200, Number(entries) + 2]);
  const [counted] = await service.database.query(sql`
    select count(*)::integer as lives, count(distinct timeline)::integer as timelines from orrery.change_life`);
  expect(counted).toEqual({ lives: 2, timelines: 2 });
});

test('where the standby lacks what a cursor has seen, the cursor is gone, and an older one holds', async () => {
  const { pair, service, client } = await open();
  await contact(client, 'kept');
  const kept = await cursorsOf(client);
  // Its commit waits until the standby has everything up to here.
  await service.createOrg();
  await alterSystem(pair.primary, "set synchronous_standby_names = ''");
  await alterSystem(pair.standby, "set primary_conninfo = ''");
  await until(async () => (await rawQuery(pair.primary.url, 'select from pg_stat_replication')).rowCount === 0);
  await contact(client, 'lost');
  const lost = await cursorsOf(client);
  await pair.primary.kill();
  await pair.primary.proxy.cut();
  await pair.standby.promote();
  await writeAfterwards(client, 'next');
  // The first page of the whole feed has not come as far as what was lost, but its window had.
  expect(await followAll(client, lost)).toEqual({
    within: [410, 'cursor_expired'],
    end: [410, 'cursor_expired'],
    latest: [410, 'cursor_expired'],
    list: [410, 'cursor_expired'],
  });
  expect(await followAll(client, kept)).toMatchObject({ end: [200, 1], latest: [200, 1], list: [200, 1] });
});

test('after a crash a cursor holds, and no number that it counts as seen is given again', async () => {
  const primary = await openServer();
  opened.push(primary);
  const database = await openMigrated({ engine: 'server', url: primary.url });
  opened.push(database);
  // The log ends at the end of a file, and what is read there is behind the header of the next one.
  await rawQuery(primary.url, 'select pg_switch_wal()');
  const kept = await readPosition(database);
  await untilOnDisk(primary, kept);
  await crash(primary);
  expect(await beginAgain(primary, database)).not.toBe(kept.life);
  expect(await hasSurvived(database, placeAt(kept))).toBe(true);

  const held = await readPosition(database);
  await untilOnDisk(primary, held);
  await stopLogWriter(primary);
  await database.script("begin; select pg_current_xact_id(); select nextval('orrery.change_seq'); rollback");
  const seen = await readPosition(database);
  expect(seen).toMatchObject({ life: held.life, nextXid: String(Number(held.nextXid) + 1) });
  await crash(primary);
  const life = await beginAgain(primary, database);
  // The server has forgotten that the number was taken.
  const given = `select xmin::text as xid from orrery.change_life where identity = '${life}'`;
  expect((await rawQuery(primary.url, given)).rows).toEqual([{ xid: held.nextXid }]);
  const next = await readPosition(database);
  expect(Number(next.nextXid)).toBeGreaterThan(Number(seen.nextXid));
  expect(Number(next.lastSeq)).toBeGreaterThan(Number(seen.lastSeq));
  for (const each of [kept, held, seen]) expect(await hasSurvived(database, placeAt(each))).toBe(true);
});

/** What commits nothing goes to the disk a moment later. At the end of a page, the header of the next one is not there yet. */
async function untilOnDisk({ url }: TestServer, { log }: PositionRow): Promise<void> {
  const written = `select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint + 40 as bytes`;
  await until(async () => Number((await rawQuery(url, written)).rows[0].bytes) >= Number(log));
}

test('a list that was read while another life began gives no cursor that is over at once', async () => {
  const service = await startService();
  opened.push({ close: () => service.stop() });
  const client = await service.newClient();
  await contact(client, 'a');
  await cursorsOf(client);
  await service.database.query(sql`delete from orrery.change_mark`);
  await service.database.query(sql`select orrery.begin_change_life()`);
  const answers = [];
  for (let tries = 0; tries < 2; tries++) {
    answers.push(await client.call('GET', '/objects/svc_contact/records/', { allowFault: true }));
  }
  expect(answers.map(({ status }) => status)).toEqual([503, 200]);
  expect(await follow(client, answers[1]?.body.pagination?.changes_cursor ?? '')).toEqual([200, 0]);
});
