// `orrery db distribute`: what it does, that it can be repeated, and when it refuses.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openMigrated, openUnmigrated } from '../../src/store/driver/open.ts';
import { applyMigrations, migrate, readMigrations } from '../../src/store/migrate.ts';
import { createDistributed, createJoined, createUnjoined, distributeTables } from '../support/cluster/cluster.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { contacts } from '../support/records.ts';
import { root } from '../support/repository.ts';
import { startService } from '../support/service.ts';

const distribute = (url: string, shards?: string) =>
  runCommand(url, 'db distribute', '', shards === undefined ? {} : { shards });

test('tables with records are distributed as the guide says, and the service goes on with all of them', async () => {
  const { url, name } = await createUnjoined();
  const service = await startService({ databaseUrl: url });
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  const ids: string[] = [];
  for (const first of ['Ada', 'Bob']) {
    const { body } = await service.client(key).post(contacts, { properties: { svc_first_name: first } });
    ids.push((body.data as { id: string }).id);
  }
  await service.stop();
  const servers = inject('cluster').map((server) => new URL(server.url));
  const guide = await readFile(join(root, 'docs/operate.md'), 'utf8');
  const [, section = ''] = guide.split(/^## A cluster$/m);
  const [, everywhere = '', onFirst = ''] = /```sql\n(.*?)```.*?```sql\n(.*?)```/s.exec(section) ?? [];
  for (const server of servers) {
    server.pathname = `/${name}`;
    await rawQuery(server.href, everywhere);
  }
  const lines = onFirst.replace(/'db([0-9])\.example\.com', 5432/g, (_, number: string) => {
    return `'127.0.0.1', ${servers[Number(number)]?.port ?? ''}`;
  });
  expect(lines).not.toContain('example.com');
  await rawQuery(url, lines);
  const { value, text } = await distribute(url, '4');
  expect(value).toMatchObject({ before: 0, shards: 4, workers: [expect.any(String), expect.any(String)] });
  expect(text).toMatch(
    /^Distributed [0-9]+ tables, in 4 parts on 2 workers: 127\.0\.0\.1:[0-9]+, 127\.0\.0\.1:[0-9]+\.$/,
  );
  const again = await distribute(url);
  expect(again.value).toMatchObject({ tables: [], shards: 4 });
  expect(again.text).toMatch(/^All [0-9]+ tables were distributed before/);
  const { rows } = await rawQuery(
    url,
    `select c.relname as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'orrery' and c.relkind = 'r' and c.oid not in (select logicalrelid from pg_dist_partition) order by 1`,
  );
  const local = ['change_life', 'change_mark', 'changed_org', 'cursor_secret', 'epoch', 'migration', 'rate_window'];
  expect(rows.map((row) => row.name)).toEqual(local);
  const later = await startService({ databaseUrl: url });
  const client = later.client(key);
  for (const id of ids) expect((await client.get(`${contacts}${id}/`)).status).toBe(200);
  expect((await client.post(contacts, { properties: { svc_first_name: 'Cy' } })).status).toBe(201);
  await later.stop();
});

test('it refuses while a service runs, and nothing has changed', async () => {
  const { url } = await createJoined();
  const service = await startService({ databaseUrl: url });
  const { failure } = await distribute(url);
  expect(failure?.message).toMatch(/^Orrery has [0-9]+ other connections to this database\.$/);
  expect(failure?.fix).toMatch(/^Stop the service/);
  const { rows } = await rawQuery(url, 'select from pg_dist_partition');
  expect(rows).toEqual([]);
  expect((await (await service.newClient()).get(contacts)).status).toBe(200);
  await service.stop();
});

test('it refuses what is no cluster, and a wrong number of shards', async () => {
  const { url } = await createUnjoined();
  expect((await distribute(url)).failure?.message).toBe('The database does not have the extension citus.');
  await rawQuery(url, 'create extension citus');
  expect((await distribute(url)).failure?.message).toBe('The cluster has no worker that takes rows.');
  for (const shards of ['0', '1025', 'many', '1.5']) {
    expect((await distribute(url, shards)).failure?.kind).toBe('usage');
  }
});

test('tables of a new release are distributed with its migration', async () => {
  const { url } = await createDistributed();
  const database = await openMigrated({ engine: 'server', url });
  const text = `create table orrery.of_tomorrow (org_id integer not null, id uuid not null, primary key (org_id, id));
    alter table orrery.record add column of_tomorrow text`;
  const migration = { number: 9_999, name: '9999-of-tomorrow.sql', text, checksum: '' };
  const { rows } = await rawQuery(url, 'select number, name, checksum from orrery.migration');
  const known = rows.map((row) => ({ ...row, text: '' }));
  const applied = await database.transaction((transaction) => applyMigrations(transaction, [...known, migration]));
  expect(applied).toEqual(['9999-of-tomorrow.sql']);
  await database.close();
  const { rows: placed } = await rawQuery(
    url,
    `select from pg_dist_partition where logicalrelid = 'orrery.of_tomorrow'::regclass`,
  );
  expect(placed).toHaveLength(1);
});

test('every migration since tables can be distributed runs on distributed ones', async () => {
  const { url } = await createJoined();
  const migrations = await readMigrations();
  const first = migrations.findIndex(({ name }) => name === '0022-changed-orgs.sql');
  expect(first).toBeGreaterThan(0);
  const database = await openUnmigrated({ engine: 'server', url });
  await database.transaction((transaction) => applyMigrations(transaction, migrations.slice(0, first)));
  await database.close();
  await distributeTables(url);
  const later = await openUnmigrated({ engine: 'server', url });
  expect(await migrate(later)).toEqual(migrations.slice(first).map(({ name }) => name));
  await later.close();
  const service = await startService({ databaseUrl: url });
  const client = await service.newClient();
  expect((await client.post(contacts, { properties: { svc_first_name: 'Ada' } })).status).toBe(201);
  await service.stop();
});

test('a process that connects while the tables are distributed waits, and then works on distributed ones', async () => {
  const { url } = await createJoined();
  await (await openMigrated({ engine: 'server', url })).close();
  const distributing = distributeTables(url);
  // The lock is held, but the tables are not distributed yet for anybody else.
  await until(async () => (await rawQuery(url, heldAlone)).rows.length > 0);
  const service = await startService({ databaseUrl: url });
  expect((await distributing).tables.length).toBeGreaterThan(20);
  const client = await service.newClient();
  expect((await client.post(contacts, { properties: { svc_first_name: 'Ada' } })).status).toBe(201);
  await service.stop();
});

const heldAlone = `select from pg_locks as l join pg_database as d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and l.mode = 'ExclusiveLock' and l.granted`;

test('the rows that were there before are not left behind on the first server', async () => {
  const { url } = await createJoined();
  const service = await startService({ databaseUrl: url });
  const client = await service.newClient();
  expect((await client.post(contacts, { properties: { svc_first_name: 'Ada' } })).status).toBe(201);
  await service.stop();
  const left = async () => {
    const { rows } = await rawQuery(
      url,
      'select sum(pg_relation_size(logicalrelid))::integer as bytes from pg_dist_partition',
    );
    return rows[0].bytes;
  };
  expect((await distribute(url)).failure).toBeUndefined();
  expect(await left()).toBe(0);
});
