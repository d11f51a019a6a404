// What doctor says of standbys, on a real primary with its standby: synchronous, asynchronous, behind, gone, and hidden from
// the user.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOpenDatabase } from '../../src/cli/doctor/check-database.ts';
import { lossOf } from '../../src/cli/doctor/check-replication.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { readConfig } from '../../src/config.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { readReplication } from '../../src/store/driver/replication.ts';
import { runOrrery } from '../support/cli.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { openServerPair, type ServerPair } from '../support/store/server-pair.ts';
import { alterSystem, type TestServer } from '../support/store/server-process.ts';

let pair: ServerPair;
beforeAll(async () => {
  pair = await openServerPair();
  await ask('create table item (text text)');
});
afterAll(() => pair.close());

const ask = (text: string) => rawQuery(pair.primary.url, text);
/** More of the log than PostgreSQL writes by itself in the time of a test. */
const writeMegabytes = (many: number) =>
  ask(`insert into item select string_agg(md5(random()::text), '') from generate_series(1, ${many * 16}) as i,
    generate_series(1, 2048) group by i`);

async function opened<T>(url: string, use: (database: Awaited<ReturnType<typeof openUnmigrated>>) => Promise<T>) {
  const database = await openUnmigrated({ engine: 'server', url });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function findings({ url }: { readonly url: string }): Promise<readonly Finding[]> {
  const told = await opened(url, (database) => checkOpenDatabase(readConfig({ databaseUrl: url }, {}), database));
  for (const each of told.findings) expect(each.ok || each.fix !== undefined, each.check).toBe(true);
  return told.findings.filter(({ check }) => ['replication', 'standby', 'replication slot'].includes(check));
}

const loss = ({ url }: TestServer = pair.primary) =>
  opened(url, async (database) => lossOf(await readReplication(database)));
const modeIs = (mode: string) =>
  until(async () => (await ask(`select from pg_stat_replication where sync_state = '${mode}'`)).rowCount === 1);

async function asynchronously<T>(run: () => Promise<T>): Promise<T> {
  await alterSystem(pair.primary, "set synchronous_standby_names = ''");
  await modeIs('async');
  try {
    return await run();
  } finally {
    await alterSystem(pair.primary, "set synchronous_standby_names = '*'");
    await modeIs('sync');
  }
}

/** The standby stays connected, but takes nothing, as on a machine that hangs. */
async function whileStandbyHangs<T>(run: () => Promise<T>): Promise<T> {
  const { rows } = await rawQuery(pair.standby.url, 'select pid from pg_stat_wal_receiver');
  const { pid } = rows[0] as { readonly pid: number };
  process.kill(pid, 'SIGSTOP');
  try {
    return await run();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

test('with a synchronous standby nothing acknowledged would be lost', async () => {
  const [found, ...others] = await findings(pair.primary);
  expect(found).toEqual({
    check: 'replication',
    ok: true,
    detail: expect.stringMatching(
      /^1 standby: orrery \(synchronous\) .*nothing acknowledged would be lost, as long as orrery takes over\.$/,
    ),
  });
  expect(others).toEqual([]);
  expect(await loss()).toEqual({ lost: 'nothing' });
});

test('a synchronous standby is of no use to sessions that do not wait for it', async () => {
  await ask('alter database postgres set synchronous_commit = local');
  try {
    const [found] = await findings(pair.primary);
    expect(found).toMatchObject({ ok: true, fix: expect.stringContaining('synchronous_commit is local') });
    expect(found?.detail).toContain('Writes do not wait for a standby');
    expect(await loss()).toMatchObject({ lost: 'latest_writes' });
  } finally {
    await ask('alter database postgres reset synchronous_commit');
  }
});

test('a standby that does not apply what it has takes over late, and loses nothing', async () => {
  await rawQuery(pair.standby.url, 'select pg_wal_replay_pause()');
  try {
    await writeMegabytes(20);
    expect(await findings(pair.primary)).toMatchObject([
      { ok: true, detail: expect.stringContaining('nothing acknowledged would be lost') },
      { check: 'standby', ok: true, detail: expect.stringMatching(/^orrery must apply [0-9.]+ MB/) },
    ]);
  } finally {
    await rawQuery(pair.standby.url, 'select pg_wal_replay_resume()');
  }
});

test('with an asynchronous standby the latest writes would be lost: as much as it is behind', async () => {
  await asynchronously(async () => {
    const [found] = await findings(pair.primary);
    expect(found).toMatchObject({ ok: true, fix: expect.stringContaining('synchronous_standby_names') });
    expect(found?.detail).toMatch(/^1 standby: orrery \(asynchronous\) .*Writes do not wait for a standby/);
    await whileStandbyHangs(async () => {
      await writeMegabytes(3);
      const told = await loss();
      expect(told).toMatchObject({ lost: 'latest_writes' });
      if (told.lost !== 'latest_writes') return;
      expect(told.bytes).toBeGreaterThan(3_000_000);
      expect(told.seconds).toBeGreaterThan(0);
      const [lagging] = await findings(pair.primary);
      expect(lagging?.detail).toMatch(/up to [0-9.]+ MB \([0-9.]+ s\) would be lost/);
    });
  });
});

test('a user without the right to see standbys is told the grant, and with it sees them', async () => {
  await ask('create role plain login');
  const url = pair.primary.url.replace('//orrery@', '//plain@');
  const [hidden] = await findings({ url });
  expect(hidden?.ok).toBe(true);
  expect(hidden?.detail).toMatch(/^1 standby is connected.*nothing acknowledged would be lost/);
  const grant = /grant .*(?=\.$)/.exec(hidden?.fix ?? '')?.[0] ?? '';
  expect(grant).toBe('grant pg_read_all_stats to plain');
  await ask(grant);
  const [seen] = await findings({ url });
  expect(seen?.detail).toContain('orrery (synchronous)');
  expect(seen?.fix).toBeUndefined();
});

test('a function that the server refuses is not called, and the grant for it is named', async () => {
  await ask('revoke execute on function pg_current_wal_lsn() from public; create role refused login');
  await ask('grant pg_read_all_stats to refused');
  try {
    const [hidden] = await findings({ url: pair.primary.url.replace('//orrery@', '//refused@') });
    expect(hidden?.fix).toContain('grant execute on function pg_current_wal_lsn() to refused.');
  } finally {
    await ask('grant execute on function pg_current_wal_lsn() to public');
  }
});

test('Amazon Aurora is asked for its readers, and not about files and logs that it does not have', async () => {
  const durability = async () => {
    const { url } = pair.primary;
    const told = await opened(url, (database) => checkOpenDatabase(readConfig({ databaseUrl: url }, {}), database));
    return told.findings.find(({ check }) => check === 'durability');
  };
  await alterSystem(pair.primary, 'set full_page_writes = off');
  try {
    await until(async () => (await durability())?.ok === false);
    await ask(`create function aurora_version() returns text language sql as $$ select '16.4.1' $$;
      create function aurora_replica_status() returns table (session_id text, last_update_timestamp timestamptz)
        language sql as $$ values ('MASTER_SESSION_ID', now()), ('a', now()), ('gone', now() - interval '1 hour') $$`);
    expect(await durability()).toMatchObject({ ok: true });
    expect(await findings(pair.primary)).toMatchObject([
      { ok: true, detail: expect.stringMatching(/^Amazon Aurora .*nothing acknowledged would be lost\. 1 reader/) },
    ]);
  } finally {
    await ask('drop function if exists aurora_version, aurora_replica_status');
    await alterSystem(pair.primary, 'reset full_page_writes');
  }
});

test('the program prints what would be lost, and how far each standby is', async () => {
  const { stdout } = await runOrrery(['doctor', '--port', '0', '--json', '--database-url', pair.primary.url]);
  expect(JSON.parse(stdout)).toMatchObject({
    replication: {
      lost: 'nothing',
      standbys: [
        {
          name: 'orrery',
          sync_state: 'sync',
          streaming: true,
          bytes_behind: expect.any(Number),
          seconds_behind: expect.any(Number),
          bytes_to_apply: expect.any(Number),
        },
      ],
    },
  });
});

test('a standby is no server to write to', async () => {
  expect(await findings(pair.standby)).toMatchObject([{ ok: false, fix: expect.stringContaining('primary') }]);
  expect(await loss(pair.standby)).toEqual({ lost: 'unknown' });
});

test('without the standby, writes wait for it, or everything is on one disk', async () => {
  await ask("select pg_create_physical_replication_slot('left', true)");
  await pair.standby.kill();
  await until(async () => (await ask('select from pg_stat_replication')).rowCount === 0);
  expect(await findings(pair.primary)).toMatchObject([
    { ok: false, detail: 'All writes wait for 1 synchronous standby, and none is connected.' },
    { check: 'replication slot', ok: false, fix: expect.stringContaining("pg_drop_replication_slot('left')") },
  ]);
  await alterSystem(pair.primary, "set synchronous_standby_names = ''");
  await until(async () => (await loss()).lost === 'since_backup');
  await ask("select pg_drop_replication_slot('left')");
  expect(await findings(pair.primary)).toEqual([
    {
      check: 'replication',
      ok: true,
      detail: expect.stringContaining('everything since the last backup'),
      fix: expect.stringContaining('synchronous_standby_names'),
    },
  ]);
});
