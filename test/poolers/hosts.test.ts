// A primary and its standby, each behind a pooler of its own.
import { afterEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { type Pooler, type PoolerSettings, pgbouncerPath, startPooler } from '../support/poolers/pgbouncer.ts';
import { openServerPair } from '../support/store/server-pair.ts';
import type { TestServer } from '../support/store/server-process.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function before({ url }: TestServer, settings: PoolerSettings = {}): Promise<Pooler> {
  const pooler = await startPooler(url, settings);
  opened.push({ close: () => pooler.stop() });
  return pooler;
}

async function openAt(url: string): Promise<Database> {
  const database = await openUnmigrated({ engine: 'server', url });
  opened.push(database);
  return database;
}

// `modes` says so if it is absent, and fails if it must be there.
describe.skipIf(pgbouncerPath === undefined)('through PgBouncer', () => {
  test('the primary is found and followed, and a standby is read in a session of its own', async () => {
    const pair = await openServerPair();
    opened.push(pair);
    const { primary, standby } = pair;
    const [toPrimary, toStandby] = [await before(primary), await before(standby)];
    const first = new URL(toStandby.url);
    const url = first.href.replace(first.host, `${first.host},${new URL(toPrimary.url).host}`);
    const database = await openAt(`${url}?target_session_attrs=read-write`);
    await database.script('create table item (name text)');
    const write = () => database.query(sql`insert into item (name) values ('one')`);
    await write();
    // A standby does not listen; it is known by its processes.
    const reading = await openAt(toStandby.url);
    expect(await reading.query(sql`select pg_is_in_recovery() as standby`)).toEqual([{ standby: true }]);
    const sharing = await before(standby, { pool_mode: 'transaction' });
    await expect(openAt(sharing.url)).rejects.toMatchObject({ kind: 'database_unsuitable' });
    // The pooler of a server that is down accepts connections, and lets them wait.
    const restore = lowerBounds({ store: { connectMs: 2_000 } });
    opened.push({ close: async () => restore() });
    await primary.kill();
    await expect(write()).rejects.toMatchObject({ reason: 'storage_unavailable' });
    await standby.promote();
    await expect
      .poll(() =>
        write().then(
          () => 'written',
          () => 'refused',
        ),
      )
      .toBe('written');
    const [row] = await database.query<{ count: number }>(sql`select count(*)::integer as count from item`);
    expect(row?.count).toBeGreaterThanOrEqual(2);
  });
});
