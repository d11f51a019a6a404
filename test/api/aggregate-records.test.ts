// POST /objects/{object_type}/records/aggregate/: works and permits (contract 5 and 7). Keys, order and pages of
// groups and the errors of a request are in test/aggregates.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aggregate,
  count,
  countsBy,
  each,
  groups,
  makeSales,
  salesSchema,
  valuesFor,
} from '../support/aggregates/sales.ts';
import { item, succeed } from '../support/batch.ts';
import { unnamed } from '../support/comparable-answers.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientWithSchema, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const newClient = () => clientWithSchema(service, salesSchema);

describe('functions', () => {
  test('over numbers are exact, and compare by value, not as text', async () => {
    const client = await newClient();
    await makeSales(client, { size: '9' }, { size: '10' }, { size: '1.50' }, { size: '1.5' }, { size: '-0.30' }, {});
    const all = each('size', 'count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'median');
    expect(await valuesFor(client, all)).toEqual({
      count: '5',
      count_distinct: '4',
      sum: expect.stringMatching(/^21\.70*$/),
      avg: '4.34',
      min: expect.stringMatching(/^-0\.30*$/),
      max: '10',
      median: '1.5',
    });
  });

  test('over numbers of 30 digits lose none of them', async () => {
    const client = await newClient();
    const most = '999999999999999999.999999999999';
    await makeSales(client, { size: most }, { size: most }, { size: '0.000000000001' });
    expect(await valuesFor(client, each('size', 'sum', 'avg', 'median', 'max'))).toEqual({
      sum: '1999999999999999999.999999999999',
      avg: '666666666666666666.6666666666663333',
      median: most,
      max: most,
    });
    await makeSales(client, { size: '0.000000000002' });
    // The mean of the two middle values has one place more than any of them.
    expect(await valuesFor(client, each('size', 'median'))).toEqual({ median: '500000000000000000.0000000000005' });
  });

  test('avg is rounded half away from zero at 16 decimals', async () => {
    for (const [sizes, avg] of [
      [['1', '0', '0'], '0.3333333333333333'],
      [['2', '0', '0'], '0.6666666666666667'],
      [['-2', '0', '0'], '-0.6666666666666667'],
      [['-1', '0', '0'], '-0.3333333333333333'],
      [['0.000000000001', ...Array(31).fill('0')], '0.0000000000000313'],
      [['-0.000000000001', ...Array(31).fill('0')], '-0.0000000000000313'],
      [['3', '5'], '4'],
      [['-0', '0.0'], '0'],
    ] as const) {
      const client = await newClient();
      await makeSales(client, { sizes });
      expect(await valuesFor(client, each('sizes', 'avg')), sizes.join()).toEqual({ avg });
    }
  });

  test('over a multi-valued property work on all its values together', async () => {
    const client = await newClient();
    await makeSales(client, { sizes: ['1', '1.0', '4'] }, { sizes: ['10'] }, {});
    const all = each('sizes', 'count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'median');
    expect(await valuesFor(client, [...all, { function: 'count', as: 'records' }])).toMatchObject({
      ...{ count: '4', count_distinct: '3', avg: '4', median: '2.5', records: '3' },
    });
  });

  test('over currency have an entry for each unit, in the order of units', async () => {
    const client = await newClient();
    const price = (amount: string, unit: string) => ({ price: { amount, unit } });
    await makeSales(client, price('10', 'USD'), price('9', 'USD'), price('1.0', 'EUR'), price('1.00', 'EUR'), {});
    const values = await valuesFor(client, each('price', 'count', 'count_distinct', 'sum', 'avg', 'min', 'max'));
    expect(values).toEqual({
      count: '4',
      count_distinct: '3',
      sum: [
        { amount: expect.stringMatching(/^2(\.0+)?$/), unit: 'EUR' },
        { amount: '19', unit: 'USD' },
      ],
      avg: [
        { amount: '1', unit: 'EUR' },
        { amount: '9.5', unit: 'USD' },
      ],
      min: [
        { amount: expect.stringMatching(/^1(\.0+)?$/), unit: 'EUR' },
        { amount: '9', unit: 'USD' },
      ],
      max: [
        { amount: expect.stringMatching(/^1(\.0+)?$/), unit: 'EUR' },
        { amount: '10', unit: 'USD' },
      ],
    });
  });

  test('min and max of text go by its lower-cased form, of moments by time, and give what is stored', async () => {
    const client = await newClient();
    await makeSales(
      client,
      { name: 'beta', day: '2026-02-01', moment: '2026-01-01T00:00:00+02:00' },
      { name: 'Alpha', day: '2025-12-31', moment: '2025-12-31T22:00:00.000001Z' },
      { name: 'alpha', moment: '2026-01-01T05:00:00-08:00' },
      { name: '\u{1f600}', moment: '2026-01-01T12:59:59.9+00:00' },
      { name: '\uffee' },
    );
    expect(await valuesFor(client, each('name', 'min', 'max'))).toEqual({ min: 'Alpha', max: '\u{1f600}' });
    expect(await valuesFor(client, each('day', 'min', 'max'))).toEqual({ min: '2025-12-31', max: '2026-02-01' });
    expect(await valuesFor(client, each('moment', 'min', 'max'))).toEqual({
      ...{ min: '2026-01-01T00:00:00+02:00', max: '2026-01-01T05:00:00-08:00' },
    });
    expect(await valuesFor(client, each('svc_created_at', 'count', 'count_distinct', 'min'))).toMatchObject({
      ...{ count: '5', min: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
    });
  });

  test('count_distinct treats two values as the same exactly when eq does', async () => {
    const client = await newClient();
    await makeSales(
      client,
      { name: 'Σίσυφος', body: 'Text', mail: 'A@x.example', page: 'https://a.example/A', zone: 'UTC', done: true },
      { name: 'ΣΊΣΥΦΟΣ', body: 'TEXT', mail: 'a@X.example', page: 'https://a.example/a', zone: 'UTC', done: false },
      { moment: '2026-01-01T00:00:00Z', call: [{ country_code: 'GB', national_number: '1' }], land: 'GB' },
      { moment: '2026-01-01T01:00:00.0+01:00', call: [{ country_code: 'DE', national_number: '1' }], land: 'DE' },
    );
    const names = ['name', 'body', 'mail', 'page', 'host', 'done', 'moment', 'call', 'land'];
    const aggregations = names.map((property) => ({ function: 'count_distinct', property, as: property }));
    expect(await valuesFor(client, aggregations)).toEqual({
      ...{ name: '1', body: '1', mail: '1', page: '1', host: '0', done: '2', moment: '1', call: '2' },
      land: '2',
    });
  });

  test('over nothing are null, and counts are 0', async () => {
    const client = await newClient();
    const expected = {
      count: '0',
      sum_size: null,
      median_size: null,
      max_price: null,
      min_name: null,
      avg_price: null,
    };
    const aggregations = [
      { function: 'count' },
      ...['sum', 'median'].map((name) => ({ function: name, property: 'size' })),
      ...['max', 'avg'].map((name) => ({ function: name, property: 'price' })),
      { function: 'min', property: 'name' },
    ];
    expect(await valuesFor(client, aggregations)).toEqual(expected);
    expect(await groups(client, { group_by: [{ property: 'name' }], aggregations })).toEqual([]);
    await makeSales(client, { state: 'open' });
    expect(await groups(client, { group_by: [{ property: 'state' }], aggregations })).toEqual([
      { key: ['open'], values: { ...expected, count: '1' } },
    ]);
  });

  test('are named after the function and the property, or as the request says', async () => {
    const client = await newClient();
    const odd = ['__proto__', 'constructor', "'; drop", '"', 'é \u{1f600}', ' ', 'x'.repeat(64), '$1', 'count'];
    const aggregations = odd.map((as) => ({ function: 'count_distinct', property: 'name', as }));
    const { text, body } = await aggregate(client, { aggregations });
    expect(Object.keys(body.data[0].values).sort()).toEqual([...odd].sort());
    expect(text).toMatch(/"__proto__": ?"0"/);
    const plain = [
      { function: 'count' },
      { function: 'count', property: 'tags' },
      ...[{ function: 'max', property: 'day' }],
    ];
    expect(await valuesFor(client, plain)).toEqual({ count: '0', count_tags: '0', max_day: null });
  });

  test('may have names of 64 characters, however many bytes they take', async () => {
    const client = await newClient();
    const as = '\u{1f600}'.repeat(64);
    expect(await valuesFor(client, [{ function: 'count', as }])).toEqual({ [as]: '0' });
    expect((await aggregate(client, { aggregations: [{ function: 'count', as: `${as}x` }] })).status).toBe(400);
  });
});

test('a write counts as soon as it is answered, and what is in the trash does not', async () => {
  const client = await newClient();
  const [record] = await makeSales(client, { name: 'a' });
  expect(await valuesFor(client, count)).toEqual({ count: '1' });
  await client.patch(pathOfRecord(record as RecordData), { properties: { name: 'b' } });
  expect(await countsBy(client, { property: 'name' })).toEqual([['b', '1']]);
  await client.delete(pathOfRecord(record as RecordData));
  expect(await valuesFor(client, count)).toEqual({ count: '0' });
});

describe('a credential', () => {
  test('counts what is within its reach, and nothing else', async () => {
    const orgId = await service.createOrg();
    await service.applySchema(orgId, salesSchema);
    const keyOf = async (userId: string) =>
      service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    const [one, two] = [await keyOf(await service.createUser(orgId)), await keyOf(await service.createUser(orgId))];
    const records = await makeSales(one, { name: 'a', size: '1' }, { name: 'b', size: '2' }, { name: 'b', size: '4' });
    const link = { association_type: 'svc_record_to_org', target_id: String(orgId) };
    await succeed(
      one,
      records.slice(1).map(({ id }) => item('dissociate', 'sale', { id, ...link })),
    );
    const body = { group_by: [{ property: 'name' }], aggregations: each('size', 'sum') };
    expect(await groups(one, body)).toMatchObject([{ values: { sum: '1' } }, { values: { sum: '6' } }]);
    expect(await groups(two, body)).toEqual([{ key: ['a'], values: { sum: '1' } }]);
    expect(await valuesFor(two, count)).toEqual({ count: '1' });
    expect(await valuesFor(service.client((await service.createKey(orgId)).key), count)).toEqual({ count: '3' });
  });

  test('needs read and no more; types that are not granted answer like types that do not exist', async () => {
    const reader = await service.newClient({ grants: [{ objectTypes: ['svc_contact'], operations: ['read'] }] });
    expect(await groups(reader, { aggregations: count }, 'svc_contact')).toEqual([{ key: [], values: { count: '0' } }]);
    const body = { aggregations: count };
    await expectProblem(await aggregate(reader, body, 'svc_nothing'), 'not_found', 'object_type_unknown');
    const faulty = [{ aggregations: [] }, { ...body, more: 1 }, { ...body, group_by: [{ property: 'nope' }] }];
    for (const each of [body, ...faulty]) {
      const expected = unnamed(await aggregate(reader, each, 'svc_nothing'));
      for (const type of ['svc_company', 'svc_user', 'svc_org', '__proto__']) {
        const answer = unnamed(await aggregate(reader, each, type));
        expect(answer.replaceAll(type, '(type)')).toBe(expected.replaceAll('svc_nothing', '(type)'));
      }
    }
    expect((await service.client().post(`${recordsPath('sale')}aggregate/`, {})).status).toBe(401);
  });
});
