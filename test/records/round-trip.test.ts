// Values come back as they were sent (contract 2 and 4), over the whole way: request, check, table, answer. For each
// field type generated values are written in batches and read again; values that are wrong are refused with 422, each
// by itself, and none of them is ever an error of the service. A failure prints its seed.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { bounds } from '../../src/base/limits.ts';
import type { Client } from '../support/client.ts';
import { samples, selectOptions, wrongJson } from '../support/field-values.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, { object_types: Object.keys(samples).map(typeOf) });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** A type with the field type alone, as one value and as a list. */
function typeOf(fieldType: string): object {
  const options = selectOptions.map((value) => ({ value, label: `The ${value} one` }));
  const declared = { label: 'Value', field_type: fieldType, ...(fieldType === 'select' ? { options } : {}) };
  return {
    name: `of_${fieldType}`,
    label: fieldType,
    properties: [
      { ...declared, name: 'one' },
      { ...declared, name: 'many', multi_valued: true },
    ],
  };
}

type Values = Readonly<Record<string, Json>>;

interface ItemResult {
  readonly status: number;
  readonly id: string;
  readonly problem?: { readonly reason: string; readonly errors: readonly { readonly pointer: string }[] };
}

/** Less than a batch may have: texts of 65,536 characters add up. */
const bytesPerBatch = 6_000_000;

/** Sends the items, given as JSON text, in as few batches as they fit into. */
async function sendItems(items: readonly string[]): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  let some: string[] = [];
  let bytes = 0;
  const flush = async () => {
    const { status, text, body } = await client.post('/batch/', `{"operations":[${some.join()}]}`);
    expect([200, 207], text).toContain(status);
    results.push(...body.data.results);
    some = [];
    bytes = 0;
  };
  for (const item of items) {
    const size = Buffer.byteLength(item);
    if (some.length === 1_000 || bytes + size > bytesPerBatch) await flush();
    some.push(item);
    bytes += size;
  }
  if (some.length > 0) await flush();
  return results;
}

async function createAll(type: string, all: readonly Values[]): Promise<readonly string[]> {
  const items = all.map((properties) => JSON.stringify({ operation: 'create', object_type: type, properties }));
  const results = await sendItems(items);
  for (const [index, { status, problem }] of results.entries()) {
    if (status !== 201) expect.fail(`${JSON.stringify(all[index])} was refused: ${JSON.stringify(problem)}`);
  }
  return results.map(({ id }) => id);
}

async function listAll(type: string): Promise<ReadonlyMap<string, Values>> {
  const found = new Map<string, Values>();
  let query = '';
  for (;;) {
    const { body } = await client.get(`/objects/${type}/records/?limit=200${query}`);
    for (const { id, properties } of body.data as { id: string; properties: Values }[]) found.set(id, own(properties));
    const next = body.pagination?.next_cursor ?? null;
    if (next === null) return found;
    query = `&cursor=${next}`;
  }
}

/** The values without the service's own dates. */
function own({ svc_created_at, svc_updated_at, ...values }: Values): Values {
  expect([typeof svc_created_at, typeof svc_updated_at]).toEqual(['string', 'string']);
  return values;
}

/** Sends the values and reads them again, one by one and as a list, and after an update. */
async function roundTrip(type: string, all: readonly Values[]): Promise<void> {
  const ids = await createAll(type, all);
  const listed = await listAll(type);
  for (const [index, id] of ids.entries()) expect(listed.get(id)).toEqual(all[index]);
  for (let index = 0; index < ids.length; index += 25) {
    const { body } = await client.get(`/objects/${type}/records/${ids[index]}/`);
    expect(own(body.data.properties)).toEqual(all[index]);
  }
  const [first = ''] = ids;
  const path = `/objects/${type}/records/${first}/`;
  const last = all.at(-1) ?? {};
  const cleared = Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, null]));
  await client.delete(`/objects/${type}/records/${ids.at(-1)}/`);
  const updated = await client.patch(path, { properties: { ...cleared, ...last } });
  expect(own(updated.body.data.properties)).toEqual(last);
  expect(own((await client.get(path)).body.data.properties)).toEqual(last);
}

const runs = { numRuns: 3, endOnFailure: true };

test.each(Object.keys(samples))('generated values of %s come back as they were sent', async (fieldType) => {
  const { valid } = samples[fieldType] ?? expect.fail(fieldType);
  const singles = fc.array(valid, { minLength: 100, maxLength: 100 });
  // The longest list of the longest values is more than a body may hold.
  const longest = fieldType === 'long_text' ? 3 : 100;
  const lists = fc.array(fc.array(valid, { minLength: 1, maxLength: 5 }), { minLength: 20, maxLength: 20 });
  const long = fc.array(valid, { minLength: longest, maxLength: longest });
  await fc.assert(
    fc.asyncProperty(singles, lists, long, async (ones, some, most) => {
      await roundTrip(`of_${fieldType}`, [
        ...ones.map((one) => ({ one })),
        ...[...some, most].map((many) => ({ many })),
      ]);
    }),
    runs,
  );
});

/** The built-in properties that are in index tables or unique; the texts of a unique one differ. */
const indexed = [
  ['svc_contact', 'svc_last_name', 'text'],
  ['svc_contact', 'svc_email', 'email'],
  ['svc_company', 'svc_name', 'text'],
  ['svc_company', 'svc_domain', 'domain'],
  ['svc_deal', 'svc_amount', 'currency'],
  ['svc_deal', 'svc_close_date', 'date'],
  ['svc_note', 'svc_due_at', 'datetime'],
  ['svc_call', 'svc_started_at', 'datetime'],
] as const;

test.each(indexed)('generated values of %s.%s, which is indexed, come back as they were sent', async (...names) => {
  const [type, property, fieldType] = names;
  const { valid } = samples[fieldType] ?? expect.fail(fieldType);
  const seen = new Set<string>();
  const isNew = (value: Json) => {
    const key = JSON.stringify(value).toLowerCase();
    return !seen.has(key) && seen.add(key) !== undefined;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(valid, { minLength: 100, maxLength: 100 }), async (generated) => {
      const unique = property === 'svc_email' || property === 'svc_domain';
      const values = unique ? generated.filter(isNew) : generated;
      const chunks = values.flatMap((_, index) => (index % 3 === 0 ? [values.slice(index, index + 3)] : []));
      await roundTrip(
        type,
        property === 'svc_email'
          ? chunks.map((some) => ({ svc_email: some }))
          : values.map((value) => ({ [property]: value })),
      );
    }),
    runs,
  );
});

test.each(Object.keys(samples))('wrong values of %s are refused with 422, and no others', async (fieldType) => {
  const { valid, wrong } = samples[fieldType] ?? expect.fail(fieldType);
  const type = `of_${fieldType}`;
  const { body } = await client.post(`/objects/${type}/records/`, { properties: {} });
  const before = await listAll(type);
  const create = (properties: unknown) => ({ operation: 'create', object_type: type, properties });
  const update = (properties: unknown) => ({ operation: 'update', object_type: type, id: body.data.id, properties });
  const wrongs = fc.array(wrong, { minLength: 50, maxLength: 50 });
  const rights = fc.array(valid, { minLength: 50, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(wrongs, rights, async (bad, good) => {
      const items = bad.flatMap((value, index) => [
        { item: create({ one: value }), pointer: '/properties/one' },
        { item: update({ one: value }), pointer: '/properties/one' },
        { item: create({ one: good[index], many: [good[index], value] }), pointer: '/properties/many/1' },
        { item: update({ many: value }), pointer: '/properties/many' },
        { item: create({ one: [good[index]] }), pointer: '/properties/one' },
        { item: update({ one: { value } }), pointer: '/properties/one' },
      ]);
      const results = await sendItems(items.map(({ item }) => JSON.stringify(item)));
      for (const [index, { status, problem }] of results.entries()) {
        const { item, pointer } = items[index] ?? expect.fail('more results than items');
        const told = JSON.stringify([item, status, problem]);
        expect(status, told).toBe(422);
        expect(problem?.errors[0]?.pointer, told).toContain(pointer);
      }
    }),
    runs,
  );
  expect(await listAll(type)).toEqual(before);
});

test.each(Object.keys(samples))('JSON that is not a value of any type is refused as %s with 422', async (fieldType) => {
  const type = `of_${fieldType}`;
  const { body } = await client.post(`/objects/${type}/records/`, { properties: {} });
  const before = await listAll(type);
  const start = (operation: string) => `{"operation":"${operation}","object_type":"${type}","id":"${body.data.id}"`;
  const items = wrongJson.flatMap((value) => [
    `${start('create').replace(/,"id":"[^"]*"/, '')},"properties":{"one":${value}}}`,
    `${start('update')},"properties":{"one":${value}}}`,
    `${start('update')},"properties":{"many":[${value}]}}`,
  ]);
  const results = await sendItems(items);
  for (const [index, { status }] of results.entries()) expect(status, items[index]?.slice(0, 300)).toBe(422);
  expect(await listAll(type)).toEqual(before);
});

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '\\u0000',
  '\\ud800',
  'svc_last_name\\u0000',
  'SVC_LAST_NAME',
  'properties',
  'id',
  'x repeated',
])('a property of the name %j is unknown, in every way to write it', async (told) => {
  const name = told === 'x repeated' ? 'x'.repeat(10_000) : told;
  const properties = `"properties":{"${name}":{"polluted":true},"svc_email":["p@example.com"]}`;
  const { body } = await client.post('/objects/svc_contact/records/', { properties: {} });
  const path = '/objects/svc_contact/records/';
  const answers = [
    await client.post(path, `{${properties}}`),
    await client.patch(`${path}${body.data.id}/`, `{${properties}}`),
    await client.put(`${path}?match=svc_email`, `{${properties}}`),
    await client.post(
      '/batch/',
      `{"atomic":true,"operations":[{"operation":"create","object_type":"svc_contact",${properties}}]}`,
    ),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.body.reason], answer.text).toEqual([422, 'unknown_property']);
    expect(answer.body.errors).toHaveLength(1);
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('members of the name __proto__ are refused in every place that takes a member', async () => {
  const path = '/objects/svc_contact/records/';
  const member = '"__proto__":{"properties":{}}';
  const item = `"operation":"create","object_type":"svc_contact"`;
  for (const [where, body] of [
    [path, `{"properties":{},${member}}`],
    [path, `{${member}}`],
    [path, `{"properties":{},"associations":[{"association_type":"a","target_id":"b",${member}}]}`],
    ['/batch/', `{"operations":[{${item},"properties":{}}],${member}}`],
    ['/batch/', `{"atomic":true,"operations":[{${item},"properties":{},${member}}]}`],
    ['/batch/', `{"atomic":true,"operations":[{${item},${member}}]}`],
    ['/batch/', `{"atomic":true,"operations":[{"operation":"delete","object_type":"svc_contact","id":{${member}}}]}`],
    ['/batch/', '{"atomic":true,"operations":[{"operation":"__proto__"}]}'],
  ] as const) {
    const answer = await client.post(where, body);
    expect([answer.status, answer.body.code], `${body}: ${answer.text}`).toEqual([400, 'invalid_request']);
  }
});

test.each([
  [990, 'by the place that it has'],
  [100_000, 'while it arrives'],
])('a body that is nested %i times is refused %s', async (levels) => {
  const nest = '['.repeat(levels) + ']'.repeat(levels);
  const path = '/objects/svc_contact/records/';
  for (const [where, body, status] of [
    [path, nest, 400],
    [path, `{"properties":${nest}}`, 400],
    [path, `{"properties":{"svc_last_name":${nest}}}`, 422],
    [path, `{"properties":{"svc_email":${nest}}}`, 422],
    [path, `{"properties":{"nothing":${nest}}}`, 422],
    [path, `{"properties":{},"associations":${nest}}`, 400],
    [path, `{"properties":{},"nothing":${nest}}`, 400],
    ['/batch/', `{"operations":${nest}}`, 207],
    ['/batch/', `{"atomic":true,"operations":[{"operation":${nest}}]}`, 400],
    ['/batch/', `{"atomic":${nest},"operations":[{}]}`, 400],
  ] as const) {
    const answer = await client.post(where, body);
    const expected = levels > bounds.shares.bodyDepth ? 400 : status;
    expect(answer.status, `${body.slice(0, 60)}: ${answer.text.slice(0, 300)}`).toBe(expected);
  }
});

test('after all this records, indexes, unique values, search words, links and the feed agree', async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
