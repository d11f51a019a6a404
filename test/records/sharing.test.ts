// Sharing within a batch: what an item does to the links of a record to its org and its users holds for the items after
// it, for what is stored, and for the requests that waited meanwhile.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
let service: TestService;
let orgId: number;
let users: readonly string[];
let own: Client;
let whole: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  users = [await service.createUser(orgId), await service.createUser(orgId)];
  own = service.client((await service.createKey(orgId, { userId: users[0] ?? '', reach: 'user' })).key);
  whole = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

function item(operation: string, id: string, more: object): object {
  return { operation, object_type: 'svc_contact', id, ...more };
}

function userLink(target_id: string | undefined): object {
  return { association_type: 'svc_record_to_user', target_id };
}

async function usersOf(id: string): Promise<readonly string[]> {
  const rows = await service.database.query<{ user_id: string }>(
    sql`select user_id from orrery.record_user where org_id = ${orgId} and record_id = ${id}`,
  );
  return rows.map((row) => row.user_id).sort();
}

async function createOwn(): Promise<string> {
  const { body } = await own.post(contacts, { properties: {} });
  return body.data.id;
}

async function statuses(client: Client, operations: readonly object[]): Promise<readonly number[]> {
  const { body } = await client.post('/batch/', { operations });
  return body.data.results.map((each: { status: number }) => each.status);
}

test('a user who is unlinked in the same batch that links another one stays unlinked', async () => {
  const id = await createOwn();
  expect(await usersOf(id)).toEqual([users[0]]);
  const operations = [item('dissociate', id, userLink(users[0])), item('associate', id, userLink(users[1]))];
  expect(await statuses(whole, operations)).toEqual([200, 200]);
  expect(await usersOf(id)).toEqual([users[1]]);
});

test('a caller who has given a record away cannot write to it in the items that follow', async () => {
  const id = await createOwn();
  const give = [
    item('dissociate', id, { association_type: 'svc_record_to_org', target_id: String(orgId) }),
    item('dissociate', id, userLink(users[0])),
  ];
  const after = [
    item('update', id, { properties: { svc_last_name: 'Taken' } }),
    item('delete', id, {}),
    item('associate', id, userLink(users[0])),
  ];
  expect(await statuses(own, [...give, ...after])).toEqual([200, 200, 404, 404, 404]);
  expect((await own.get(`${contacts}${id}/`)).status).toBe(404);
  const seen = await whole.get(`${contacts}${id}/`);
  expect(seen.body.data).toMatchObject({ version: '1', properties: {} });
  expect(seen.body.data.properties).not.toHaveProperty('svc_last_name');
});

test('a record that is private to a user is linked to by that user alone', async () => {
  const id = await createOwn();
  const hide = [item('dissociate', id, { association_type: 'svc_record_to_org', target_id: String(orgId) })];
  expect(await statuses(own, hide)).toEqual([200]);
  expect((await own.get(`${contacts}${id}/`)).status).toBe(200);
  const other = service.client((await service.createKey(orgId, { userId: users[1] ?? '', reach: 'user' })).key);
  expect((await other.get(`${contacts}${id}/`)).status).toBe(404);
  const link = { association_type: 'svc_deal_to_contact', target_id: id };
  const deal = { properties: {}, associations: [link] };
  expect((await own.post('/objects/svc_deal/records/', deal)).status).toBe(201);
  expect((await other.post('/objects/svc_deal/records/', deal)).body.reason).toBe('target_unknown');
});

test('no visibility link gives a record a new version', async () => {
  const id = await createOwn();
  const operations = [
    item('dissociate', id, userLink(users[0])),
    item('associate', id, userLink(users[0])),
    item('dissociate', id, { association_type: 'svc_record_to_org', target_id: String(orgId) }),
    item('associate', id, { association_type: 'svc_record_to_org', target_id: String(orgId) }),
  ];
  const { body } = await whole.post('/batch/', { operations });
  expect(body.data.results.map((each: { version: string }) => each.version)).toEqual(['1', '1', '1', '1']);
});
