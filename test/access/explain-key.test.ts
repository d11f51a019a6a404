// `orrery key explain`: what a key sees and may do, as a request with it would find it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { administeredOrg, makeKey, makeMember } from '../support/platform/administrator.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

test('it names types, operations, what is hidden and locked, and counts the records in reach', async () => {
  for (let count = 0; count < 3; count++) await make(admin, 'svc_contact', {});
  await make(admin, 'svc_company', {});
  const key = await makeKey(admin, {
    grants: ['svc_contact,svc_company:read,update;hide=svc_phone_number,svc_annual_revenue;lock=svc_email'],
  });
  const keyId = String(key.properties['svc_key_id']);
  const { value, text } = await runCommand(service.databaseUrl, 'key explain', keyId, {});
  // Totals of deals are computed from a type that the key does not see.
  const computed = ['svc_last_activity_at', 'svc_potential_deal_total', 'svc_weighted_deal_total'];
  expect(value).toMatchObject({ key_id: keyId, org_id: orgId, reach: 'org', name: 'made by a test' });
  expect((value as { object_types: unknown }).object_types).toEqual([
    {
      object_type: 'svc_contact',
      operations: ['read', 'update'],
      hidden_properties: expect.arrayContaining(['svc_phone_number', ...computed]),
      locked_properties: ['svc_email'],
      records: 3,
    },
    {
      object_type: 'svc_company',
      operations: ['read', 'update'],
      hidden_properties: expect.arrayContaining(['svc_annual_revenue']),
      locked_properties: [],
      records: 1,
    },
  ]);
  expect(text).toMatch(/svc_company +read,update +\S*svc_annual_revenue\S* +- +1/);
});

test('a key of one user counts what that user sees, and a revoked one says so', async () => {
  const member = await makeMember(admin);
  const key = await makeKey(admin, { grants: ['svc_note:read'], reach: 'user', member: member.id });
  const own = await make(admin, 'svc_note', { svc_title: 'Private' });
  await make(admin, 'svc_note', { svc_title: 'For all' });
  await admin.delete(`${pathOfRecord(own)}associations/svc_record_to_org/${orgId}/`);
  const keyId = String(key.properties['svc_key_id']);
  const explained = async () => (await runCommand(service.databaseUrl, 'key explain', keyId, {})).value;
  expect(await explained()).toMatchObject({ reach: 'user', user_id: member.id, object_types: [{ records: 1 }] });
  await admin.delete(pathOfRecord(key));
  expect(await explained()).toHaveProperty('revoked_at');
});

test('a key that does not exist is told so', async () => {
  const { failure } = await runCommand(service.databaseUrl, 'key explain', '00000001ZZZZ', {});
  expect(failure).toMatchObject({ kind: 'not_found', message: 'There is no key with the id 00000001ZZZZ.' });
});
