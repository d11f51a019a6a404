// Bounds that keep one request from taking more than its share: sizes of records and pages, the statements of a batch,
// and how long a schema that has just changed is unknown to a process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
const volumes = '/objects/volume/records/';
let service: TestService;
let client: Client;
let orgId: number;
let statements = 0;
let mostBytes = 0;
beforeAll(async () => {
  service = await startService({ adapt: counting });
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** Counts the statements of transactions, and the most bytes of records that one of them has read. */
function counting(database: Database): Database {
  return {
    ...database,
    transaction: (run) =>
      database.transaction((transaction) =>
        run({
          ...transaction,
          query: async <Row extends object>(statement: Sql) => {
            statements++;
            const rows = await transaction.query<Row>(statement);
            const values = rows.map((row) => ('properties' in row ? row.properties : null));
            mostBytes = Math.max(mostBytes, JSON.stringify(values).length);
            return rows;
          },
        }),
      ),
  };
}

/** A text of a megabyte or less, in values of a type that takes many of them. */
async function createLongType(): Promise<void> {
  const properties = Array.from({ length: 17 }, (_, index) => ({
    name: `text_${index}`,
    label: 'Text',
    field_type: 'long_text',
  }));
  await service.applySchema(orgId, { object_types: [{ name: 'volume', label: 'Volume', properties }] });
}

/** Records of nearly a megabyte each, in the order in which they were made. */
async function createLongRecords(count: number): Promise<readonly string[]> {
  const text = 'x'.repeat(65_000);
  const values = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`text_${index}`, text]));
  const made: string[] = [];
  for (let index = 0; index < count; index++) {
    const { body } = await client.post(volumes, { properties: values });
    made.push(body.data.id);
  }
  return made;
}

async function readPages(
  read: (cursor: string | undefined) => Promise<Answer>,
): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body, text } = await read(cursor);
    expect(text.length).toBeLessThan(bounds.store.pageBytes + bounds.engine.recordBytes);
    pages.push(body.data.map((each: { id: string }) => each.id));
    cursor = body.pagination?.next_cursor ?? null;
  }
  return pages;
}

test('pages end when they are full of bytes, whatever their limit, and the next ones continue there', async () => {
  await createLongType();
  await expect.poll(async () => (await client.get(volumes)).status).toBe(200);
  const made = await createLongRecords(12);
  const shown = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
  for (const limit of [500, 50]) {
    const listed = await readPages((cursor) =>
      client.get(`${volumes}?${new URLSearchParams({ limit: String(limit), ...shown(cursor) }).toString()}`),
    );
    const sort = [{ property: 'svc_created_at', direction: 'asc' }];
    const queried = await readPages((cursor) => client.post(`${volumes}query/`, { limit, sort, ...shown(cursor) }));
    for (const pages of [listed, queried]) {
      expect(pages.flat()).toEqual(made);
      expect(pages).toHaveLength(3);
    }
  }
  const path = `${volumes}${made[0]}/`;
  const text = 'x'.repeat(65_000);
  // A value more than the record may hold is refused, and the record stays as it is.
  const grown = await client.patch(path, { properties: { text_15: text, text_16: text } });
  await expectProblem(grown, 'validation_failed', 'too_long');
  expect((await client.get(path)).body.data.version).toBe('1');
});

test.each([false, true])('a batch reads and writes long records a few at a time (atomic: %s)', async (atomic) => {
  const made = await createLongRecords(6);
  const operations = made.map((id) => ({
    operation: 'update',
    object_type: 'volume',
    id,
    properties: { text_0: 'y' },
  }));
  const { next_cursor: cursor } = (await client.get('/changes/?cursor=latest')).body.pagination ?? {};
  mostBytes = 0;
  statements = 0;
  const answer = await client.post('/batch/', { atomic, operations: [...operations, ...operations.slice(0, 1)] });
  expect(answer.body.data.results.map(({ version }: { version: string }) => version)).toEqual(Array(7).fill('2'));
  expect(mostBytes).toBeGreaterThan(0);
  expect(mostBytes).toBeLessThan(2 * bounds.engine.recordBytes);
  expect(statements).toBeLessThan(30);
  const { body } = await client.get(`/changes/?cursor=${cursor}`);
  expect(body.data.map((entry: { record_id: string }) => entry.record_id)).toEqual(made);
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
