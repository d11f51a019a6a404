// Connection poolers: session pooling is used, every other mode is refused when the database is opened, by what the pooler does.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { sql } from '../../src/base/sql.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { runCommand } from '../support/command.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startBalancer } from '../support/poolers/balancer.ts';
import { type Pooler, type PoolerSettings, pgbouncerPath, startPooler } from '../support/poolers/pgbouncer.ts';

const absent = pgbouncerPath === undefined;
if (absent) process.stderr.write('The checks of poolers are skipped: there is no PgBouncer on this machine.\n');

test('PgBouncer is installed if the check is required', () => {
  const required = process.env['POOLER_CHECK'] === 'required';
  expect(required && absent, 'Install it: apt-get install pgbouncer').toBe(false);
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function startOn(url: string, settings: PoolerSettings): Promise<Pooler> {
  const pooler = await startPooler(url, settings);
  opened.push({ close: () => pooler.stop() });
  return pooler;
}

async function databaseUrl(): Promise<string> {
  const own = await createMigratedDatabase();
  opened.push({ close: () => own.drop() });
  return own.url;
}

/** Why the database was not opened; undefined if it was. */
async function refusal(url: string): Promise<Failure | undefined> {
  const error = await openUnmigrated({ engine: 'server', url }).then(
    (database) => database.close(),
    (reason: unknown) => reason,
  );
  if (error !== undefined && !(error instanceof Failure)) throw error;
  return error;
}

const shared = {
  kind: 'database_unsuitable',
  message: expect.stringMatching(
    /^The connection pooler at 127\.0\.0\.1:\d+\/orrery shares server connections between its clients \(transaction or statement pooling\), but Orrery needs session pooling\.$/,
  ),
  fix: 'Set pool_mode = session in the pooler, or let the database address name the PostgreSQL server itself.',
};

describe.skipIf(absent)('with PgBouncer', () => {
  test.each([
    { pool_mode: 'transaction' },
    { pool_mode: 'transaction', default_pool_size: 1 },
    { pool_mode: 'transaction', server_round_robin: 1, min_pool_size: 4 },
    { pool_mode: 'statement' },
  ])('%o is refused', async (settings) => {
    const { url } = await startOn(await databaseUrl(), settings);
    expect(await refusal(url)).toMatchObject(shared);
  });

  test('two poolers behind a balancer are refused, although each gives its server connection to one of two clients', async () => {
    const url = await databaseUrl();
    const poolers = [
      await startOn(url, { pool_mode: 'transaction' }),
      await startOn(url, { pool_mode: 'transaction' }),
    ];
    const balancer = await startBalancer(poolers.map((each) => each.url));
    opened.push({ close: () => balancer.stop() });
    expect(await refusal(balancer.url)).toMatchObject(shared);
  });

  test.each([{}, { server_round_robin: 1 }, { pool_mode: 'session', server_reset_query_always: 1 }])(
    'session pooling is used, with %o',
    async (settings) => {
      const { url } = await startOn(await databaseUrl(), settings);
      expect(await refusal(url)).toBeUndefined();
      // What the first left to the pooler is clean.
      expect(await refusal(url)).toBeUndefined();
    },
  );

  test('two poolers with session pooling behind a balancer are used', async () => {
    const url = await databaseUrl();
    const poolers = [await startOn(url, {}), await startOn(url, {})];
    const balancer = await startBalancer(poolers.map((each) => each.url));
    opened.push({ close: () => balancer.stop() });
    expect(await refusal(balancer.url)).toBeUndefined();
  });

  test('a pool of one connection is refused after a bounded wait', async () => {
    const { url } = await startOn(await databaseUrl(), { default_pool_size: 1 });
    expect(await refusal(url)).toMatchObject({
      kind: 'database_unreachable',
      message: expect.stringMatching(
        / did not provide a second connection within 3 seconds, but Orrery needs several at once\.$/,
      ),
      fix: expect.stringMatching(/^Raise default_pool_size in the pooler/),
    });
  });

  test('every command refuses, and doctor shows why', async () => {
    const { url } = await startOn(await databaseUrl(), { pool_mode: 'transaction' });
    for (const [name, argument] of [
      ['org list', ''],
      ['db status', ''],
      ['db migrate', ''],
      ['db backup', join(tmpdir(), 'never-written.backup')],
    ] as const) {
      expect((await runCommand(url, name, argument, {})).failure, name).toMatchObject(shared);
    }
    const { text, failure } = await runCommand(url, 'doctor', '', {});
    expect(failure?.kind).toBe('unhealthy');
    expect(text).toMatch(
      /^WRONG +database +The connection pooler at .* needs session pooling\. Set pool_mode = session/m,
    );
  });

  test('a pooler that changes its mode under an open database is refused from then on, until it changes back', async () => {
    const pooler = await startOn(await databaseUrl(), {});
    const database = await openUnmigrated({ engine: 'server', url: pooler.url });
    opened.push(database);
    const ask = () => database.query(sql`select 1 as one`);
    expect(await ask()).toEqual([{ one: 1 }]);
    await pooler.restart({ pool_mode: 'transaction' });
    // A connection that was cut may fail once for that.
    await ask().catch(() => {});
    await expect(ask()).rejects.toMatchObject({ reason: 'storage_unavailable', cause: shared });
    await expect(database.connect()).rejects.toMatchObject({ reason: 'storage_unavailable', cause: shared });
    await pooler.restart({});
    await ask().catch(() => {});
    expect(await ask()).toEqual([{ one: 1 }]);
  });
});
