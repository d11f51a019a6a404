// A backup that is made while others write is one moment of the database, and a restore makes exactly that moment of
// another database: every row, every index, the feed from its beginning, and the keys.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { BackupTrailer } from '../../src/store/backup/format.ts';
import { verifyBackup } from '../../src/store/backup/read.ts';
import { migrationsOf } from '../../src/store/backup/restore.ts';
import { leftOutTables, savedTables } from '../../src/store/backup/tables.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { applyMigrations, migrationStatus, readMigrations } from '../../src/store/migrate.ts';
import { listOrgs } from '../../src/store/org/orgs.ts';
import { type BackupFolder, backUpTo, createBackupFolder, restoreFrom, sumsOf } from '../support/backup/backups.ts';
import { underLoad } from '../support/backup/load.ts';
import type { Client } from '../support/client.ts';
import { createDatabase, rawQuery } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: BackupFolder;
beforeAll(async () => {
  service = await startService();
  folder = await createBackupFolder();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

/** An empty database beside that of the service. */
async function withEmpty<T>(run: (url: string) => Promise<T>): Promise<T> {
  const empty = await createDatabase();
  try {
    return await run(empty.url);
  } finally {
    await empty.drop();
  }
}

/** The records in the feed after the cursor, and the cursor where it ends. */
async function readFeed(client: Client, cursor: string): Promise<{ ids: Set<string>; next: string }> {
  const ids = new Set<string>();
  for (let next = cursor; ; ) {
    const { status, body, text } = await client.get(`/changes/?limit=1000&cursor=${next}`);
    expect(status, text).toBe(200);
    next = body.pagination?.next_cursor ?? '';
    if (body.data.length === 0) return { ids, next };
    for (const entry of body.data) ids.add(entry.record_id);
  }
}

test('a backup made while others write restores elsewhere to exactly what it saw, and serves', async () => {
  // One after the other: the schema is that of the first.
  const keys: Awaited<ReturnType<TestService['createKey']>>[] = [];
  for (let count = 0; count < 3; count++) {
    keys.push(await service.createKey(await service.createOrg({ quota: 1_000_000, windowSeconds: 60 })));
  }
  const clients = keys.map(({ key }) => service.client(key));
  await service.applySchema(1, {
    object_types: [
      { name: 'boat', label: 'Boat', properties: [{ name: 'sail', label: 'Sail', field_type: 'number' }] },
    ],
  });
  await make(clients[0] ?? service.client(), 'boat', { sail: '12.50' });
  const file = folder.path('busy.backup');
  let tables: BackupTrailer['tables'] = {};
  const answers = await underLoad([...clients, ...clients], async () => {
    await sleep(700);
    ({ tables } = await backUpTo(service.database, file));
    await sleep(200);
  });
  expect(Object.keys(answers).filter((kind) => !/^20[01]$/.test(kind))).toEqual([]);
  expect(tables['record']?.rows).toBeGreaterThan(30);
  expect(tables['change']?.rows).toBeLessThan((await sumsOf(service.database))['change']?.rows ?? 0);
  const cursor = (await clients[0]?.get('/changes/?limit=5'))?.body.pagination?.next_cursor;

  await withEmpty(async (databaseUrl) => {
    const database = await openUnmigrated({ engine: 'server', url: databaseUrl });
    const restored = await restoreFrom(database, file);
    expect(restored).toEqual({ saved: false, migrated: [], keptClosed: [], erasedAgain: 0 });
    const { epoch: _, change_start: __, property_index: ___, ...expected } = tables;
    expect(await sumsOf(database)).toEqual(expected);
    for (const { orgId } of await listOrgs(database)) expect(await findingsIn(database, orgId)).toEqual([]);
    await database.close();

    const copy = await startService({ databaseUrl });
    try {
      const client = copy.client(keys[0]?.key);
      const gone = await client.get(`/changes/?cursor=${cursor}`);
      expect([gone.status, gone.body.reason]).toEqual([410, 'cursor_expired']);
      const { ids, next } = await readFeed(client, 'earliest');
      // The key sees no platform types.
      const records = await rawQuery(databaseUrl, 'select id from orrery.record where org_id = 1 and type_id < 30');
      expect(records.rows.map(({ id }) => id).filter((id) => !ids.has(id))).toEqual([]);
      expect((await client.get('/objects/boat/records/')).body.data[0].properties.sail).toBe('12.50');
      const made = await make(client, 'svc_contact', { svc_last_name: 'Later' });
      expect([...(await readFeed(client, next)).ids]).toEqual([made.id]);
      expect(await findingsIn(copy.database, 1)).toEqual([]);
    } finally {
      await copy.stop();
    }
  });
});

test('every table is saved, or left out for a reason', async () => {
  const { rows } = await rawQuery(
    service.databaseUrl,
    "select tablename as name from pg_tables where schemaname = 'orrery' order by 1",
  );
  const ofEarlierReleases = ['user', 'credential', 'grant', 'change_epoch'];
  const listed = [...savedTables, ...Object.keys(leftOutTables)].filter((name) => !ofEarlierReleases.includes(name));
  expect(rows.map(({ name }) => name)).toEqual(listed.toSorted());
});

test('transaction numbers are only in columns that a restore sets, and keys have one order everywhere', async () => {
  const ask = async (text: string) => (await rawQuery(service.databaseUrl, text)).rows.map(({ name }) => name);
  const columns = `from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'orrery'::regnamespace and a.attnum > 0 and not a.attisdropped`;
  const xids = await ask(`select c.relname || '.' || a.attname as name ${columns} and c.relkind = 'r'
    and a.atttypid in ('xid8'::regtype, 'xid'::regtype, 'pg_snapshot'::regtype) order by 1`);
  expect(xids).toEqual(['change.xid', 'change_start.purged_xid', 'property_index.barrier']);
  const collated = await ask(`select c.relname || '.' || a.attname as name ${columns}
    and a.attcollation <> 0 and a.attcollation <> '"C"'::regcollation
    and exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey))`);
  expect(collated).toEqual([]);
});

test('a backup of an older release restores into this one, and one of a newer release is refused', async () => {
  const migrations = await readMigrations();
  const file = folder.path('old.backup');
  await withEmpty(async (url) => {
    const old = await openUnmigrated({ engine: 'server', url });
    await old.transaction((transaction) => applyMigrations(transaction, migrations.slice(0, 2)));
    await old.script(`
      insert into orrery.org (org_id, name, currency, rate_quota, rate_window_seconds, changed_in)
        values (nextval('orrery.org_id'), 'Old', 'USD', 6000, 60, 0);
      insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
        values (1, 1, '01900000-0000-7000-8000-000000000001', 1, now(), true, '{"svc_last_name": "ADA"}')`);
    await backUpTo(old, file);
    await old.close();
  });
  await withEmpty(async (url) => {
    // As an administrator may have created it.
    await rawQuery(url, 'create schema orrery');
    const database = await openUnmigrated({ engine: 'server', url });
    const { migrated } = await restoreFrom(database, file);
    expect(migrated).toEqual(migrations.slice(2).map(({ name }) => name));
    expect((await migrationStatus(database)).pending).toEqual([]);
    await database.close();
    const { rows } = await rawQuery(url, 'select folded from orrery.record where type_id = 1');
    expect(rows).toEqual([{ folded: { svc_last_name: 'ada' } }]);
    const schemas = await rawQuery(url, "select nspname as name from pg_namespace where nspname ~ 'orrery'");
    expect(schemas.rows).toEqual([{ name: 'orrery' }]);
    expect((await rawQuery(url, 'select org_id from orrery.rate_window')).rows).toEqual([{ org_id: 1 }]);
  });
  const { header } = await verifyBackup(file);
  const newer = { ...header, migrations: [...header.migrations, { number: 9_999, name: '9999-x.sql', checksum: '' }] };
  expect(() => migrationsOf(newer, migrations, file)).toThrow(/was made by a newer Orrery/);
  const rewritten = { ...header, migrations: header.migrations.map((each) => ({ ...each, checksum: '0' })) };
  expect(() => migrationsOf(rewritten, migrations, file)).toThrow(/other migrations/);
});
