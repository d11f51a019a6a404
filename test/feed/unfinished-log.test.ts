// A server that crashes loses the log of transactions that were under way or rolled back, and nothing that anybody saw. A cursor that
// was given out beside them holds.
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { hasSurvived } from '../../src/store/feed/lives.ts';
import { type PositionRow, readPosition } from '../../src/store/feed/position.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { beginAgain, crash, leaveUnderWay, stopLogWriter } from '../support/feed/crash.ts';
import { placeAt } from '../support/feed/place-at.ts';
import { openServer } from '../support/store/server-pair.ts';
import type { TestServer } from '../support/store/server-process.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Opened {
  readonly server: TestServer;
  readonly database: Database;
}

async function open(): Promise<Opened> {
  const server = await openServer();
  opened.push(server);
  const database = await openMigrated({ engine: 'server', url: server.url });
  opened.push(database);
  return { server, database };
}

async function expectHeld({ server, database }: Opened, seen: PositionRow): Promise<void> {
  await crash(server);
  expect(await beginAgain(server, database)).not.toBe(seen.life);
  expect(await hasSurvived(database, placeAt(seen))).toBe(true);
}

const ofBytes = (bytes: number) => `select pg_logical_emit_message(true, 'orrery', repeat('a', ${bytes}))`;
const numbers = `select orrery.log_bytes() as synced, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as written`;

test('what a transaction under way had written is lost, and the cursor holds', async () => {
  const { server, database } = await open();
  await stopLogWriter(server);
  await leaveUnderWay(server, ofBytes(1_000));
  const seen = await readPosition(database);
  const [found] = (await rawQuery(server.url, numbers)).rows;
  expect(Number(found.written)).toBeGreaterThan(Number(found.synced));
  await expectHeld({ server, database }, seen);
});

test('half of what a transaction under way had written is on the disk, and the cursor holds', async () => {
  const { server, database } = await open();
  await leaveUnderWay(server, ofBytes(100_000));
  // Whole pages come to the disk within a moment, the end of the last one does not.
  const atPageEnd = async () => Number((await rawQuery(server.url, numbers)).rows[0].synced) % 8_192 === 0;
  await until(atPageEnd);
  const seen = await readPosition(database);
  expect(Number(seen.log) % 8_192).toBe(0);
  await expectHeld({ server, database }, seen);
});

test('numbers that were rolled back are passed over, and the cursor that counts them as seen holds', async () => {
  const { server, database } = await open();
  await rawQuery(server.url, 'create table other ()');
  await stopLogWriter(server);
  for (let each = 0; each < 100; each++) {
    await database.script("begin; select pg_current_xact_id(); select nextval('orrery.change_seq'); rollback");
  }
  const seen = await readPosition(database);
  await expectHeld({ server, database }, seen);
  const next = await readPosition(database);
  expect(Number(next.lastSeq)).toBeGreaterThan(Number(seen.lastSeq));
  expect(Number(next.nextXid)).toBeGreaterThan(Number(seen.nextXid));
});
