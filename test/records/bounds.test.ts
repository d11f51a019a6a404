// Bounds that keep one request from taking more than its share: sizes of records and pages, the statements of a batch,
// and how long a schema that has just changed is unknown to a process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
let service: TestService;
let client: Client;
let orgId: number;
let statements = 0;
beforeAll(async () => {
  service = await startService({ adapt: counting });
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** Counts the statements of transactions. */
function counting(database: Database): Database {
  return {
    ...database,
    transaction: (run) =>
      database.transaction((transaction) =>
        run({
          ...transaction,
          query: (statement) => {
            statements++;
            return transaction.query(statement);
          },
        }),
      ),
  };
}

/** A text of a megabyte or less, in values of a type that takes many of them. */
async function createLongType(): Promise<string> {
  const properties = Array.from({ length: 17 }, (_, index) => ({
    name: `text_${index}`,
    label: 'Text',
    field_type: 'long_text',
  }));
  await service.applySchema(orgId, { object_types: [{ name: 'volume', label: 'Volume', properties }] });
  return '/objects/volume/records/';
}

test('a page ends when it is full of bytes, and the next one continues there', async () => {
  const volumes = await createLongType();
  const text = 'x'.repeat(65_000);
  const values = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`text_${index}`, text]));
  const made: string[] = [];
  for (let count = 0; count < 40; count++) {
    await expect.poll(async () => (await client.get(volumes)).status).toBe(200);
    const { body } = await client.post(volumes, { properties: values });
    made.push(body.data.id);
  }
  const seen: string[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const { body, text: sent } = await client.get(`${volumes}?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(sent.length).toBeLessThan(20_000_000);
    seen.push(...body.data.map((each: { id: string }) => each.id));
    cursor = body.pagination?.next_cursor ?? null;
    pages++;
  }
  expect(seen).toEqual(made);
  expect(pages).toBe(3);
  // A value more than the record may hold is refused, and the record stays as it is.
  const path = `${volumes}${made[0]}/`;
  const grown = await client.patch(path, { properties: { text_15: text, text_16: text } });
  await expectProblem(grown, 'validation_failed', 'too_long');
  expect((await client.get(path)).body.data.version).toBe('1');
});

test('a merge that would make a record too large is refused and leaves no trace', async () => {
  const text = 'y'.repeat(65_000);
  const some = (from: number) =>
    Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`text_${from + index}`, text]));
  const kept = (await client.post('/objects/volume/records/', { properties: some(0) })).body.data;
  const duplicate = (await client.post('/objects/volume/records/', { properties: some(8) })).body.data;
  const merge = { operation: 'merge', object_type: 'volume', id: kept.id, duplicate_id: duplicate.id };
  const note = { operation: 'create', object_type: 'svc_note', properties: {} };
  const { body } = await client.post('/batch/', { operations: [merge, note] });
  expect(body.data.results.map((each: { status: number }) => each.status)).toEqual([422, 201]);
  for (const each of [kept, duplicate]) {
    expect((await client.get(`/objects/volume/records/${each.id}/`)).body.data).toEqual(each);
  }
});

test('1,000 creates go to the database in a few statements', async () => {
  const operations = Array.from({ length: 1_000 }, (_, index) => ({
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_last_name: `N${index}`, svc_email: [`n${index}@thousand.example`] },
  }));
  statements = 0;
  expect((await client.post('/batch/', { operations })).body.data.succeeded).toBe(1_000);
  expect(statements).toBeLessThanOrEqual(2);
});

test('an update touches only the rows that it changes', async () => {
  const { body } = await client.post('/objects/svc_deal/records/', {
    properties: { svc_name: 'Pilot', svc_amount: { amount: '5', unit: 'EUR' }, svc_close_date: '2026-03-31' },
  });
  const { id } = body.data;
  /** Which transaction wrote each row that makes the record findable. */
  const writers = async () => {
    const rows = await service.database.query<{ place: string; writer: string }>(sql`
      select 'text ' || property_id as place, xmin::text as writer from orrery.index_text
        where org_id = ${orgId} and record_id = ${id}
      union all select 'time ' || property_id, xmin::text from orrery.index_time
        where org_id = ${orgId} and record_id = ${id}
      union all select 'search', xmin::text from orrery.search where org_id = ${orgId} and record_id = ${id}`);
    return new Map(rows.map((row) => [row.place, row.writer]));
  };
  const changedBy = async (properties: object) => {
    const before = await writers();
    expect((await client.patch(`/objects/svc_deal/records/${id}/`, { properties })).status).toBe(200);
    return [...(await writers())]
      .filter(([place, writer]) => before.get(place) !== writer)
      .map(([place]) => place)
      .sort();
  };
  expect((await writers()).size).toBe(5);
  expect(await changedBy({ svc_close_date: '2026-04-30' })).toEqual(['time 5']);
  expect(await changedBy({ svc_amount: { amount: '5.00', unit: 'EUR' } })).toEqual([]);
  expect(await changedBy({ svc_amount: { amount: '6', unit: 'EUR' } })).toEqual(['text 4']);
  expect(await changedBy({ svc_name: 'Rollout' })).toEqual(['search', 'text 3']);
});

test('a batch reads the ends of its links together, of every type', async () => {
  const userId = await service.createUser(orgId);
  const company = await client.post('/objects/svc_company/records/', { properties: {} });
  const absent = '01890a5d-ac96-774b-bcce-b302099a8057';
  const links = [
    { association_type: 'svc_record_to_user', target_id: userId },
    { association_type: 'svc_contact_to_company', target_id: company.body.data.id },
  ];
  const bad = Array.from({ length: 50 }, () => ({ association_type: 'svc_contact_to_company', target_id: absent }));
  const operations = [
    ...Array.from({ length: 100 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_email: [`${index}@many.example`] },
      associations: links,
    })),
    ...Array.from({ length: 20 }, () => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: {},
      associations: bad,
    })),
  ];
  statements = 0;
  const answer = await client.post('/batch/', { operations });
  expect(answer.body.data).toMatchObject({ succeeded: 100, failed: 20 });
  expect(statements).toBeLessThan(10);
});

test('a single write reads the ends of its links in one statement', async () => {
  const made = await client.post('/batch/', {
    operations: Array.from({ length: 40 }, () => ({ operation: 'create', object_type: 'svc_company', properties: {} })),
  });
  const associations = made.body.data.results.map(({ id }: { id: string }) => ({
    association_type: 'svc_contact_to_company',
    target_id: id,
  }));
  statements = 0;
  const created = await client.post(contacts, { properties: { svc_email: ['linked@many.example'] }, associations });
  expect(created.status).toBe(201);
  expect(statements).toBeLessThanOrEqual(3);
  statements = 0;
  const properties = { svc_email: ['linked@many.example'] };
  const again = await client.put(`${contacts}?match=svc_email`, { properties, associations });
  expect([again.status, again.body.data.version]).toEqual([200, '1']);
  expect(statements).toBeLessThanOrEqual(5);
});

test('a record with a property that this process does not know yet is not touched', async () => {
  const { body } = await client.post(contacts, { properties: {} });
  const path = `${contacts}${body.data.id}/`;
  await service.database.query(sql`
    update orrery.record set properties = properties || '{"not_known_yet": "x"}'
    where org_id = ${orgId} and id = ${body.data.id}`);
  const answer = await client.call('DELETE', path, { allowFault: true });
  await expectProblem(answer, 'unavailable', 'overloaded');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await client.get(path)).status).toBe(200);
});
