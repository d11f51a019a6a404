// GET /objects/{object_type}/records/{id}/: works, refuses, permits (contract 2, 5, 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import { contacts, faultsOf, make, pathOfRecord, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
let ada: RecordData;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
  ada = await make(client, 'svc_contact', {
    svc_first_name: 'Ada',
    svc_last_name: 'Lovelace',
    svc_email: ['ada@example.com'],
  });
});
afterAll(() => service.stop());

test('a record is read as it was written, with its version as its tag', async () => {
  const answer = await client.get(pathOfRecord(ada));
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual(ada);
  expect(answer.headers.get('etag')).toBe('"1"');
  await client.patch(pathOfRecord(ada), { properties: { svc_job_title: 'Analyst' } });
  const next = await client.get(pathOfRecord(ada));
  expect(next.body.data.version).toBe('2');
  expect(next.headers.get('etag')).toBe('"2"');
  ada = next.body.data;
});

describe('properties=', () => {
  test('names the values that are answered, and no others', async () => {
    for (const [names, expected] of [
      ['svc_first_name', { svc_first_name: 'Ada' }],
      ['svc_email,svc_first_name', { svc_first_name: 'Ada', svc_email: ['ada@example.com'] }],
      ['svc_first_name,svc_first_name', { svc_first_name: 'Ada' }],
      ['svc_summary', {}],
      ['svc_summary,svc_created_at', { svc_created_at: ada.properties['svc_created_at'] }],
    ] as const) {
      const answer = await client.get(`${pathOfRecord(ada)}?properties=${names}`);
      expect(answer.status, names).toBe(200);
      expect(answer.body.data).toEqual({ ...ada, properties: expected });
      expect(answer.headers.get('etag')).toBe(`"${ada.version}"`);
    }
  });

  test('refuses every name that the type does not have, and suggests the nearest one', async () => {
    const answer = await client.get(`${pathOfRecord(ada)}?properties=svc_frist_name,svc_email,zzz,,constructor`);
    await expectProblem(answer, 'invalid_request', 'unknown_property');
    const fault = { parameter: 'properties', reason: 'unknown_property' };
    expect(faultsOf(answer)).toEqual([
      { ...fault, property: 'svc_frist_name', nearest: 'svc_first_name' },
      { ...fault, property: 'zzz' },
      { ...fault, property: '' },
      { ...fault, property: 'constructor' },
    ]);
    for (const names of ['', ',', ' svc_email', 'SVC_EMAIL', 'id', 'svc_email%00', '__proto__']) {
      const refused = await client.get(`${pathOfRecord(ada)}?properties=${names}`);
      await expectProblem(refused, 'invalid_request', 'unknown_property');
    }
  });
});

describe('a record that does not exist', () => {
  test('is the same 404 for every reason', async () => {
    const other = await service.newClient();
    const foreign = await make(other, 'svc_contact');
    const company = await make(client, 'svc_company');
    const deleted = await make(client, 'svc_contact');
    await client.delete(pathOfRecord(deleted));
    const absent = await client.get(`${contacts}${absentId}/`);
    await expectProblem(absent, 'not_found', 'record_unknown');
    for (const id of [foreign.id, company.id, deleted.id]) {
      const answer = await client.get(`${contacts}${id}/`);
      expect(unnamed(answer).replaceAll(id, absentId)).toBe(unnamed(absent));
      expect(comparableHeaders(answer)).toEqual(comparableHeaders(absent));
    }
  });

  test.each([
    'abc',
    '0',
    '1',
    '%00',
    '%F0%9F%98%80',
    'null',
    "'",
    'x'.repeat(2_000),
    `%7B${absentId}%7D`,
    absentId.replaceAll('-', ''),
  ])('an id of another form answers like an absent one: %s', async (id) => {
    await expectProblem(await client.get(`${contacts}${id}/`), 'not_found', 'record_unknown');
  });

  test('an id has one spelling', async () => {
    await expectProblem(await client.get(`${contacts}${ada.id.toUpperCase()}/`), 'not_found', 'record_unknown');
    await expectProblem(await client.get(`${contacts}${ada.id}%20/`), 'not_found', 'record_unknown');
  });

  test('an unknown type is reported before an unknown record', async () => {
    const answer = await client.get(`/objects/svc_contacts/records/${ada.id}/`);
    await expectProblem(answer, 'not_found', 'object_type_unknown');
    // A 404 suggests no name: that would show what exists.
    expect(answer.text).not.toContain('nearest');
  });
});

describe('reach', () => {
  test('a private record is visible only to its users, and to keys that reach the whole org', async () => {
    const orgId = await service.createOrg();
    const [first, second] = [await service.createUser(orgId), await service.createUser(orgId)];
    const keyOf = async (userId: string) =>
      service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    const [owner, stranger] = [await keyOf(first), await keyOf(second)];
    const whole = service.client((await service.createKey(orgId)).key);
    const record = await make(owner, 'svc_contact', { svc_email: ['private@example.com'] });
    for (const each of [owner, stranger, whole]) expect(await read(each, record)).toEqual(record);

    const link = { object_type: 'svc_contact', id: record.id, association_type: 'svc_record_to_org' };
    const hide = { operation: 'dissociate', ...link, target_id: String(orgId) };
    const hidden = await owner.post('/batch/', { operations: [hide] });
    // A visibility link changes nothing about the record itself.
    expect(hidden.body.data.results).toEqual([{ index: 0, status: 200, id: record.id, version: '1' }]);
    for (const each of [owner, whole]) expect(await read(each, record)).toEqual(record);

    const path = pathOfRecord(record);
    const absent = await stranger.get(`${contacts}${absentId}/`);
    const answer = await stranger.get(path);
    expect(answer.status).toBe(404);
    expect(unnamed(answer).replaceAll(record.id, absentId)).toBe(unnamed(absent));
    expect((await stranger.get(contacts)).body.data).toEqual([]);
    for (const refused of [
      await stranger.patch(path, { properties: { svc_first_name: 'X' } }),
      await stranger.delete(path),
    ]) {
      await expectProblem(refused, 'not_found', 'record_unknown');
    }
    // A conflict with a hidden record does not name it.
    for (const refused of [
      await stranger.post(contacts, { properties: { svc_email: ['PRIVATE@example.com'] } }),
      await stranger.put(`${contacts}?match=svc_email`, { properties: { svc_email: ['private@example.com'] } }),
    ]) {
      await expectProblem(refused, 'conflict', 'unique_value_taken');
      expect(refused.body.conflict).toEqual({ object_type: 'svc_contact', property: 'svc_email' });
      expect(refused.text).not.toContain(record.id);
    }

    const share = { ...link, association_type: 'svc_record_to_user', target_id: second };
    const shared = await owner.post('/batch/', { operations: [{ operation: 'associate', ...share }] });
    expect(shared.body.data.results).toEqual([{ index: 0, status: 200, id: record.id, version: '1' }]);
    expect(await read(stranger, record)).toEqual(record);
    expect((await stranger.get(contacts)).body.data).toEqual([record]);
  });

  test('a record created by a key without a user is visible to every user of the org', async () => {
    const orgId = await service.createOrg();
    const userId = await service.createUser(orgId);
    const record = await make(service.client((await service.createKey(orgId)).key), 'svc_contact');
    const user = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    expect(await read(user, record)).toEqual(record);
  });
});

test('read is enough to read, and any other operation implies it', async () => {
  const orgId = await service.createOrg();
  const record = await make(service.client((await service.createKey(orgId)).key), 'svc_contact');
  for (const operation of ['read', 'create', 'update', 'delete', 'associate'] as const) {
    const grants = [{ objectTypes: ['svc_contact'], operations: [operation] }];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    expect(await read(own, record), operation).toEqual(record);
  }
  const grants = [{ objectTypes: ['svc_company'], operations: ['read'] as const }];
  const blind = service.client((await service.createKey(orgId, { grants })).key);
  await expectProblem(await blind.get(pathOfRecord(record)), 'not_found', 'object_type_unknown');
});
