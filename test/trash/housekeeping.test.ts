// The trash and stored answers are purged after their retention, in bounded steps, by one process at a time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/process/housekeeping.ts';
import { lockHousekeeping } from '../../src/store/records/purge.ts';
import type { Client } from '../support/client.ts';
import { startService, type TestService } from '../support/service.ts';

const day = 86_400;
let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

async function count(table: 'trash' | 'association' | 'idempotency' | 'record_user' | 'record'): Promise<number> {
  const statements = {
    trash: sql`select count(*)::int as n from orrery.trash`,
    association: sql`select count(*)::int as n from orrery.association`,
    idempotency: sql`select count(*)::int as n from orrery.idempotency`,
    record_user: sql`select count(*)::int as n from orrery.record_user`,
    record: sql`select count(*)::int as n from orrery.record`,
  };
  const [row] = await service.database.query<{ n: number }>(statements[table]);
  return row?.n ?? -1;
}

async function age(days: number): Promise<void> {
  await service.database.query(sql`update orrery.trash set deleted_at = now() - make_interval(days => ${days})`);
}

test('a deleted record is kept until its retention ends, then it is purged with its links and nothing else', async () => {
  // The records that every org begins with stay.
  const [links, records] = [await count('association'), await count('record')];
  const company = await client.post('/objects/svc_company/records/', { properties: { svc_name: 'Acme' } });
  const associations = [{ association_type: 'svc_contact_to_company', target_id: company.body.data.id }];
  const gone = await client.post('/objects/svc_contact/records/', { properties: {}, associations });
  await client.post('/objects/svc_contact/records/', { properties: {}, associations });
  await client.delete(`/objects/svc_contact/records/${gone.body.data.id}/`);
  await age(29);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect([await count('trash'), await count('association'), await count('record')]).toEqual([
    1,
    links + 2,
    records + 2,
  ]);
  await age(31);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect([await count('trash'), await count('association'), await count('record')]).toEqual([
    0,
    links + 1,
    records + 2,
  ]);
  const restore = { operations: [{ operation: 'restore', object_type: 'svc_contact', id: gone.body.data.id }] };
  const answer = await client.post('/batch/', restore);
  expect(answer.body.data.results[0].problem.reason).toBe('record_unknown');
});

test('links of other records to a purged record are removed, and its links to users', async () => {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId, { userId: await service.createUser(orgId) });
  const own = service.client(key);
  const company = await own.post('/objects/svc_company/records/', { properties: {} });
  const link = { association_type: 'svc_contact_to_company', target_id: company.body.data.id };
  await own.post('/objects/svc_contact/records/', { properties: {}, associations: [link] });
  const before = [await count('association'), await count('record_user')];
  await own.delete(`/objects/svc_company/records/${company.body.data.id}/`);
  expect([await count('association'), await count('record_user')]).toEqual(before);
  await age(40);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect([await count('association'), await count('record_user')]).toEqual(before.map((each) => each - 1));
});

test('more records than one statement takes are all purged', async () => {
  const operations = (names: readonly object[]) => ({ operations: names });
  const many = Array.from({ length: 1_000 }, () => ({
    operation: 'create',
    object_type: 'svc_note',
    properties: { svc_title: 'old' },
  }));
  const made = await client.post('/batch/', operations(many));
  const ids: readonly string[] = made.body.data.results.map((each: { id: string }) => each.id);
  await client.post('/batch/', operations(ids.map((id) => ({ operation: 'delete', object_type: 'svc_note', id }))));
  expect(await count('trash')).toBe(1_000);
  await age(31);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect(await count('trash')).toBe(0);
});

test('while one process purges, another does not', async () => {
  const note = await client.post('/objects/svc_note/records/', { properties: { svc_title: 'old' } });
  await client.delete(`/objects/svc_note/records/${note.body.data.id}/`);
  await age(31);
  await service.database.transaction(async (transaction) => {
    expect(await lockHousekeeping(transaction)).toBe(true);
    await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
    expect(await count('trash')).toBe(1);
  });
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect(await count('trash')).toBe(0);
});

test('kept answers are removed after a day', async () => {
  const headers = { 'idempotency-key': 'a' };
  await client.post('/objects/svc_note/records/', { properties: {} }, headers);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect(await count('idempotency')).toBe(1);
  await service.database.query(sql`update orrery.idempotency set created_at = now() - interval '25 hours'`);
  await keepHouse(service.database, { trashSeconds: 30 * day, changesSeconds: 30 * 86_400 });
  expect(await count('idempotency')).toBe(0);
});
