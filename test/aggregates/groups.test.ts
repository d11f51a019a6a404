// The keys of groups (contract 5): every field type, buckets of days and moments in every time zone. Other ends as keys
// are in ends.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { count, countsBy, groups, makeSales, salesSchema } from '../support/aggregates/sales.ts';
import type { Client } from '../support/client.ts';
import { clientWithSchema } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A client of a new org with a sale for each of the values of the property. */
async function salesWith(property: string, ...values: readonly unknown[]): Promise<Client> {
  const client = await clientWithSchema(service, salesSchema);
  await makeSales(client, ...values.map((value) => (value === undefined ? {} : { [property]: value })));
  return client;
}

describe('a key', () => {
  const eur = (amount: string) => ({ amount, unit: 'EUR' });
  test.each([
    ['name', ['b', 'B', 'a', 'b', undefined], ['a', '1'], ['B', '1'], ['b', '2'], [null, '1']],
    ['name', ['\u{1f600}', '\uffee', 'é', 'É'], ['É', '1'], ['é', '1'], ['\uffee', '1'], ['\u{1f600}', '1']],
    ['mail', ['A@x.example', 'a@x.example'], ['A@x.example', '1'], ['a@x.example', '1']],
    ['page', ['https://b.example', 'https://a.example'], ['https://a.example', '1'], ['https://b.example', '1']],
    ['host', ['b.example', 'a.example'], ['a.example', '1'], ['b.example', '1']],
    ['size', ['10', '9', '9.0', '09', '-0', '0'], ['0', '2'], ['9', '3'], ['10', '1']],
    ['size', ['1.50', '-1.50', '1.500'], ['-1.5', '1'], ['1.5', '2']],
    ['done', [true, false, true, undefined], [false, '1'], [true, '2'], [null, '1']],
    ['state', ['Won', 'lost', 'open', undefined], ['open', '1'], ['lost', '1'], ['Won', '1'], [null, '1']],
    ['land', ['GB', 'DE', 'DE'], ['DE', '2'], ['GB', '1']],
    ['zone', ['UTC', 'Europe/Berlin'], ['Europe/Berlin', '1'], ['UTC', '1']],
    ['price', [eur('1'), eur('2'), { amount: '1', unit: 'CHF' }, undefined], ['CHF', '1'], ['EUR', '2'], [null, '1']],
    ['day', ['2026-03-02', '2026-03-01', undefined], ['2026-03-01', '1'], ['2026-03-02', '1'], [null, '1']],
    ['tags', [['a', 'b'], ['b', 'b', 'B'], undefined], ['a', '1'], ['B', '1'], ['b', '2'], [null, '1']],
    [
      'sizes',
      [
        ['1', '1.0'],
        ['1', '2'],
      ],
      ['1', '2'],
      ['2', '1'],
    ],
  ])('of %s over %j', async (property, values, ...expected) => {
    expect(await countsBy(await salesWith(property, ...(values as unknown[])), { property })).toEqual(expected);
  });

  test('can be repeated and combined; a record is in each of its groups', async () => {
    const client = await salesWith('tags', ['a', 'b']);
    const found = await groups(client, { group_by: [{ property: 'tags' }, { property: 'tags' }], aggregations: count });
    expect(found.map(({ key }) => key)).toEqual([
      ...[
        ['a', 'a'],
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'b'],
      ],
    ]);
    const group_by = [{ property: 'tags' }, { property: 'name' }, { property: 'state' }];
    expect(
      await groups(client, { group_by, aggregations: [{ function: 'count', property: 'tags', as: 'n' }] }),
    ).toEqual([
      { key: ['a', null, null], values: { n: '2' } },
      { key: ['b', null, null], values: { n: '2' } },
    ]);
  });
});

describe('buckets of days', () => {
  const days = ['2026-01-04', '2026-01-05', '2025-12-29', '2026-03-31', '2026-04-01', '2024-02-29'];
  test.each([
    [undefined, ['2024-02-29', '2025-12-29', '2026-01-04', '2026-01-05', '2026-03-31', '2026-04-01']],
    ['day', ['2024-02-29', '2025-12-29', '2026-01-04', '2026-01-05', '2026-03-31', '2026-04-01']],
    // Weeks start on Monday: the 4th of January 2026 is a Sunday, and its week began in the year before.
    ['week', ['2024-02-26', '2025-12-29 2', '2026-01-05', '2026-03-30 2']],
    ['month', ['2024-02-01', '2025-12-01', '2026-01-01 2', '2026-03-01', '2026-04-01']],
    ['quarter', ['2024-01-01', '2025-10-01', '2026-01-01 3', '2026-04-01']],
    ['year', ['2024-01-01', '2025-01-01', '2026-01-01 4']],
  ])('by %s are keyed by their first day', async (granularity, expected) => {
    const client = await salesWith('day', ...days);
    const found = await countsBy(client, { property: 'day', ...(granularity && { granularity }) });
    expect(found.map(([key, number]) => (number === '1' ? key : [key, number].join(' ')))).toEqual(expected);
  });
});

describe('buckets of moments', () => {
  test('without granularity and zone are days of UTC, with any offset that was sent', async () => {
    const client = await salesWith(
      'moment',
      '2026-01-01T00:30:00+01:00',
      '2025-12-31T23:30:00Z',
      '2026-01-01T00:00:00Z',
    );
    expect(await countsBy(client, { property: 'moment' })).toEqual([
      ['2025-12-31', '2'],
      ['2026-01-01', '1'],
    ]);
    const zoned = { property: 'moment', timezone: 'Europe/Berlin' };
    expect(await countsBy(client, zoned)).toEqual([['2026-01-01', '3']]);
    const [year, week] = ['year', 'week'].map((granularity) => ({
      ...zoned,
      timezone: 'Pacific/Honolulu',
      granularity,
    }));
    expect(await countsBy(client, year as object)).toEqual([['2025-01-01', '3']]);
    expect(await countsBy(client, week as object)).toEqual([['2025-12-29', '3']]);
  });

  test('by hour are keyed with the offset of the zone', async () => {
    const client = await salesWith(
      'moment',
      '2026-03-31T07:59:59.999999Z',
      '2026-03-31T07:00:00Z',
      '2026-03-31T08:00:00Z',
    );
    const by = (timezone?: string) =>
      countsBy(client, { property: 'moment', granularity: 'hour', ...(timezone && { timezone }) });
    expect(await by()).toEqual([
      ['2026-03-31T07:00:00+00:00', '2'],
      ['2026-03-31T08:00:00+00:00', '1'],
    ]);
    expect(await by('Europe/Berlin')).toEqual([
      ['2026-03-31T09:00:00+02:00', '2'],
      ['2026-03-31T10:00:00+02:00', '1'],
    ]);
    // Hours of local time, not of UTC.
    expect(await by('Asia/Kolkata')).toEqual([
      ['2026-03-31T12:00:00+05:30', '1'],
      ['2026-03-31T13:00:00+05:30', '2'],
    ]);
    expect(await by('America/St_Johns')).toEqual([
      ['2026-03-31T04:00:00-02:30', '1'],
      ['2026-03-31T05:00:00-02:30', '2'],
    ]);
  });

  test('when the clocks go back, an hour occurs twice, each with its offset, in the order of time', async () => {
    const client = await salesWith(
      'moment',
      '2026-10-25T01:30:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T00:59:59.999999Z',
    );
    const key = { property: 'moment', granularity: 'hour', timezone: 'Europe/Berlin' };
    expect(await countsBy(client, key)).toEqual([
      ['2026-10-25T02:00:00+02:00', '2'],
      ['2026-10-25T02:00:00+01:00', '1'],
    ]);
    expect(await countsBy(client, { ...key, granularity: 'day' })).toEqual([['2026-10-25', '3']]);
  });

  test('when the clocks go forward, an hour is missing, and the day has 23', async () => {
    const client = await salesWith(
      'moment',
      ...['2026-03-29T00:59:59.999999Z', '2026-03-29T01:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'],
      ...['2026-03-29T22:00:00Z', '2026-03-28T22:59:59.999999Z'],
    );
    const by = (granularity: string) =>
      countsBy(client, { property: 'moment', granularity, timezone: 'Europe/Berlin' });
    expect((await by('hour')).map(([key]) => key)).toEqual([
      ...['2026-03-28T23:00:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-29T01:00:00+01:00'],
      ...['2026-03-29T03:00:00+02:00', '2026-03-29T23:00:00+02:00', '2026-03-30T00:00:00+02:00'],
    ]);
    expect(await by('day')).toEqual([
      ['2026-03-28', '1'],
      ['2026-03-29', '4'],
      ['2026-03-30', '1'],
    ]);
    // The 29th is a Sunday, so that midnight of Berlin begins a week.
    expect(await by('week')).toEqual([
      ['2026-03-23', '5'],
      ['2026-03-30', '1'],
    ]);
  });

  test('follow the days of the zone, even where a day begins at one o’clock or was left out', async () => {
    // Beirut went forward at midnight; Apia left out the 30th of December 2011.
    const client = await salesWith(
      'moment',
      '2026-03-28T21:59:59Z',
      '2026-03-28T22:00:00Z',
      '2011-12-30T09:59:59Z',
      '2011-12-30T10:00:00Z',
    );
    const by = (timezone: string) => countsBy(client, { property: 'moment', granularity: 'day', timezone });
    expect(await by('Asia/Beirut')).toEqual([
      ['2011-12-30', '2'],
      ['2026-03-28', '1'],
      ['2026-03-29', '1'],
    ]);
    expect(await by('Pacific/Apia')).toEqual([
      ['2011-12-29', '1'],
      ['2011-12-31', '1'],
      ['2026-03-29', '2'],
    ]);
  });

  test('work for the date of creation too', async () => {
    const client = await salesWith('name', 'a', 'b');
    const [[year, number] = []] = await countsBy(client, { property: 'svc_created_at', granularity: 'year' });
    expect([year, number]).toEqual([expect.stringMatching(/^20\d\d-01-01$/), '2']);
  });
});
