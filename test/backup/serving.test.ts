// A restore while services run on the database: they answer nothing wrong meanwhile, notice within a second, and then
// serve what was restored. The old content is saved, and can be restored in turn.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { sql } from '../../src/base/sql.ts';
import { compress } from '../../src/cli/db/backup-file.ts';
import { revokeKey } from '../../src/engine/admin/keys.ts';
import { verifyBackup } from '../../src/store/backup/read.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { listOrgs } from '../../src/store/org/orgs.ts';
import {
  type BackupFolder,
  backUpTo,
  createBackupFolder,
  eraseAgain,
  nowhere,
  restoreFrom,
  sumsOf,
} from '../support/backup/backups.ts';
import { underLoad } from '../support/backup/load.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { withinASecond } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let second: TestService;
let folder: BackupFolder;
beforeAll(async () => {
  service = await startService();
  second = await startService({ databaseUrl: service.databaseUrl });
  folder = await createBackupFolder();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
  await folder.remove();
});

const roomy = { quota: 1_000_000, windowSeconds: 60 };

test('under load no answer is wrong, and everything written before the restore is saved', async () => {
  // One after the other: the type that comes later is one of the first org.
  const keys = [
    await service.createKey(await service.createOrg(roomy)),
    await service.createKey(await service.createOrg(roomy)),
  ];
  const clients = [service, second].flatMap((each) => keys.map(({ key }) => each.client(key)));
  const file = folder.path('load.backup');
  // A type that comes after the backup: nobody may write of it once the restored tables are there.
  const ghost = async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await clients[0]?.call('POST', recordsPath('ghost'), { headers, body, allowFault: true });
    return answer?.status;
  };
  const body = '{"properties":{}}';
  let isOver = false;
  let haunting: Promise<void> | undefined;
  const haunt = async () => {
    while (!isOver) expect([201, 404, 503]).toContain(await ghost());
  };
  const answers = await underLoad([...clients, ...clients], async () => {
    await sleep(400);
    await backUpTo(service.database, file);
    await service.applySchema(1, { object_types: [{ name: 'ghost', label: 'Ghost', properties: [] }] });
    await withinASecond(ghost, (status) => status === 201);
    haunting = haunt();
    await sleep(400);
    const { saved } = await restoreFrom(service.database, file, folder.path('load-before.backup'));
    expect(saved).toBe(true);
    await sleep(600);
    isOver = true;
    await haunting;
  });
  expect(await ghost()).toBe(404);
  const wrong = Object.keys(answers).filter(
    (kind) => !/^(20[01]|404 (record_unknown|target_unknown)|410 cursor_expired|503 \w+)$/.test(kind),
  );
  expect(wrong, JSON.stringify(answers)).toEqual([]);
  expect([service, second].flatMap((each) => each.logLines.filter((line) => line.includes('"status":500')))).toEqual(
    [],
  );
  for (const { orgId } of await listOrgs(service.database)) {
    expect(await findingsIn(service.database, orgId)).toEqual([]);
  }
});

test('everything that was acknowledged before the restore is in what it saved', async () => {
  const client = service.client((await service.createKey(await service.createOrg(roomy))).key);
  const file = folder.path('early.backup');
  await backUpTo(service.database, file);
  const acknowledged: string[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const answer = await client.call('POST', recordsPath('svc_company'), {
        headers: { 'content-type': 'application/json' },
        body: '{"properties":{"svc_name":"x"}}',
        allowFault: true,
      });
      if (answer.status === 201) acknowledged.push(answer.body.data.id);
    }
  })();
  await sleep(200);
  const saved = folder.path('early-before.backup');
  await restoreFrom(service.database, file, saved);
  isOver = true;
  await writing;
  const now = await rawQuery(service.databaseUrl, 'select id from orrery.record');
  await restoreFrom(service.database, saved);
  const before = await rawQuery(service.databaseUrl, 'select id from orrery.record');
  const known = new Set([...now.rows, ...before.rows].map(({ id }) => id));
  expect(acknowledged.length).toBeGreaterThan(10);
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
});

test('keys, orgs, cursors and records are those of the backup within a second, on every process', async () => {
  const orgId = await service.createOrg(roomy);
  const kept = await service.createKey(orgId);
  const watcher = await service.createKey(orgId);
  const revoked = await service.createKey(orgId);
  const record = await make(service.client(kept.key), 'svc_contact', { svc_last_name: 'Kept' });
  await Promise.all([1, 2, 3].map(() => make(service.client(kept.key), 'svc_contact', { svc_last_name: 'More' })));
  const file = folder.path('keys.backup');
  await backUpTo(service.database, file);
  const client = second.client(kept.key);
  const lateOrg = await service.createOrg(roomy);
  const late = await service.createKey(lateOrg);
  expect((await second.client(late.key).get('/self/')).status).toBe(200);
  await client.patch(pathOfRecord(record), { properties: { svc_last_name: 'Changed' } });
  const feed = (await client.get('/changes/?cursor=latest')).body.pagination?.next_cursor;
  const page = (await client.get(`${recordsPath('svc_contact')}?limit=2`)).body.pagination?.next_cursor;
  const waiting = second.client(watcher.key).get(`/changes/?cursor=${feed}&wait=25`, { allowFault: true });
  await revokeKey(service.database, revoked.credentialId);
  const [seen] = await service.database.query<{ version: string }>(sql`select version from orrery.epoch`);

  await restoreFrom(service.database, file);
  expect(
    (
      await withinASecond(
        () => client.get('/self/'),
        ({ status }) => status === 200,
      )
    ).status,
  ).toBe(200);
  expect((await second.client(revoked.key).get('/self/')).body.reason).toBe('key_revoked');
  const stranger = second.client(late.key);
  expect(
    (
      await withinASecond(
        () => stranger.get('/self/'),
        ({ status }) => status === 401,
      )
    ).status,
  ).toBe(401);
  expect((await client.get(pathOfRecord(record))).body.data.properties['svc_last_name']).toBe('Kept');
  expect([410, 503]).toContain((await waiting).status);
  expect((await client.get(`/changes/?cursor=${feed}`)).body.reason).toBe('cursor_expired');
  expect((await client.get(`${recordsPath('svc_contact')}?limit=2&cursor=${page}`)).body.data).toHaveLength(2);
  const [now] = await service.database.query<{ version: string }>(sql`select version from orrery.epoch`);
  expect(Number(now?.version)).toBeGreaterThan(Number(seen?.version));
  // The number of an org that is gone is not used again.
  expect(await service.createOrg(roomy)).toBeGreaterThan(lateOrg);
});

/** Without what the services note about once a second, after earlier tests: what orgs store, and the last use of keys. */
async function sumsBesideCounters() {
  const { storage, record, fact, ...rest } = await sumsOf(service.database);
  expect([storage, record, fact]).not.toContain(undefined);
  const records = await service.database.query(sql`
    select r.org_id, r.type_id, r.id, r.version, r.org_visible, r.folded,
      r.properties - array['svc_last_used_at', 'svc_last_seen_at'] as values
    from orrery.record as r order by r.org_id, r.type_id, r.id`);
  return { ...rest, records };
}

test('a restore waits a moment for one that has just failed, and not for one that is running', async () => {
  const file = folder.path('alone.backup');
  await backUpTo(service.database, file);
  // The lock of backups and restores.
  const hold = () => holdRow(service.databaseUrl, `select pg_advisory_xact_lock(${0x6f727206}, 0)`);
  const release = await hold();
  const waiting = restoreFrom(service.database, file);
  await sleep(500);
  await release();
  expect((await waiting).saved).toBe(false);
  const releaseLater = await hold();
  const restoring = restoreFrom(service.database, file);
  await expect(restoring).rejects.toThrow('A backup or another restore of this database is running.');
  await releaseLater();
});

test('a restore that fails anywhere on its way changes nothing', async () => {
  const file = folder.path('whole.backup');
  // What earlier tests did with their keys is noted by now.
  await sleep(1_500);
  await backUpTo(service.database, file);
  const before = await sumsBesideCounters();
  const life = sql`select * from orrery.change_life join orrery.change_mark on life = identity`;
  const lives = await service.database.query(life);
  const backup = await verifyBackup(file);
  for (const at of ['loading record', 'loading search', 'comparing change', 'saving search']) {
    const report = (step: string, table: string) => {
      if (`${step} ${table}` === at) throw new RangeError(at);
    };
    const openSave = async () => async (content: AsyncIterable<Buffer>) => {
      await compress(content, nowhere());
    };
    const request = { file, release: 'x', report, openSave, oldKeys: 'stay_closed', eraseAgain } as const;
    await expect(restore(service.database, backup, request)).rejects.toThrow(at);
  }
  expect(await sumsBesideCounters()).toEqual(before);
  expect(await service.database.query(life)).toEqual(lives);
  const { rows } = await rawQuery(service.databaseUrl, "select nspname from pg_namespace where nspname ~ 'orrery'");
  expect(rows).toEqual([{ nspname: 'orrery' }]);
});

test('a restore waits for locks of others, does not drop what others built, and keeps their rights', async () => {
  const file = folder.path('held.backup');
  await backUpTo(service.database, file);
  const ask = (text: string) => rawQuery(service.databaseUrl, text);
  const release = await holdRow(service.databaseUrl, 'lock table orrery.org in row share mode');
  const restoring = restoreFrom(service.database, file);
  await sleep(600);
  await release();
  await restoring;
  await ask('create view public.names as select name from orrery.org');
  await expect(restoreFrom(service.database, file)).rejects.toThrow(/view public.names|view names/);
  await ask('drop view public.names');
  await ask('create table orrery.mine (id integer)');
  await expect(restoreFrom(service.database, file)).rejects.toThrow(/a table orrery.mine, which this program/);
  await ask('drop table orrery.mine');
  const role = `orrery_reader_${Date.now()}`;
  await ask(`create role ${role}; grant usage on schema orrery to ${role}; grant select on orrery.record to ${role}`);
  try {
    await restoreFrom(service.database, file);
    const { rows } = await ask(`select has_schema_privilege('${role}', 'orrery', 'usage') as schema,
      has_table_privilege('${role}', 'orrery.record', 'select') as record,
      has_table_privilege('${role}', 'orrery.record', 'insert') as writes,
      has_table_privilege('${role}', 'orrery.change', 'select') as change`);
    expect(rows).toEqual([{ schema: true, record: true, writes: false, change: false }]);
  } finally {
    await ask(`drop owned by ${role}; drop role ${role}`);
  }
});
