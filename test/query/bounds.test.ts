// The largest possible queries: refused soon, or answered, but never at the cost of other requests.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import type { Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { contacts, make, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const lists = ['a', 'b', 'c', 'd', 'e'];
const kinds = Array.from({ length: 60 }, (_, index) => ({
  name: `part${index}`,
  label: 'Part',
  kind: 'part',
  properties: [{ name: 'price', label: 'Price', field_type: 'currency' }],
}));
const schema = {
  object_types: [
    {
      name: 'thing',
      label: 'Thing',
      properties: [
        ...lists.map((name) => ({ name, label: name, field_type: 'text', multi_valued: true })),
        ...['x', 'y', 'z'].map((name) => ({ name, label: name, field_type: 'url' })),
      ],
    },
    ...kinds,
  ],
  association_types: [
    { name: 'thing_to_part', source: 'thing', target: { kind: 'part' }, cardinality: 'many_to_many' },
    { name: 'thing_to_thing', source: 'thing', target: 'thing', cardinality: 'many_to_many' },
  ],
};
const things = recordsPath('thing');

let service: TestService;
let client: Client;
/** How many aggregations run now, and how many did at most. */
let atOnce: [now: number, most: number] = [0, 0];

function counting(database: Database): Database {
  const query = async <Row extends object>(statement: Sql) => {
    const counted = statement.text.includes('jsonb_build_array');
    if (counted) atOnce[1] = Math.max(atOnce[1], ++atOnce[0]);
    try {
      return await database.brief.query<Row>(statement);
    } finally {
      if (counted) atOnce[0]--;
    }
  };
  return { ...database, brief: { ...database.brief, query } };
}

beforeAll(async () => {
  service = await startService({ adapt: counting });
  const orgId = await service.createOrg();
  await service.applySchema(orgId, schema);
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

test('an aggregation with very many members is refused before they are all checked', async () => {
  const aggregations = Array.from({ length: 10_000 }, (_, index) => ({ function: 'count', as: `a${index}` }));
  const having = Array.from({ length: 10_000 }, (_, index) => ({ as: `b${index}`, operator: 'eq', value: '1' }));
  const tookMs = await cpuMsOf(async () => {
    const answer = await client.post(`${contacts}aggregate/`, { aggregations, having });
    expect(answer.status).toBe(400);
  });
  expect(tookMs).toBeLessThan(5_000);
});

test('a filter with very many unknown properties is refused before they are all checked', async () => {
  const leaves = Array.from({ length: 45 }, (_, index) => ({ property: `svc_frist_nam${index}`, operator: 'is_set' }));
  const filter = { or: Array.from({ length: 45 }, () => ({ and: leaves })) };
  const answer = await client.post(`${contacts}query/`, { filter });
  expect(answer.status).toBe(400);
  expect(answer.body.errors?.map(({ reason }) => reason)).toContain('filter_too_large');
});

test('conditions on the records of very many types are too many, and those of some are not', async () => {
  const price = { property: 'price', operator: 'gt', value: { amount: '1', unit: 'EUR' } };
  const ask = (count: number) => ({
    association: 'thing_to_part',
    operator: 'exists',
    filter: { and: Array.from({ length: count }, () => price) },
  });
  expect((await client.post(`${things}query/`, { filter: ask(20) })).status).toBe(200);
  const answer = await client.post(`${things}query/`, { filter: ask(49) });
  expect([answer.status, answer.body.reason]).toEqual([400, 'filter_too_large']);
});

test('lists that are measured together cost what the longest of them costs', async () => {
  const values = Array.from({ length: 100 }, (_, index) => `v${index}`);
  const properties = Object.fromEntries(lists.map((name, index) => [name, values.slice(index * 10)]));
  await succeed(
    client,
    Array.from({ length: 20 }, () => item('create', 'thing', { properties })),
  );
  const aggregations = [
    { function: 'count' },
    ...lists.map((property) => ({ function: 'count_distinct', property })),
    ...lists.slice(0, 4).map((property) => ({ function: 'count', property })),
  ];
  const answer = await client.post(`${things}aggregate/`, { aggregations });
  const distinct = lists.map((name, index) => [`count_distinct_${name}`, String(100 - index * 10)]);
  const counts = lists.slice(0, 4).map((name, index) => [`count_${name}`, String(20 * (100 - index * 10))]);
  expect(answer.body.data).toEqual([
    { key: [], values: Object.fromEntries([['count', '20'], ...distinct, ...counts]) },
  ]);
});

test('groups with the longest possible keys can be paged through', async () => {
  const long = (letter: string) => `https://example.com/${letter}${'😀'.repeat(2_027)}`;
  for (const letter of ['k', 'l']) {
    await make(client, 'thing', { x: long(letter), y: long(letter), z: long(letter) });
  }
  const body = {
    filter: { property: 'x', operator: 'is_set' },
    group_by: ['x', 'y', 'z'].map((property) => ({ property })),
    aggregations: [{ function: 'count' }],
    sort: [{ key: 0, direction: 'desc' }],
    limit: 1,
  };
  const first = await client.post(`${things}aggregate/`, body);
  const next = await client.post(`${things}aggregate/`, { ...body, cursor: first.body.pagination?.next_cursor });
  expect([first, next].map(({ body: { data } }) => data[0].key[0][20])).toEqual(['l', 'k']);
});

test('a page ends before a record whose linked records do not all fit', async () => {
  // Ten of them fit into a page, twenty do not.
  const values = Array.from({ length: 100 }, () => 'y'.repeat(1_000));
  const big = Object.fromEntries(lists.slice(0, 3).map((name) => [name, values]));
  const targets = await Promise.all(Array.from({ length: 10 }, () => make(client, 'thing', big)));
  const associations = targets.map(({ id }) => ({ association_type: 'thing_to_thing', target_id: id }));
  const ids: string[] = [];
  for (let index = 0; index < 8; index++) {
    ids.push((await make(client, 'thing', { x: 'https://hub.example/' }, associations)).id);
  }
  const body = {
    filter: { property: 'x', operator: 'eq', value: 'https://hub.example/' },
    include: ['thing_to_thing'],
  };
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const answer = await client.post(`${things}query/`, { ...body, ...(cursor === undefined ? {} : { cursor }) });
    expect(answer.text.length).toBeLessThan(1.25 * bounds.store.pageBytes);
    for (const record of answer.body.data) {
      expect(record.associations.thing_to_thing.items).toHaveLength(10);
      seen.push(record.id);
    }
    cursor = answer.body.pagination?.next_cursor;
  }
  expect(seen).toEqual(ids);
  expect(pages).toBeGreaterThan(1);
});

test('aggregations of one org leave the others their connections', async () => {
  atOnce = [0, 0];
  const group_by = lists.slice(0, 1).map((property) => ({ property }));
  const body = { group_by, aggregations: [{ function: 'count' }] };
  const answers = await Promise.all(Array.from({ length: 6 }, () => client.post(`${things}aggregate/`, body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(atOnce[1]).toBeGreaterThan(1);
  const { poolConnections } = bounds.store;
  expect(atOnce[1]).toBeLessThanOrEqual(poolConnections * (1 - bounds.shares.connectionsReserved));
});
