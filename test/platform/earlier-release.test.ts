// An org of the release in which users and keys were tables of their own (platform 1): after the update everything works as
// before, with the same ids. The backup was made by that release; see test/support/platform/earlier-release.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { restoreFrom } from '../support/backup/backups.ts';
import { item, runBatch } from '../support/batch.ts';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { findingsIn } from '../support/integrity.ts';
import { associated } from '../support/links.ts';
import { adminOf } from '../support/platform/administrator.ts';
import { definitionNamed, propertyNamed } from '../support/platform/definitions.ts';
import { earlier } from '../support/platform/earlier-release.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let own: TestDatabase;
let service: TestService;
let admin: Client;
beforeAll(async () => {
  own = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: own.url });
  try {
    await restoreFrom(database, earlier.file);
  } finally {
    await database.close();
  }
  service = await startService({ databaseUrl: own.url });
  admin = await adminOf(service, earlier.orgId);
});
afterAll(async () => {
  await service.stop();
  await own.drop();
});

test('keys work as they did, with their grants, their reach and their ends', async () => {
  const self = async (key: string) => (await service.client(key).get('/self/')).body.data;
  expect(await self(earlier.keys.full.key)).toMatchObject({
    org_id: earlier.orgId,
    reach: 'org',
    principal_id: earlier.keys.full.id,
    credential: { id: earlier.keys.full.id, name: 'full' },
    grants: [{ object_types: ['*'], operations: ['read', 'create', 'update', 'delete', 'associate'] }],
  });
  expect(await self(earlier.keys.ofUser.key)).toMatchObject({
    reach: 'user',
    principal_id: earlier.users.ada,
    credential: { id: earlier.keys.ofUser.id, name: 'of Ada', expires_at: expect.stringMatching(/^20/) },
    grants: [
      { object_types: ['svc_contact', 'svc_deal'], operations: ['read', 'create'] },
      { object_types: ['plant'], operations: ['read'] },
    ],
  });
  await expectProblem(await service.client(earlier.keys.revoked.key).get('/self/'), 'unauthenticated', 'key_revoked');
  await expectProblem(await service.client(earlier.keys.rotated.old).get('/self/'), 'unauthenticated', 'key_expired');
  expect((await self(earlier.keys.rotated.key)).credential.id).toBe(earlier.keys.rotated.id);
});

test('users are members with the same ids, and links name them as before', async () => {
  const members = (await admin.get(recordsPath('svc_member'))).body.data as readonly RecordData[];
  expect(
    members.map(({ id, properties: { svc_name, svc_email, svc_active } }) => [id, svc_name, svc_email, svc_active]),
  ).toEqual([
    [earlier.users.ada, 'Ada', 'ada@example.com', true],
    [earlier.users.twin, 'Ada again', undefined, true],
    [earlier.users.bob, 'Bob', undefined, true],
  ]);
  const contact = { object_type: 'svc_contact', id: earlier.records.contact };
  expect(await associated(service.client(earlier.keys.full.key), contact, 'svc_record_to_user')).toMatchObject([
    { id: earlier.users.ada, title: 'Ada' },
  ]);
  const { stdout } = await runOrrery(['doctor', '--database-url', own.url]);
  expect(stdout).toContain(`${earlier.users.twin} of org ${earlier.orgId} (ADA@example.com)`);
});

test('keys are records, with the members for whom they act, and those that were revoked are in the trash', async () => {
  const keys = (await admin.get(recordsPath('svc_access_key'))).body.data as readonly RecordData[];
  const byId = new Map(keys.map((key) => [key.properties['svc_key_id'], key]));
  const ofUser = byId.get(earlier.keys.ofUser.id);
  expect(ofUser?.properties).toMatchObject({
    svc_name: 'of Ada',
    svc_reach: 'user',
    svc_grants: ['svc_contact,svc_deal:read,create', 'plant:read'],
    svc_made_by: 'svc_system',
  });
  expect(await associated(admin, ofUser as RecordData, 'svc_access_key_to_member')).toMatchObject([
    { id: earlier.users.ada },
  ]);
  expect(byId.has(earlier.keys.revoked.id)).toBe(false);
  const { stdout } = await runOrrery([
    'key',
    'list',
    '--org',
    String(earlier.orgId),
    '--json',
    '--database-url',
    own.url,
  ]);
  const listed = JSON.parse(stdout) as readonly { key_id: string; revoked_at?: string }[];
  expect(listed.find(({ key_id }) => key_id === earlier.keys.revoked.id)?.revoked_at).toMatch(/^20/);
});

test('the org has the roles that a new one has, and its schema', async () => {
  const roles = (await admin.get(recordsPath('svc_role'))).body.data as readonly RecordData[];
  expect(roles.map(({ properties }) => properties['svc_name'])).toEqual(['Administrator', 'Member', 'Viewer']);
  const client = service.client(earlier.keys.full.key);
  const plant = await read(client, { object_type: 'plant', id: earlier.records.plant });
  expect(plant.properties).toMatchObject({ name: 'Fern', height: '40' });
  await make(client, 'plant', { name: 'Moss' });
});

test('the schema of the org is records, with which it changes', async () => {
  const plant = await definitionNamed(admin, 'svc_object_type', 'plant');
  expect(plant.properties).toMatchObject({ svc_label: 'Plant', svc_category: 'custom' });
  const height = await propertyNamed(admin, 'plant', 'height');
  expect(height.properties).toMatchObject({ svc_field_type: 'number', svc_custom: true });
  const fern = { object_type: 'plant', id: earlier.records.plant };
  await admin.delete(pathOfRecord(height));
  expect((await read(admin, fern)).properties).not.toHaveProperty('height');
  await runBatch(admin, [item('restore', 'svc_property', { id: height.id })]);
  expect((await read(admin, fern)).properties).toMatchObject({ name: 'Fern', height: '40' });
});

test('everything about every record is consistent', async () => {
  expect(await findingsIn(service.database, earlier.orgId)).toEqual([]);
});
