// A backup made before an erasure still has the values. Restoring it erases them again, before anybody can read them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { type BackupFolder, backUpTo, createBackupFolder, restoreFrom } from '../support/backup/backups.ts';
import { item, succeed } from '../support/batch.ts';
import { orreryJson, runOrrery, withoutProgress } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { createDatabase, rawQuery } from '../support/database.ts';
import { erase, lifeSchema, liveLife, type Person } from '../support/erase/life.ts';
import { tablesWith } from '../support/erase/search.ts';
import { findingsIn } from '../support/integrity.ts';
import { changesSince } from '../support/read-feed.ts';
import { contacts, make, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: BackupFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  folder = await createBackupFolder();
});
afterAll(() => folder.remove());
beforeEach(async () => {
  service = await startService();
  orgId = await service.createOrg();
  await service.applySchema(orgId, lifeSchema);
  client = service.client((await service.createKey(orgId)).key);
  return () => service.stop();
});

let files = 0;
async function backedUp(): Promise<string> {
  const file = folder.path(`${++files}.backup`);
  await backUpTo(service.database, file);
  return file;
}

const importLines = async ([, row = '']: readonly string[]) => {
  const [address, title] = row.split(',');
  await client.put(`${contacts}?match=svc_email`, { properties: { svc_email: [address], svc_job_title: title } });
};

/** A process that has cached nothing reads what it finds. */
async function fresh<T>(ask: (client: Client) => Promise<T>): Promise<T> {
  const other = await startService({ databaseUrl: service.databaseUrl });
  try {
    return await ask(other.client(client.key));
  } finally {
    await other.stop();
  }
}

async function expectErased(person: Person, url = service.databaseUrl): Promise<void> {
  expect(await tablesWith(url, person.secrets.values)).toEqual({});
}

test('a person who was erased since is erased again: live, in the trash, and with all duplicates', async () => {
  const person = await liveLife({ client, importLines }, 'kim');
  const whole = await backedUp();
  await succeed(client, [item('delete', 'svc_contact', { id: person.id })]);
  const trashed = await backedUp();
  await erase(client, person.id);
  await expectErased(person);
  for (const file of [whole, trashed]) {
    const { erasedAgain } = await restoreFrom(service.database, file);
    expect(erasedAgain).toBe(1 + person.duplicates.length);
    await expectErased(person);
    expect(await findingsIn(service.database, orgId)).toEqual([]);
    const { status, entries } = await fresh(async (caller) => ({
      status: (await caller.get(pathOfRecord({ object_type: 'svc_contact', id: person.id }))).status,
      entries: await changesSince(caller, 'earliest', { record_id: person.id }),
    }));
    expect([status, entries[0]?.type, entries.at(-1)?.type]).toEqual([404, 'record.created', 'record.deleted']);
    expect(entries.filter(({ changed }) => changed !== undefined)).toEqual([]);
  }
  const { rows } = await rawQuery(
    service.databaseUrl,
    `select properties ->> 'svc_principal_id' as by, properties ->> 'svc_record_id' as id from orrery.record
     where org_id = $1 and properties ->> 'svc_action' = 'record.erased' order by 2`,
    [orgId],
  );
  expect(rows).toEqual([person.id, ...person.duplicates].toSorted().map((id) => ({ by: 'svc_system', id })));
  // The one that was a duplicate for a while is not touched.
  const { id, secrets } = person.restored;
  expect((await fresh((caller) => read(caller, { object_type: 'svc_contact', id }))).properties).toMatchObject({
    svc_headline: secrets.values.at(-1),
  });
});

test('a duplicate that was restored since, and not erased, comes back as the backup has it', async () => {
  const kept = await make(client, 'svc_contact', { svc_first_name: 'Zqkept' });
  const duplicate = await make(client, 'svc_contact', { svc_first_name: 'Zqdup' });
  await succeed(client, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
  const file = await backedUp();
  await succeed(client, [item('restore', 'svc_contact', { id: duplicate.id })]);
  await erase(client, kept.id);
  expect((await restoreFrom(service.database, file)).erasedAgain).toBe(1);
  const { rows } = await rawQuery(service.databaseUrl, 'select id from orrery.trash where org_id = $1', [orgId]);
  expect(rows).toEqual([{ id: duplicate.id }]);
});

test('a duplicate that was purged long before the erasure does not come back with a backup from before the merge', async () => {
  const kept = await make(client, 'svc_contact', { svc_first_name: 'Zqstays' });
  const duplicate = await make(client, 'svc_contact', { svc_first_name: 'Zqpurged' });
  const file = await backedUp();
  await succeed(client, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
  for (let round = 0; round < 2; round++) await keepHouse(service.database, { trashSeconds: 0, changesSeconds: 0 });
  expect(await tablesWith(service.databaseUrl, ['Zqpurged'])).toEqual({});
  await erase(client, kept.id);
  expect((await restoreFrom(service.database, file)).erasedAgain).toBe(2);
  expect(await tablesWith(service.databaseUrl, ['Zqstays', 'Zqpurged'])).toEqual({});
});

test('it is remembered through a restore to before the person was there, and by backups', async () => {
  const before = await backedUp();
  const person = await liveLife({ client, importLines }, 'lea');
  const alive = await backedUp();
  await erase(client, person.id);
  // Nothing of the person is in that backup.
  expect((await restoreFrom(service.database, before)).erasedAgain).toBe(0);
  const knowing = await backedUp();
  for (const file of [alive, before, alive]) await restoreFrom(service.database, file, undefined, 'come_back');
  await expectErased(person);
  // In another database too, if a backup made afterwards comes before the older one.
  const other = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: other.url });
  try {
    expect((await restoreFrom(database, alive)).erasedAgain).toBe(0);
    expect(Object.keys(await tablesWith(other.url, person.secrets.values)).length).toBeGreaterThan(10);
    await restoreFrom(database, knowing);
    expect((await restoreFrom(database, alive)).erasedAgain).toBe(3);
    await expectErased(person, other.url);
  } finally {
    await database.close();
    await other.drop();
  }
});

test('an erasure that was not finished when the backup was made is finished by the restore', async () => {
  const person = await liveLife({ client, importLines }, 'mia');
  const values = await tablesWith(service.databaseUrl, person.secrets.values);
  const whole = await backedUp();
  await service.database.query(sql`
    insert into orrery.erased (org_id, record_id, type_id, unfinished) values (${orgId}, ${person.id}, 1, true)`);
  const file = await backedUp();
  await rawQuery(service.databaseUrl, 'truncate orrery.erased');
  await restoreFrom(service.database, whole);
  expect(await tablesWith(service.databaseUrl, person.secrets.values)).toEqual(values);
  expect((await restoreFrom(service.database, file)).erasedAgain).toBe(0);
  const { rows } = await rawQuery(service.databaseUrl, 'select unfinished from orrery.erased');
  expect(rows).toEqual([{ unfinished: false }]);
  // The list names the person alone: that of a real erasure would name the duplicates.
  const left = await tablesWith(service.databaseUrl, person.secrets.values);
  expect(Object.keys(left).every((value) => value.includes('dup'))).toBe(true);
});

test('what follows from the erasure is right in the restored tables: stages and last activities', async () => {
  const contact = await make(client, 'svc_contact', { svc_first_name: 'Nell' });
  const link = [{ association_type: 'svc_activity_to_contact', target_id: contact.id }];
  const [first, last] = [
    await make(client, 'svc_call', { svc_started_at: '2026-01-02T03:04:05Z' }, link),
    await make(client, 'svc_call', { svc_started_at: '2026-05-06T07:08:09Z' }, link),
  ];
  const file = await backedUp();
  await erase(client, last.id, 'svc_call');
  const expected = { svc_last_activity_at: first.properties['svc_started_at'] };
  expect((await read(client, contact)).properties).toMatchObject(expected);
  await restoreFrom(service.database, file);
  expect((await fresh((caller) => read(caller, contact))).properties).toMatchObject(expected);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a stage that was erased since goes, even if records of the backup are in it', async () => {
  const stage = await make(client, 'svc_contact_lifecycle_stage', { svc_name: 'Zqlimbo' });
  const contact = await make(client, 'svc_contact', {}, [
    { association_type: 'svc_contact_to_lifecycle_stage', target_id: stage.id },
  ]);
  const file = await backedUp();
  await client.delete(`${pathOfRecord(contact)}associations/svc_contact_to_lifecycle_stage/${stage.id}/`);
  await erase(client, stage.id, stage.object_type);
  expect((await restoreFrom(service.database, file)).erasedAgain).toBe(1);
  expect(await tablesWith(service.databaseUrl, ['Zqlimbo'])).toEqual({});
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  const [{ associations }] = (await fresh((caller) => caller.get(`${contacts}?include=svc_contact_to_lifecycle_stage`)))
    .body.data as [{ associations: Record<string, { items: unknown[] }> }];
  expect(associations['svc_contact_to_lifecycle_stage']?.items).toEqual([]);
});

test('nobody reads the person while the backup is restored', async () => {
  const person = await make(client, 'svc_contact', { svc_first_name: 'Zqpam' });
  const file = await backedUp();
  await erase(client, person.id);
  const other = await startService({ databaseUrl: service.databaseUrl });
  const statuses = new Set<number>();
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const path = `/rest/v1${pathOfRecord(person)}`;
      statuses.add((await other.client(client.key).raw('GET', path)).status);
    }
  })();
  try {
    await restoreFrom(service.database, file);
  } finally {
    isOver = true;
    await reading;
    await other.stop();
  }
  expect(statuses).toContain(404);
  statuses.delete(503);
  expect([...statuses]).toEqual([404]);
});

test('the command says how many were erased again, as text and as JSON', async () => {
  const person = await make(client, 'svc_contact', { svc_first_name: 'Zqolga' });
  const file = await backedUp();
  await erase(client, person.id);
  const restoring = ['db', 'restore', file, '--discard', '--database-url', service.databaseUrl];
  const { status, stdout, stderr } = await runOrrery(restoring);
  expect([status, withoutProgress(stderr)]).toEqual([0, '']);
  expect(stdout).toMatch(/\nErased since the backup was made, and erased again: 1 record\.\n$/);
  expect(await orreryJson(restoring)).toMatchObject({ erased_again: 1 });
  expect(await tablesWith(service.databaseUrl, ['Zqolga'])).toEqual({});
});
