import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Body } from '../support/answer.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let body: Body;
beforeAll(async () => {
  service = await startService();
  const answer = await (await service.newClient()).get('/field_types/');
  expect(answer.status).toBe(200);
  body = answer.body;
});
afterAll(() => service.stop());

interface Served {
  readonly name: string;
  readonly label: string;
  readonly value_shape: Record<string, unknown>;
  readonly example: unknown;
  readonly filter_operators: readonly string[];
  readonly aggregations: readonly string[];
  readonly sortable: boolean;
  readonly groupable: boolean;
  readonly granularities?: readonly string[];
}

const text = 'eq neq in not_in contains not_contains starts_with ends_with';
const range = 'gt gte lt lte between';
const choice = 'eq neq in not_in';

/**
 * Contract 4: name | operators besides is_set, is_not_set | aggregations besides count, count_distinct | sort | group
 */
const expected = `
  text      | ${text}                            | min max                | sort | group
  long_text | contains not_contains              |                        |      |
  email     | ${text}                            |                        | sort | group
  url       | ${text}                            |                        | sort | group
  domain    | ${text}                            |                        | sort | group
  phone     | eq neq in not_in contains          |                        |      |
  number    | eq neq in not_in ${range}          | sum avg min max median | sort | group
  currency  | eq neq ${range}                    | sum avg min max        | sort | group
  date      | eq neq in not_in ${range}          | min max                | sort | day week month quarter year
  datetime  | eq neq in not_in ${range}          | min max                | sort | hour day week month quarter year
  boolean   | eq neq                             |                        | sort | group
  select    | ${choice}                          |                        | sort | group
  country   | ${choice}                          |                        | sort | group
  timezone  | ${choice}                          |                        | sort | group`
  .trim()
  .split(/\n\s*/)
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('there are the 14 field types of the contract and no other', () => {
  expect(Object.keys(body).sort()).toEqual(['data', 'request_id']);
  expect(body.data.map((type: Served) => type.name).sort()).toEqual(expected.map(([name = '']) => name).sort());
});

test.each(expected)('%s answers to its operators and aggregations, sorts and groups', (name, ...cells) => {
  const [operators = '', aggregations = '', sort, group = ''] = cells;
  const type = served(name);
  expect([...type.filter_operators].sort()).toEqual(words(`is_set is_not_set ${operators}`).sort());
  expect([...type.aggregations].sort()).toEqual(words(`count count_distinct ${aggregations}`).sort());
  expect(type.sortable).toBe(sort === 'sort');
  expect(type.groupable).toBe(group !== '');
  expect(type.granularities).toEqual(group === '' || group === 'group' ? undefined : words(group));
});

test.each(expected)('%s has exactly the members of the contract, and an example of its own shape', (name) => {
  const { granularities: _, ...type } = served(name);
  expect(Object.keys(type).sort()).toEqual(
    ['aggregations', 'example', 'filter_operators', 'groupable', 'label', 'name', 'sortable', 'value_shape'].sort(),
  );
  expect(type.label).toMatch(/\S/);
  expect(fits(name, type.example)).toBe(true);
});

const z = (count: number) => 'z'.repeat(count);
const phone = { country_code: 'GB', national_number: '2079460958' };

/** Values that fit the published shape and values that do not: both sides of each edge of contract 4. */
const values: Readonly<Record<string, { fit: readonly unknown[]; unfit: readonly unknown[] }>> = {
  text: { fit: ['a', z(1_024), '😀', 'a\nb'], unfit: ['', z(1_025), 1, null, true, ['a'], 'a\u0000', '\ud800'] },
  long_text: { fit: ['a', z(65_536)], unfit: [z(65_537), 1, null, 'a\u0000b', 'a\udfff'] },
  email: {
    fit: ['ada@example.com', `${z(242)}@example.com`],
    unfit: ['ada', 'a@b@c', '@b', 'a@', `${z(243)}@example.com`],
  },
  url: {
    fit: ['http://a.example', 'https://a.example/b?c#d', `https://a.example/${z(2_030)}`],
    unfit: ['a.example', '/a', 'ftp://a.example', 'javascript:alert(1)', 'https://', `https://a.example/${z(2_031)}`],
  },
  domain: {
    fit: ['example.com', 'a.b.example'],
    unfit: ['Example.com', 'localhost', 'a b.com', 'https://a.com', '.com'],
  },
  phone: {
    fit: [phone, { ...phone, national_number: '123456789012345' }],
    unfit: [
      '+442079460958',
      { country_code: 'GB' },
      { ...phone, country_code: 'gb' },
      { ...phone, country_code: 'ZZ' },
      { ...phone, national_number: '' },
      { ...phone, national_number: '1234567890123456' },
      { ...phone, national_number: '12 34' },
      { ...phone, national_number: 12 },
      { ...phone, extension: '1' },
    ],
  },
  number: {
    fit: ['0', '-1', '12.50', '007', '123456789012345678.123456789012'],
    unfit: [1, '', '1e3', '+1', '.5', '1.', '1,5', ' 1', '1234567890123456789', '0.1234567890123', 'NaN'],
  },
  currency: {
    fit: [{ amount: '-12.50', unit: 'EUR' }],
    unfit: [
      '12.50',
      { amount: 12.5, unit: 'EUR' },
      { amount: '12.50' },
      { amount: '12.50', unit: 'eur' },
      { amount: '12.50', unit: 'QQQ' },
      { amount: '12.50', unit: 'EUR', rate: '1' },
    ],
  },
  date: {
    fit: ['2026-03-31', '2024-02-29'],
    unfit: ['2026-02-29', '2026-13-01', '2026-3-1', '2026-03-31T00:00:00Z', 1],
  },
  datetime: {
    fit: ['2026-03-31T09:30:00Z', '2026-03-31T09:30:00.123456+05:30', '2026-03-31T09:30:00-12:00'],
    unfit: [
      '2026-03-31',
      '2026-03-31T09:30:00',
      '2026-03-31T09:30Z',
      '2026-03-31 09:30:00Z',
      '2026-02-29T09:30:00Z',
      '2026-03-31T24:00:00Z',
      '2026-03-31T09:30:00.1234567Z',
    ],
  },
  boolean: { fit: [true, false], unfit: ['true', 1, null] },
  select: { fit: ['warm'], unfit: [1, null, ['warm']] },
  country: { fit: ['GB', 'DE'], unfit: ['gb', 'GBR', 'ZZ', 'UK', ''] },
  timezone: {
    fit: ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires'],
    unfit: ['Mars/Base', 'europe/berlin', ''],
  },
};

test.each(Object.keys(values))('the published shape of %s admits exactly what the contract admits', (name) => {
  for (const value of values[name]?.fit ?? []) expect(fits(name, value), JSON.stringify(value)).toBe(true);
  for (const value of values[name]?.unfit ?? []) expect(fits(name, value), JSON.stringify(value)).toBe(false);
});

test('the field types are the same for every org and every grant', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, { object_types: [{ name: 'thing', label: 'Thing', properties: [] }] });
  const { key } = await service.createKey(orgId, { grants: [] });
  const other = await service.client(key).get('/field_types/');
  expect(other.status).toBe(200);
  expect(other.body.data).toEqual(body.data);
});

test('every property of every built-in type has one of these field types', async () => {
  const client = await service.newClient();
  const names = new Set(body.data.map((type: Served) => type.name));
  for (const { name } of (await client.get('/objects/')).body.data) {
    for (const property of (await client.get(`/objects/${name}/`)).body.data.properties) {
      expect(names.has(property.field_type), `${name}.${property.name}`).toBe(true);
    }
  }
});

function served(name: string | undefined): Served {
  const found = body.data.find((type: Served) => type.name === name);
  expect(found, name).toBeDefined();
  return found;
}

const validator = new Ajv2020({ strict: true });
formats.default(validator);
const compiled = new Map<string | undefined, ValidateFunction>();

/** Whether the value fits the shape as any validator of JSON Schema 2020-12 reads it. */
function fits(name: string | undefined, value: unknown): boolean {
  const validate = compiled.get(name) ?? validator.compile(served(name).value_shape);
  compiled.set(name, validate);
  return validate(value);
}

function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}
