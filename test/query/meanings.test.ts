// The meaning of operators and of order by example, with answers written by hand (contract 4 and 5): this checks the
// model of the generated tests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { askAll } from '../support/query/ask.ts';
import { querySchema } from '../support/query/schema.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Stand {
  readonly client: Client;
  readonly names: ReadonlyMap<string, string>;
}

/** An org with one specimen for each value of the property, named by its place; undefined leaves it unset. */
async function standOf(property: string, values: readonly unknown[]): Promise<Stand> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, querySchema);
  const client = service.client((await service.createKey(orgId)).key);
  const creates = values.map((value) =>
    item('create', 'specimen', { properties: value === undefined ? {} : { [property]: value } }),
  );
  const results = await succeed(client, creates);
  return { client, names: new Map(results.map(({ id }, place) => [id ?? '', String(place)])) };
}

async function places({ client, names }: Stand, question: object): Promise<string> {
  const ids = await askAll(client, 'specimen', question);
  return ids.map((id) => names.get(id)).join(' ');
}

type Case = readonly [operator: string, value: unknown, expected: string];

const money = (amount: string, unit: string) => ({ amount, unit });
const phone = (national_number: string, country_code = 'GB') => ({ country_code, national_number });
const day = '2026-03-31';

const meanings: readonly (readonly [property: string, values: readonly unknown[], cases: readonly Case[]])[] = [
  [
    'text_one',
    ['Straße', 'STRASSE', 'İstanbul', 'istanbul', 'ᲗᲑᲘᲚᲘᲡᲘ', 'οδος', 'ΟΔΟΣ', '100%', '1001', 'a\\b', 'a_b', undefined],
    [
      ['eq', 'straße', '0'],
      ['eq', 'STRASSE', '1'],
      ['eq', 'i\u0307stanbul', '2'],
      ['eq', 'ISTANBUL', '3'],
      ['eq', 'თბილისი', '4'],
      ['in', ['Οδος', 'strasse', 'nothing'], '1 5 6'],
      ['eq', 'οδοσ', ''],
      ['neq', 'οδος', '0 1 2 3 4 7 8 9 10 11'],
      ['not_in', ['οδος', 'straße', '100%', '1001'], '1 2 3 4 9 10 11'],
      ['contains', '%', '7'],
      ['contains', '_', '10'],
      ['contains', '\\', '9'],
      ['not_contains', 'A', '4 5 6 7 8 11'],
      ['starts_with', '100', '7 8'],
      ['ends_with', 'BUL', '2 3'],
      ['is_set', undefined, '0 1 2 3 4 5 6 7 8 9 10'],
      ['is_not_set', undefined, '11'],
    ],
  ],
  [
    'number_many',
    [['1', '5'], ['1.0'], ['-0', '10'], ['0.000000000001'], undefined],
    [
      ['eq', '01.00', '0 1'],
      ['neq', '1', '2 3 4'],
      ['in', ['0', '5.0'], '0 2'],
      ['not_in', ['0', '5.0'], '1 3 4'],
      ['gt', '5', '2'],
      ['lt', '1', '2 3'],
      // One element must lie between, not one above the low and another below the high.
      ['between', ['2', '4'], ''],
      ['between', ['5', '10'], '0 2'],
      ['between', ['10', '5'], ''],
    ],
  ],
  [
    'currency_one',
    [money('10', 'EUR'), money('9.50', 'EUR'), money('10.00', 'USD'), money('-0', 'EUR'), undefined],
    [
      ['eq', money('10.0', 'EUR'), '0'],
      ['neq', money('10', 'EUR'), '1 2 3 4'],
      ['gt', money('1', 'EUR'), '0 1'],
      ['lte', money('9.5', 'EUR'), '1 3'],
      ['between', [money('0', 'EUR'), money('9.50', 'EUR')], '1 3'],
      ['gte', money('0', 'JPY'), ''],
    ],
  ],
  [
    'datetime_one',
    [
      `${day}T09:00:00Z`,
      `${day}T11:00:00.000+02:00`,
      `${day}T09:00:00.000001Z`,
      `0001-01-01T00:00:00+14:00`,
      undefined,
    ],
    [
      ['eq', `${day}T04:00:00-05:00`, '0 1'],
      ['gt', `${day}T09:00:00Z`, '2'],
      ['lt', '0001-01-01T00:00:00Z', '3'],
      ['neq', `${day}T09:00:00Z`, '2 3 4'],
      ['between', [`${day}T09:00:00Z`, `${day}T09:00:00.000001Z`], '0 1 2'],
    ],
  ],
  [
    'phone_many',
    [[phone('2079460958'), phone('1', 'US')], [phone('2079460958', 'DE')], undefined],
    [
      ['eq', phone('2079460958'), '0'],
      ['neq', phone('2079460958'), '1 2'],
      ['in', [phone('1', 'US'), phone('2079460958', 'DE')], '0 1'],
      ['contains', '7946', '0 1'],
      ['contains', '44', ''],
    ],
  ],
];

test.each(meanings)('the operators of %s find what they should', async (property, values, cases) => {
  const stand = await standOf(property, values);
  for (const [operator, value, expected] of cases) {
    const filter = { property, operator, value };
    expect(await places(stand, { filter }), JSON.stringify(filter)).toBe(expected);
  }
});

const orders: readonly (readonly [property: string, values: readonly unknown[], asc: string, desc: string])[] = [
  ['text_one', ['b', undefined, 'A', 'a', 'B', '\u{10000}', '\uffff', 'é'], '2 3 0 4 7 6 5 1', '5 6 7 0 4 2 3 1'],
  ['number_one', ['10', '9', '-1', undefined, '9.0', '-0', '0'], '2 5 6 1 4 0 3', '0 1 4 5 6 2 3'],
  [
    'currency_one',
    [money('1', 'USD'), money('10', 'EUR'), money('9', 'EUR'), undefined, money('9.0', 'EUR')],
    '2 4 1 0 3',
    '0 1 2 4 3',
  ],
  ['date_one', ['9999-12-31', '0001-01-01', undefined, day], '1 3 0 2', '0 3 1 2'],
  ['boolean_one', [true, undefined, false, true], '2 0 3 1', '0 3 2 1'],
  ['select_one', ['cold', 'warm', undefined, 'Cold', '😀'], '1 3 4 0 2', '0 4 3 1 2'],
  ['country_one', ['US', 'DE', undefined, 'DE'], '1 3 0 2', '0 1 3 2'],
  ['timezone_one', ['UTC', 'Asia/Kolkata', undefined, 'Europe/Berlin'], '1 3 0 2', '0 3 1 2'],
  ['domain_one', ['b.example', undefined, 'a.example', 'é.example'], '2 0 3 1', '3 0 2 1'],
];

describe('a sort', () => {
  test.each(orders)(
    'by %s is in the order of its values, unset last, ties by id',
    async (property, values, asc, desc) => {
      const stand = await standOf(property, values);
      expect(await places(stand, { sort: [{ property, direction: 'asc' }] })).toBe(asc);
      expect(await places(stand, { sort: [{ property, direction: 'desc' }] })).toBe(desc);
    },
  );

  test('by creation follows time, whatever changes later', async () => {
    const stand = await standOf('text_one', ['c', 'b', 'a']);
    const [first] = stand.names.keys();
    await stand.client.patch(`/objects/specimen/records/${first}/`, { properties: { text_one: 'd' } });
    expect(await places(stand, {})).toBe('0 1 2');
    expect(await places(stand, { sort: [{ property: 'svc_updated_at', direction: 'desc' }] })).toMatch(/^0/);
  });
});
