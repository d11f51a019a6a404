// Values of all field types, single and multi-valued, on their way through every operation: they come back as they were
// sent, are refused with their place, and are unique by what they mean (contract 2, 4 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientWithSchema, faultsOf, make, pathOfRecord, read, recordsPath, sentValues } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

/** For each field type: values that are accepted and must come back unchanged, and values that are refused. */
const samples: Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>> = {
  text: {
    good: ['Ada', ' x ', 'ÄÖ', '😀'.repeat(1_024), 'a\nb\t"\\/', 'null', '0', "'; drop table", '\u2028'],
    bad: ['', 'x'.repeat(1_025), '😀'.repeat(1_025), 'a\u0000b', '\ud800', 'x\udc00', 1, true, {}, ['a']],
  },
  long_text: {
    good: ['A summary.', 'x'.repeat(65_536), '😀\n'.repeat(1_000), '<b>&amp;</b>'],
    bad: ['', 'x'.repeat(65_537), '\u0000', '\udfff', 1, [], {}],
  },
  email: {
    good: ['Ada@Example.COM', "o'hara+tag@sub.example.org", 'ü@exämple.de', `${'x'.repeat(242)}@example.com`],
    bad: ['', 'ada', 'a@b@c', '@b', 'a@', 'a b@c.d', `${'x'.repeat(243)}@example.com`, 'a\u0000@b.c', 1, {}],
  },
  url: {
    good: ['https://example.com/a?b=c#d', 'HTTP://EXAMPLE.com', `https://e.com/${'x'.repeat(2_034)}`],
    bad: ['', 'example.com', '/a', 'ftp://example.com', 'javascript:alert(1)', 'https://', 'https://e.com/ b', 7],
  },
  domain: {
    good: ['example.com', 'a.b.c.example', 'xn--exmple-cua.de', '1.example'],
    bad: ['', 'example', 'Example.com', 'example.com.', '.example.com', 'a b.com', 'https://example.com', 1],
  },
  phone: {
    good: [
      { country_code: 'GB', national_number: '2079460958' },
      { national_number: '0', country_code: 'US' },
      { country_code: 'DE', national_number: '123456789012345' },
    ],
    bad: [
      '',
      '+442079460958',
      {},
      { country_code: 'GB' },
      { country_code: 'gb', national_number: '1' },
      { country_code: 'XX', national_number: '1' },
      { country_code: 'GB', national_number: 1 },
      { country_code: 'GB', national_number: '' },
      { country_code: 'GB', national_number: '1234567890123456' },
      { country_code: 'GB', national_number: '٣' },
      { country_code: 'GB', national_number: '1', extension: '2' },
    ],
  },
  number: {
    good: ['12.50', '0', '-0', '007', '-0.000000000001', '999999999999999999.999999999999', '1.0'],
    bad: [1, 12.5, '', '1e3', '.5', '5.', '+1', '1,000', ' 1', '1 ', '1'.repeat(19), '0.1234567890123', '٣', 'NaN'],
  },
  currency: {
    good: [
      { amount: '1200.50', unit: 'EUR' },
      { unit: 'JPY', amount: '-0.00' },
    ],
    bad: [
      '12 EUR',
      {},
      { amount: '1' },
      { amount: 1, unit: 'EUR' },
      { amount: '1', unit: 'eur' },
      { amount: '1', unit: 'XYZ' },
      { amount: '1', unit: 'EUR', label: 'x' },
      { amount: '', unit: 'EUR' },
    ],
  },
  date: {
    good: ['2026-03-31', '2024-02-29', '0001-01-01', '9999-12-31'],
    bad: ['', '2026-02-29', '2026-13-01', '2026-3-1', '20260301', '2026-03-31T00:00:00Z', '10000-01-01', 20260331],
  },
  datetime: {
    good: ['2026-03-31T09:30:00Z', '2026-03-31T09:30:00.1+05:45', '2026-03-31T09:30:00.123456-11:00'],
    bad: [
      '',
      '2026-03-31',
      '2026-03-31T09:30:00',
      '2026-03-31T09:30Z',
      '2026-03-31 09:30:00Z',
      '2026-02-30T00:00:00Z',
      1,
    ],
  },
  boolean: { good: [true, false], bad: ['true', 1, 0, '', {}] },
  select: { good: ['one', 'Two words'], bad: ['', 'One', 'two words', 'First', 1, true] },
  country: { good: ['GB', 'DE'], bad: ['', 'gb', 'UK', 'GBR', 'Germany', 1] },
  timezone: { good: ['Europe/Berlin', 'UTC'], bad: ['', 'Mars/Olympus', 'europe/berlin', '+02:00', 1] },
};
const names = Object.keys(samples);

const options = [
  { value: 'one', label: 'First' },
  { value: 'Two words', label: 'Second' },
];
const property = (name: string, field_type: string, more: object = {}) => ({
  name,
  label: name,
  field_type,
  ...(field_type === 'select' ? { options } : {}),
  ...more,
});

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await clientWithSchema(service, {
    object_types: [
      {
        name: 'sample',
        label: 'Sample',
        properties: names.flatMap((name) => [
          property(`one_${name}`, name),
          property(`many_${name}`, name, { multi_valued: true }),
        ]),
      },
      {
        name: 'token',
        label: 'Token',
        properties: names
          .filter((name) => name !== 'long_text')
          .flatMap((name) => [
            property(`one_${name}`, name, { unique: true }),
            property(`many_${name}`, name, { unique: true, multi_valued: true }),
          ]),
      },
    ],
  });
});
afterAll(() => service.stop());

const at = recordsPath('sample');

test('there are samples of every field type', async () => {
  const { data } = (await client.get('/field_types/')).body;
  expect(data.map((each: { name: string }) => each.name).sort()).toEqual([...names].sort());
});

describe.each(names)('%s', (name) => {
  const { good, bad } = samples[name] ?? { good: [], bad: [] };

  test('comes back exactly as it was sent, from create, read, list, update and batch', async () => {
    for (const value of good) {
      const sent = { [`one_${name}`]: value, [`many_${name}`]: [value] };
      const record = await make(client, 'sample', sent);
      expect(sentValues(record)).toEqual(sent);
      expect(await read(client, record)).toEqual(record);
      await client.delete(pathOfRecord(record));
    }
    const record = await make(client, 'sample');
    const path = pathOfRecord(record);
    const last = { [`one_${name}`]: good.at(-1), [`many_${name}`]: [...good, ...good].slice(0, 100) };
    expect(sentValues((await client.patch(path, { properties: last })).body.data)).toEqual(last);
    expect(sentValues(await read(client, record))).toEqual(last);
    const turned = { [`one_${name}`]: good[0], [`many_${name}`]: good.toReversed() };
    const item = { operation: 'update', object_type: 'sample', id: record.id, properties: turned };
    expect((await client.post('/batch/', { operations: [item] })).body.data.results[0].version).toBe('3');
    const { data } = (await client.get(`${at}?properties=one_${name},many_${name}`)).body;
    expect(data).toEqual([{ ...record, version: '3', properties: turned }]);
    const cleared = await client.patch(path, { properties: { [`one_${name}`]: null, [`many_${name}`]: [] } });
    expect(sentValues(cleared.body.data)).toEqual({});
    await client.delete(path);
  });

  test('of another shape is refused, alone and in a list, with place, property and what was expected', async () => {
    for (const value of bad) {
      const properties = { [`one_${name}`]: value, [`many_${name}`]: [good[0], value] };
      const answer = await client.post(at, { properties });
      const what = JSON.stringify(value).slice(0, 80);
      expect(answer.status, what).toBe(422);
      expect(answer.body.code).toBe('validation_failed');
      const faults = answer.body.errors ?? [];
      expect(faults.map((fault) => fault.property)).toEqual([`one_${name}`, `many_${name}`]);
      expect(faults[0]?.pointer, what).toMatch(new RegExp(`^/properties/one_${name}(/[a-z_]+)?$`));
      expect(faults[1]?.pointer, what).toMatch(new RegExp(`^/properties/many_${name}/1(/[a-z_]+)?$`));
      for (const fault of faults) {
        expect(['wrong_shape', 'too_long', 'unknown_option'], what).toContain(fault.reason);
        expect(fault.expected, what).toBeTypeOf('object');
        expect(fault.detail, what).toMatch(/^\S.*\.$/s);
      }
    }
  });

  test('needs an array where it is multi-valued, of at most 100, without null', async () => {
    const [value] = good;
    const send = (properties: object) => client.post(at, { properties });
    const bare = await send({ [`many_${name}`]: value });
    await expectProblem(bare, 'validation_failed', 'wrong_shape');
    expect(faultsOf(bare)).toMatchObject([{ pointer: `/properties/many_${name}`, property: `many_${name}` }]);
    expect(bare.body.errors?.[0]?.expected).toMatchObject({ type: 'array', maxItems: 100 });
    await expectProblem(await send({ [`one_${name}`]: [value] }), 'validation_failed', 'wrong_shape');
    const many = await send({ [`many_${name}`]: Array(101).fill(value) });
    await expectProblem(many, 'validation_failed', 'too_many_values');
    const holed = await send({ [`many_${name}`]: [value, null] });
    await expectProblem(holed, 'validation_failed', 'wrong_shape');
    expect(faultsOf(holed)).toMatchObject([{ pointer: `/properties/many_${name}/1` }]);
  });
});

test('a record of 28 properties, all of them set, comes back whole', async () => {
  const sent = Object.fromEntries(
    names.flatMap((name) => [
      [`one_${name}`, samples[name]?.good[0]],
      [`many_${name}`, samples[name]?.good.slice(0, 2)],
    ]),
  );
  const record = await make(client, 'sample', sent);
  expect(sentValues(record)).toEqual(sent);
  expect(sentValues(await read(client, record))).toEqual(sent);
});

/** Two spellings of one value, and a value that is another one though it looks alike. */
const twins: Readonly<Record<string, readonly [one: unknown, same: unknown, other: unknown]>> = {
  text: ['Ünïque', 'üNÏQUE', 'unique'],
  email: ['Ada@Example.com', 'aDA@eXAMPLE.COM', 'ada@example.org'],
  url: ['https://Example.com/A', 'HTTPS://example.com/a', 'https://example.com/a/'],
  domain: ['example.com', 'example.com', 'example.org'],
  phone: [
    { country_code: 'GB', national_number: '12' },
    { national_number: '12', country_code: 'GB' },
    { country_code: 'GB', national_number: '012' },
  ],
  number: ['12.5', '012.50', '12.05'],
  currency: [
    { amount: '1', unit: 'EUR' },
    { unit: 'EUR', amount: '1.00' },
    { amount: '1', unit: 'USD' },
  ],
  date: ['2026-03-31', '2026-03-31', '2026-03-30'],
  datetime: ['2026-01-01T00:00:00Z', '2026-01-01T05:45:00.000+05:45', '2026-01-01T00:00:00.000001Z'],
  boolean: [true, true, false],
  select: ['one', 'one', 'Two words'],
  country: ['GB', 'GB', 'DE'],
  timezone: ['Europe/Berlin', 'Europe/Berlin', 'UTC'],
};

test.each(Object.entries(twins))('a unique %s is unique by its value, alone and in a list', async (name, values) => {
  const [one, same, other] = values;
  const [single, list] = [`one_${name}`, `many_${name}`];
  const holder = await make(client, 'token', { [single]: one, [list]: [one] });
  for (const [properties, pointer] of [
    [{ [single]: same }, `/properties/${single}`],
    [{ [list]: [other, same] }, `/properties/${list}/1`],
  ] as const) {
    const answer = await client.post(recordsPath('token'), { properties });
    await expectProblem(answer, 'conflict', 'unique_value_taken');
    const [property] = Object.keys(properties);
    expect(answer.body.conflict).toEqual({ object_type: 'token', property, existing_id: holder.id });
    expect(faultsOf(answer)).toMatchObject([{ pointer, property }]);
  }
  await make(client, 'token', { [single]: other, [list]: [other] });
  const again = await client.patch(pathOfRecord(holder), { properties: { [single]: same, [list]: [same, one] } });
  expect(again.status).toBe(200);
});

test('names that every JavaScript object has are not properties, in any place', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\0', '\ud800', 'x'.repeat(300)]) {
    const body = `{"properties":{${JSON.stringify(name)}:"x"}}`;
    const answer = await client.post(at, body);
    await expectProblem(answer, 'validation_failed', 'unknown_property');
    expect(faultsOf(answer)).toMatchObject([{ pointer: `/properties/${name}` }]);
  }
  for (const value of ['{"__proto__":{}}', '{"amount":"1","unit":"EUR","__proto__":1}', '{"constructor":1}']) {
    const answer = await client.post(at, `{"properties":{"one_currency":${value}}}`);
    await expectProblem(answer, 'validation_failed', 'wrong_shape');
  }
});

test('a value that looks like JSON, SQL or a pointer stays a text', async () => {
  for (const value of ['{"a":1}', '[1]', '"', '\\', '\\u0000', "'); --", '$1', '%s', '/~0~1', '\u202e']) {
    const record = await make(client, 'sample', { one_text: value, many_long_text: [value, value] });
    expect(sentValues(await read(client, record))).toEqual({ one_text: value, many_long_text: [value, value] });
  }
});
