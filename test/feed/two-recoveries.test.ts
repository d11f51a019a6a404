// Two recoveries of a server without a session of ours in between: only of the last one the server tells how far it went. A cursor
// holds where this does not matter, and is gone where it could.
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { hasSurvived } from '../../src/store/feed/lives.ts';
import { type PositionRow, readPosition } from '../../src/store/feed/position.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { beginAgain, crash, stopLogWriter } from '../support/feed/crash.ts';
import { placeAt } from '../support/feed/place-at.ts';
import { openServer, openServerPair, type ServerPair } from '../support/store/server-pair.ts';
import { alterSystem, type TestServer } from '../support/store/server-process.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function openPair(): Promise<ServerPair> {
  const pair = await openServerPair();
  opened.push(pair);
  return pair;
}

async function openAt({ url }: TestServer): Promise<Database> {
  const database = await openMigrated({ engine: 'server', url });
  opened.push(database);
  return database;
}

const takeNumbers = "begin; select pg_current_xact_id(); select nextval('orrery.change_seq')";

/** Other software writes so much that the log is longer than ever, and may take more numbers of transactions than were lost. */
async function growLog({ url }: TestServer, transactions: number): Promise<void> {
  for (let each = 0; each < transactions; each++) await rawQuery(url, 'select pg_current_xact_id()');
  await rawQuery(url, 'select pg_switch_wal()');
  await rawQuery(url, 'checkpoint');
}

interface Seen {
  /** Of what both servers have. */
  readonly kept: PositionRow;
  /** Of what only the primary had, which is dead. */
  readonly lost: PositionRow;
}

/** Two positions, and a standby that has become the primary. No session of ours has come there. */
async function loseSome({ primary, standby }: ServerPair): Promise<Seen> {
  const database = await openAt(primary);
  const kept = await readPosition(database);
  // Its commit waits until the standby has everything up to here.
  await rawQuery(primary.url, 'create table other ()');
  await alterSystem(primary, "set synchronous_standby_names = ''");
  await alterSystem(standby, "set primary_conninfo = ''");
  await until(async () => (await rawQuery(primary.url, 'select from pg_stat_replication')).rowCount === 0);
  await database.script(`${takeNumbers}; commit`);
  const lost = await readPosition(database);
  await primary.kill();
  await standby.promote();
  return { kept, lost };
}

test('after a promotion a cursor holds if nothing that it has seen was lost, however long the log is by then', async () => {
  const pair = await openPair();
  const { kept, lost } = await loseSome(pair);
  await growLog(pair.standby, 20);
  const database = await openAt(pair.standby);
  expect(await hasSurvived(database, placeAt(kept))).toBe(true);
  expect(await hasSurvived(database, placeAt(lost))).toBe(false);
});

test('where a server has crashed after its promotion and before the first session, nobody can tell what was lost', async () => {
  const pair = await openPair();
  const { kept, lost } = await loseSome(pair);
  await growLog(pair.standby, 20);
  await crash(pair.standby);
  const database = await openAt(pair.standby);
  expect(await hasSurvived(database, placeAt(lost))).toBe(false);
  expect(await hasSurvived(database, placeAt(kept))).toBe(false);
});

test.each([0, 20])(
  'after two crashes, with %i transactions of others between them, no number that a cursor counts as seen is given again',
  async (others) => {
    const primary = await openServer();
    opened.push(primary);
    const database = await openAt(primary);
    const kept = await readPosition(database);
    // What is committed takes everything before it to the disk.
    await rawQuery(primary.url, 'create table other ()');
    await stopLogWriter(primary);
    await database.script(`${takeNumbers}; rollback`);
    const seen = await readPosition(database);
    await crash(primary);
    await growLog(primary, others);
    await crash(primary);
    expect(await beginAgain(primary, database)).not.toBe(kept.life);
    const next = await readPosition(database);
    expect(Number(next.nextXid)).toBeGreaterThan(Number(seen.nextXid));
    expect(Number(next.lastSeq)).toBeGreaterThan(Number(seen.lastSeq));
    for (const each of [kept, seen]) expect(await hasSurvived(database, placeAt(each))).toBe(true);
  },
);
