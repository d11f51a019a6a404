// The trash and stored answers are purged after their retention, in bounded steps, by one process at a time.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { findStorage } from '../../src/store/org/storage.ts';
import { lockHousekeeping } from '../../src/store/records/purge.ts';
import type { Client } from '../support/client.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
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
  // The records that every org begins with stay. The audit and the job of the purge come beside them.
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
    records + 4,
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

test('a step purges a bounded number of bytes, and at least one record', async () => {
  const reset = lowerBounds({ store: { purgedBytesAtOnce: 50_000 } });
  onTestFinished(reset);
  for (const characters of [20_000, 20_000, 20_000, 20_000, 60_000, 60_000]) {
    const properties = { svc_body: 'x'.repeat(characters) };
    const note = await client.post('/objects/svc_note/records/', { properties }, { 'idempotency-key': newId() });
    await client.delete(`/objects/svc_note/records/${note.body.data.id}/`);
  }
  await age(31);
  await service.database.query(sql`update orrery.idempotency set created_at = now() - interval '25 hours'`);
  const removed: number[] = [];
  const spying = <T extends Transaction>(inner: T): T => ({
    ...inner,
    query: async <Row extends object>(statement: Sql) => {
      const before = statement.text.includes('delete from orrery.trash') ? await inTrash(inner) : undefined;
      const rows = await inner.query<Row>(statement);
      if (before !== undefined) removed.push(before - (await inTrash(inner)));
      return rows;
    },
  });
  const { database } = service;
  const spied: Database = { ...database, transaction: (run) => database.transaction((each) => run(spying(each))) };
  await keepHouse(spied, { trashSeconds: 30 * day, changesSeconds: 0 });
  expect(removed).toEqual([3, 2, 1]);
  expect([await count('trash'), await count('idempotency')]).toEqual([0, 0]);
  // The purge itself is in the audit, and a job.
  const [left] = await database.query<{ n: number }>(
    sql`select count(*)::int as n from orrery.change where type_id < 30`,
  );
  expect(left?.n).toBe(0);
});

async function inTrash(transaction: Transaction): Promise<number> {
  const [row] = await transaction.query<{ n: number }>(sql`select count(*)::int as n from orrery.trash`);
  return row?.n ?? -1;
}

test('an org whose data cannot be purged or counted does not keep the others from it', async () => {
  const failing = await service.createOrg();
  const orgId = await service.createOrg();
  const own = service.client((await service.createKey(orgId)).key);
  const note = await own.post('/objects/svc_note/records/', { properties: {} });
  await own.delete(`/objects/svc_note/records/${note.body.data.id}/`);
  await age(31);
  await service.database.query(sql`update orrery.storage set counted_at = null`);
  const refusing = <T extends Transaction>(inner: T): T => ({
    ...inner,
    query: <Row extends object>(statement: Sql) =>
      /order by t.deleted_at|from orrery.storage as s where/.test(statement.text) && statement.values.includes(failing)
        ? Promise.reject(new Error('broken'))
        : inner.query<Row>(statement),
  });
  const { database } = service;
  const broken: Database = {
    ...refusing(database),
    transaction: (run) => database.transaction((each) => run(refusing(each))),
    connect: async () => refusing(await database.connect()),
  };
  const faults: string[] = [];
  await keepHouse(
    broken,
    { trashSeconds: 30 * day, changesSeconds: 30 * day },
    { isClosed: () => false, onFault: (error) => faults.push(String(error)) },
  );
  expect(faults).toEqual(['Error: broken', 'Error: broken']);
  expect(await count('trash')).toBe(0);
  expect([await isCounted(failing), await isCounted(orgId)]).toEqual([false, true]);
});

async function isCounted(orgId: number): Promise<boolean | undefined> {
  return (await findStorage(service.database, orgId))?.isCounted;
}
