// DELETE /objects/{object_type}/records/{id}/, and the way back by the batch operation `restore`: works, refuses,
// permits (contract 2, 5, 6, 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import {
  clientWithSchema,
  companies,
  contacts,
  listedIds,
  make,
  pathOfRecord,
  type RecordData,
  read,
  recordsPath,
  sentValues,
  targetsOf,
} from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

function restore(record: RecordData, caller = client, headers = {}): Promise<Answer> {
  const { id, object_type } = record;
  return caller.post('/batch/', { operations: [{ operation: 'restore', object_type, id }] }, headers);
}

describe('a record that is deleted', () => {
  test('is answered with id and type, and leaves every read at once', async () => {
    const record = await make(client, 'svc_contact', { svc_email: ['gone@delete.example'] });
    const path = pathOfRecord(record);
    const answer = await client.delete(path);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ id: record.id, object_type: 'svc_contact', deleted: true });
    expect('dry_run' in answer.body).toBe(false);
    expect(await listedIds(client, 'svc_contact')).not.toContain(record.id);
    for (const next of [
      await client.get(path),
      await client.patch(path, { properties: { svc_first_name: 'X' } }),
      await client.delete(path),
    ]) {
      await expectProblem(next, 'not_found', 'record_unknown');
    }
  });

  test('frees its unique values: for a create, an update and an upsert', async () => {
    for (const take of [
      () => client.post(contacts, { properties: { svc_email: ['free@delete.example'] } }),
      () => client.put(`${contacts}?match=svc_email`, { properties: { svc_email: ['FREE@delete.example'] } }),
    ]) {
      const record = await make(client, 'svc_contact', { svc_email: ['free@delete.example'] });
      await client.delete(pathOfRecord(record));
      const answer = await take();
      expect(answer.status).toBe(201);
      expect(answer.body.data.id).not.toBe(record.id);
      await client.delete(pathOfRecord(answer.body.data));
    }
    const heir = await make(client, 'svc_contact');
    const patched = await client.patch(pathOfRecord(heir), { properties: { svc_email: ['free@delete.example'] } });
    expect(patched.status).toBe(200);
  });

  test('comes back by restore as it was, at a later version and date', async () => {
    const record = await make(client, 'svc_contact', { svc_email: ['back@delete.example'], svc_first_name: 'Ada' });
    await sleep(5);
    await client.delete(pathOfRecord(record));
    const answer = await restore(record);
    expect(answer.status).toBe(200);
    // Deleting was the second write of the record, and this is the third.
    expect(answer.body.data.results).toEqual([{ index: 0, status: 200, id: record.id, version: '3' }]);
    const restored = await read(client, record);
    expect(restored.version).toBe('3');
    expect(sentValues(restored)).toEqual(sentValues(record));
    const { svc_created_at, svc_updated_at } = restored.properties as Record<string, string>;
    expect(svc_created_at).toBe(record.properties['svc_created_at']);
    expect(Date.parse(svc_updated_at ?? '')).toBeGreaterThan(Date.parse(svc_created_at ?? ''));
    expect(await listedIds(client, 'svc_contact')).toContain(record.id);
    const taken = await client.post(contacts, { properties: { svc_email: ['back@delete.example'] } });
    await expectProblem(taken, 'conflict', 'unique_value_taken');
  });

  test('takes its links along and brings them back, from both ends, without a version for the other end', async () => {
    const company = await make(client, 'svc_company');
    const [one, two] = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
    const deal = await make(client, 'svc_deal', {}, [
      { association_type: 'svc_deal_to_contact', target_id: one.id },
      { association_type: 'svc_deal_to_contact', target_id: two.id },
      { association_type: 'svc_deal_to_company', target_id: company.id },
    ]);
    await client.delete(pathOfRecord(one));
    await client.delete(pathOfRecord(company));
    expect(await targetsOf(service, deal.id)).toEqual([two.id]);
    expect(await read(client, deal)).toEqual(deal);
    await client.delete(pathOfRecord(deal));
    expect(await targetsOf(service, deal.id)).toEqual([]);
    for (const each of [deal, one, company]) expect((await restore(each)).status).toBe(200);
    expect(await targetsOf(service, deal.id)).toEqual([company.id, one.id, two.id]);
    expect(await read(client, two)).toEqual(two);
  });
});

describe('a restore', () => {
  test('that collides is 409 with the holder, and the record stays in the trash until the value is free', async () => {
    const properties = [{ name: 'code', label: 'Code', field_type: 'number', unique: true }];
    const own = await clientWithSchema(service, { properties: { svc_company: properties } });
    const record = await make(own, 'svc_company', { svc_domain: 'restore.example', code: '12.5' });
    await own.delete(pathOfRecord(record));
    const holder = await make(own, 'svc_company', { code: '12.50' });
    const answer = await restore(record, own);
    expect(answer.status).toBe(207);
    const [result] = answer.body.data.results;
    expect(result).toMatchObject({ index: 0, status: 409 });
    expect(result.problem).toMatchObject({
      code: 'conflict',
      reason: 'unique_value_taken',
      conflict: { object_type: 'svc_company', property: 'code', existing_id: holder.id },
    });
    expect((await own.get(pathOfRecord(record))).status).toBe(404);
    // Nothing of it is claimed by the attempt.
    const between = await make(own, 'svc_company', { svc_domain: 'restore.example' });
    await own.delete(pathOfRecord(between));
    await own.patch(pathOfRecord(holder), { properties: { code: null } });
    expect((await restore(record, own)).status).toBe(200);
    expect(sentValues(await read(own, record))).toEqual({ svc_domain: 'restore.example', code: '12.5' });
  });

  test('does not find a record that never existed, or is of another type, org or reach', async () => {
    const record = await make(client, 'svc_contact');
    await client.delete(pathOfRecord(record));
    const items = [
      { object_type: 'svc_company', id: record.id },
      { object_type: 'svc_contact', id: absentId },
      { object_type: 'svc_contact', id: 'abc' },
    ].map((each) => ({ operation: 'restore', ...each }));
    const { body } = await client.post('/batch/', { operations: items });
    expect(body.data.results.map((each: { problem: { reason: string } }) => each.problem.reason)).toEqual(
      Array(3).fill('record_unknown'),
    );
    const other = await service.newClient();
    const foreign = await restore(record, other);
    expect(foreign.body.data.results[0].problem.reason).toBe('record_unknown');
    expect((await client.get(pathOfRecord(record))).status).toBe(404);
  });

  test('of a private record is for its users alone', async () => {
    const orgId = await service.createOrg();
    const users = [await service.createUser(orgId), await service.createUser(orgId)];
    const [owner, stranger] = (await Promise.all(
      users.map(async (userId) => service.client((await service.createKey(orgId, { userId, reach: 'user' })).key)),
    )) as [Client, Client];
    const record = await make(owner, 'svc_contact');
    const link = { association_type: 'svc_record_to_org', target_id: String(orgId) };
    const hide = { operation: 'dissociate', object_type: 'svc_contact', id: record.id, ...link };
    expect((await owner.post('/batch/', { operations: [hide] })).status).toBe(200);
    await owner.delete(pathOfRecord(record));
    expect((await restore(record, stranger)).body.data.results[0].problem.reason).toBe('record_unknown');
    expect((await restore(record, owner)).status).toBe(200);
    expect((await owner.get(pathOfRecord(record))).status).toBe(200);
    expect((await stranger.get(pathOfRecord(record))).status).toBe(404);
  });
});

describe('a refusal', () => {
  test('comes for a record that does not exist, and for parameters', async () => {
    const company = await make(client, 'svc_company');
    for (const id of [absentId, company.id, 'abc', '%00']) {
      await expectProblem(await client.delete(`${contacts}${id}/`), 'not_found', 'record_unknown');
    }
    const forced = await client.delete(`${companies}${company.id}/?force=true`);
    await expectProblem(forced, 'invalid_request', 'unknown_parameter');
    expect(await read(client, company)).toEqual(company);
  });

  test('comes for another version than If-Match names', async () => {
    const record = await make(client, 'svc_contact');
    const path = pathOfRecord(record);
    await client.patch(path, { properties: { svc_first_name: 'Ada' } });
    for (const header of ['"1"', 'W/"2"', '"1", "3"']) {
      const stale = await client.delete(path, { 'if-match': header });
      await expectProblem(stale, 'precondition_failed', 'version_mismatch');
    }
    await expectProblem(await client.delete(path, { 'if-match': '2' }), 'invalid_request', 'invalid_header');
    await expectProblem(await client.delete(path, { 'if-none-match': '*' }), 'invalid_request', 'invalid_header');
    expect((await client.get(path)).status).toBe(200);
    expect((await client.delete(path, { 'if-match': '"1", "2"' })).status).toBe(200);
    const other = await make(client, 'svc_contact');
    expect((await client.delete(pathOfRecord(other), { 'if-match': '*' })).status).toBe(200);
  });
});

test('a dry run answers as the delete would, and deletes nothing', async () => {
  const dry = { 'svc-dry-run': 'true' };
  const record = await make(client, 'svc_contact', { svc_email: ['dry@delete.example'] });
  const answer = await client.delete(pathOfRecord(record), dry);
  expect(answer.status).toBe(200);
  expect(answer.body.dry_run).toBe(true);
  expect(answer.body.data).toEqual({ id: record.id, object_type: 'svc_contact', deleted: true });
  expect(await read(client, record)).toEqual(record);
  const taken = await client.post(contacts, { properties: { svc_email: ['dry@delete.example'] } });
  await expectProblem(taken, 'conflict', 'unique_value_taken');
  await expectProblem(await client.delete(`${contacts}${absentId}/`, dry), 'not_found', 'record_unknown');
  await client.delete(pathOfRecord(record));
  const restored = await restore(record, client, dry);
  expect(restored.status).toBe(200);
  expect(restored.body).toMatchObject({ dry_run: true, data: { succeeded: 1 } });
  expect((await client.get(pathOfRecord(record))).status).toBe(404);
});

test('both ways need delete on the type, and nothing else', async () => {
  const orgId = await service.createOrg();
  const full = service.client((await service.createKey(orgId)).key);
  for (const operation of ['read', 'create', 'update', 'associate', 'delete'] as const) {
    const record = await make(full, 'svc_contact');
    const grants = [{ objectTypes: ['svc_contact'], operations: [operation] }];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    const answer = await own.delete(pathOfRecord(record));
    if (operation === 'delete') expect(answer.status).toBe(200);
    else await expectProblem(answer, 'forbidden', 'operation_not_granted');
    await full.delete(pathOfRecord(record));
    const [result] = (await restore(record, own)).body.data.results;
    expect(result.status, operation).toBe(operation === 'delete' ? 200 : 403);
  }
});

test.each([
  ['svc_meeting', 'type_is_synced'],
  ['svc_file', 'type_is_synced'],
  ['svc_risk', 'type_is_generated'],
  ['svc_stage_timer', 'type_is_read_only'],
])('no key deletes or restores a %s', async (type, reason) => {
  const refused = await client.delete(`${recordsPath(type)}${absentId}/`);
  await expectProblem(refused, 'forbidden', reason);
  const item = { operation: 'restore', object_type: type, id: absentId };
  const { body } = await client.post('/batch/', { operations: [item] });
  expect(body.data.results[0].problem).toMatchObject({ code: 'forbidden', reason });
});
