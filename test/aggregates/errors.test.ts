// Errors of an aggregate (contract 2, 5 and 8): each with its reason and its place, all of them together.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aggregate, count, salesSchema } from '../support/aggregates/sales.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientWithSchema, faultsOf } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await clientWithSchema(service, salesSchema);
});
afterAll(() => service.stop());

const of = (name: unknown, property?: unknown, as?: unknown) => ({
  function: name,
  ...(property === undefined ? {} : { property }),
  ...(as === undefined ? {} : { as }),
});
const money = { aggregations: [of('sum', 'price')] };
const counted = { aggregations: count };
const by = (...group_by: readonly unknown[]) => ({ ...counted, group_by });
const having = (...entries: readonly unknown[]) => ({
  aggregations: [of('count'), of('max', 'name')],
  having: entries,
});
const sorted = (...sort: readonly unknown[]) => ({ ...counted, group_by: [{ property: 'name' }], sort });
const filtered = (filter: unknown) => ({ ...counted, filter });
const hold = { as: 'count', operator: 'gt', value: '1' };
const asc = { direction: 'asc' };

/** The request, the place of the error, and its reason. */
const faults: readonly (readonly [string, unknown, string, string])[] = [
  ['nothing', {}, '/aggregations', 'invalid_member'],
  ['no aggregation', { aggregations: [] }, '/aggregations', 'invalid_member'],
  [
    '11 aggregations',
    { aggregations: Array.from({ length: 11 }, (_, as) => of('count', undefined, `${as}`)) },
    '/aggregations',
    'invalid_member',
  ],
  ['aggregations that are not a list', { aggregations: { function: 'count' } }, '/aggregations', 'invalid_member'],
  ['an aggregation that is a text', { aggregations: ['count'] }, '/aggregations/0', 'invalid_member'],
  [
    'an aggregation without function',
    { aggregations: [{ property: 'size' }] },
    '/aggregations/0/function',
    'invalid_member',
  ],
  [
    'an unknown function',
    { aggregations: [of('average', 'size')] },
    '/aggregations/0/function',
    'operator_not_supported',
  ],
  ['a function that is a number', { aggregations: [of(1, 'size')] }, '/aggregations/0/function', 'invalid_member'],
  [
    'sum of texts',
    { aggregations: [of('count'), of('sum', 'name')] },
    '/aggregations/1/function',
    'operator_not_supported',
  ],
  ['max of email', { aggregations: [of('max', 'mail')] }, '/aggregations/0/function', 'operator_not_supported'],
  [
    'median of currency',
    { aggregations: [of('median', 'price')] },
    '/aggregations/0/function',
    'operator_not_supported',
  ],
  ['avg of days', { aggregations: [of('avg', 'day')] }, '/aggregations/0/function', 'operator_not_supported'],
  ['min of booleans', { aggregations: [of('min', 'done')] }, '/aggregations/0/function', 'operator_not_supported'],
  ['sum of nothing', { aggregations: [of('sum')] }, '/aggregations/0/property', 'invalid_member'],
  ['count_distinct of nothing', { aggregations: [of('count_distinct')] }, '/aggregations/0/property', 'invalid_member'],
  ['sum of an unknown property', { aggregations: [of('sum', 'sise')] }, '/aggregations/0/property', 'unknown_property'],
  [
    'count of an inherited property',
    { aggregations: [of('count', 'toString')] },
    '/aggregations/0/property',
    'unknown_property',
  ],
  [
    'a property that is a list',
    { aggregations: [of('count', ['size'])] },
    '/aggregations/0/property',
    'invalid_member',
  ],
  ['a name of 0 characters', { aggregations: [of('count', undefined, '')] }, '/aggregations/0/as', 'invalid_member'],
  [
    'a name of 65 characters',
    { aggregations: [of('count', undefined, 'x'.repeat(65))] },
    '/aggregations/0/as',
    'invalid_member',
  ],
  ['a name that is null', { aggregations: [of('count', undefined, null)] }, '/aggregations/0/as', 'invalid_member'],
  [
    'one name twice',
    { aggregations: [of('count'), of('sum', 'size', 'count')] },
    '/aggregations/1/as',
    'invalid_member',
  ],
  ['an unknown member', { ...counted, groups: [] }, '/groups', 'unknown_member'],
  [
    'an unknown member of an aggregation',
    { aggregations: [{ ...of('count'), of: 1 }] },
    '/aggregations/0/of',
    'unknown_member',
  ],
  ['properties, which are a query’s', { ...counted, properties: ['name'] }, '/properties', 'unknown_member'],
  ['4 keys', by(...Array(4).fill({ property: 'name' })), '/group_by', 'invalid_member'],
  ['a key that is a text', by('name'), '/group_by/0', 'invalid_member'],
  ['a key of an unknown property', by({ property: 'nam' }), '/group_by/0/property', 'unknown_property'],
  ['a key of id', by({ property: 'id' }), '/group_by/0/property', 'unknown_property'],
  ['a key of long text', by({ property: 'body' }), '/group_by/0/property', 'not_groupable'],
  ['a key of phone numbers', by({ property: 'name' }, { property: 'call' }), '/group_by/1/property', 'not_groupable'],
  ['a granularity of text', by({ property: 'name', granularity: 'day' }), '/group_by/0/granularity', 'invalid_member'],
  ['hours of days', by({ property: 'day', granularity: 'hour' }), '/group_by/0/granularity', 'invalid_member'],
  ['decades', by({ property: 'moment', granularity: 'decade' }), '/group_by/0/granularity', 'invalid_member'],
  ['a zone of days', by({ property: 'day', timezone: 'UTC' }), '/group_by/0/timezone', 'invalid_member'],
  ['a zone of text', by({ property: 'name', timezone: 'UTC' }), '/group_by/0/timezone', 'invalid_member'],
  ['a zone on Mars', by({ property: 'moment', timezone: 'Mars/Olympus' }), '/group_by/0/timezone', 'invalid_member'],
  [
    'a zone in small letters',
    by({ property: 'moment', timezone: 'europe/berlin' }),
    '/group_by/0/timezone',
    'invalid_member',
  ],
  [
    'a zone that is an offset',
    by({ property: 'moment', timezone: '+02:00' }),
    '/group_by/0/timezone',
    'invalid_member',
  ],
  ['an unknown association', by({ association: 'sale_to' }), '/group_by/0/association', 'unknown_association'],
  [
    'an association of others',
    by({ association: 'svc_deal_to_company' }),
    '/group_by/0/association',
    'unknown_association',
  ],
  [
    'a direction that the type does not have',
    by({ association: 'sale_to_company', direction: 'incoming' }),
    '/group_by/0/association',
    'unknown_association',
  ],
  [
    'an unknown direction',
    by({ association: 'sale_to_sale', direction: 'up' }),
    '/group_by/0/direction',
    'invalid_member',
  ],
  ['an unknown name in having', having({ ...hold, as: 'sum' }), '/having/0/as', 'invalid_member'],
  ['an inherited name in having', having({ ...hold, as: 'constructor' }), '/having/0/as', 'invalid_member'],
  ['having of texts', having({ ...hold, as: 'max_name' }), '/having/0/as', 'operator_not_supported'],
  [
    'having of currency',
    { ...money, having: [{ ...hold, as: 'sum_price' }] },
    '/having/0/as',
    'operator_not_supported',
  ],
  [
    'having with an unknown operator',
    having({ ...hold, operator: 'between' }),
    '/having/0/operator',
    'operator_not_supported',
  ],
  ['having with a JSON number', having({ ...hold, value: 1 }), '/having/0/value', 'invalid_value'],
  [
    'having with a text that is not a number',
    having(hold, { ...hold, value: '1e3' }),
    '/having/1/value',
    'invalid_value',
  ],
  ['having without a value', having({ as: 'count', operator: 'eq' }), '/having/0/value', 'invalid_member'],
  ['having that is not a list', { ...counted, having: hold }, '/having', 'invalid_member'],
  ['4 sort entries', sorted(...Array(4).fill({ key: 0, ...asc })), '/sort', 'invalid_member'],
  ['a sort by an unknown name', sorted({ as: 'sum', ...asc }), '/sort/0/as', 'invalid_member'],
  ['a sort by a key that does not exist', sorted({ key: 1, ...asc }), '/sort/0/key', 'invalid_member'],
  ['a sort by a negative key', sorted({ key: -1, ...asc }), '/sort/0/key', 'invalid_member'],
  ['a sort by a key of text', sorted({ key: '0', ...asc }), '/sort/0/key', 'invalid_member'],
  ['a sort by currency', { ...money, sort: [{ as: 'sum_price', ...asc }] }, '/sort/0/as', 'not_sortable'],
  ['a sort without direction', sorted({ as: 'count' }), '/sort/0/direction', 'invalid_member'],
  ['a sort upward', sorted({ as: 'count', direction: 'up' }), '/sort/0/direction', 'invalid_member'],
  ['a limit of 0', { ...counted, limit: 0 }, '/limit', 'limit_out_of_range'],
  ['a limit of 1,001', { ...counted, limit: 1_001 }, '/limit', 'limit_out_of_range'],
  ['a limit of 1.5', { ...counted, limit: 1.5 }, '/limit', 'limit_out_of_range'],
  ['a made-up cursor', { ...counted, cursor: 'abc' }, '/cursor', 'invalid_cursor'],
  [
    'a filter of an unknown property',
    filtered({ property: 'nam', operator: 'is_set' }),
    '/filter/property',
    'unknown_property',
  ],
  [
    'a filter with an operator of others',
    filtered({ not: { property: 'name', operator: 'gt', value: 'a' } }),
    '/filter/not/operator',
    'operator_not_supported',
  ],
  [
    'a filter with a wrong value',
    filtered({ and: [{ property: 'size', operator: 'eq', value: 'a' }] }),
    '/filter/and/0/value',
    'invalid_value',
  ],
  ['a search of nothing', { ...counted, search: '' }, '/search', 'invalid_member'],
  ['a search of 1,025 characters', { ...counted, search: 'x'.repeat(1_025) }, '/search', 'invalid_member'],
];

describe('an aggregate with', () => {
  test.each(faults)('%s is refused', async (_, body, pointer, reason) => {
    const answer = await aggregate(client, body);
    await expectProblem(answer, 'invalid_request', reason);
    expect(faultsOf(answer).map((fault) => ({ pointer: fault.pointer, reason: fault.reason }))).toEqual([
      { pointer, reason },
    ]);
  });

  test.each([
    ['both a property and an association', by({ property: 'name', association: 'sale_to_sale' })],
    ['a key of nothing', by({})],
    ['a direction of a property', by({ property: 'name', direction: 'outgoing' })],
    ['a granularity of an association', by({ association: 'sale_to_sale', granularity: 'day' })],
    ['a sort by nothing', sorted({ direction: 'asc' })],
    ['a sort by both a name and a key', sorted({ as: 'count', key: 0, direction: 'asc' })],
  ])('%s is refused', async (_, body) => {
    const answer = await aggregate(client, body);
    await expectProblem(answer, 'invalid_request');
    expect(['invalid_member', 'unknown_member']).toContain(answer.body.reason);
    expect(answer.body.errors?.[0]?.pointer).toMatch(/^\/(group_by|sort)\/0/);
  });

  test('several errors is answered with all of them', async () => {
    const answer = await aggregate(client, {
      filter: { property: 'nope', operator: 'eq', value: '1' },
      group_by: [{ property: 'body' }, { association: 'nope' }],
      aggregations: [of('sum', 'name'), of('max', 'nope', 'x')],
      limit: 5_000,
      cursor: 'abc',
      more: true,
    });
    await expectProblem(answer, 'invalid_request');
    const places = faultsOf(answer).map(({ pointer, reason }) => `${pointer} ${reason}`);
    const shape = ['/more unknown_member'];
    const rest = [
      '/aggregations/0/function operator_not_supported',
      '/aggregations/1/property unknown_property',
      '/cursor invalid_cursor',
      '/filter/property unknown_property',
      '/group_by/0/property not_groupable',
      '/group_by/1/association unknown_association',
      '/limit limit_out_of_range',
    ];
    expect(places.sort()).toEqual([...rest, ...shape].sort());
  });

  test('a name that is nearly right is answered with the right one and the allowed ones', async () => {
    const told = async (body: unknown) => (await aggregate(client, body)).body.errors?.[0];
    expect(await told(by({ property: 'nme' }))).toMatchObject({ property: 'nme', nearest: 'name' });
    expect(await told({ aggregations: [of('sum', 'pryce')] })).toMatchObject({ nearest: 'price' });
    expect(await told(by({ association: 'sale_to_compny' }))).toMatchObject({ nearest: 'sale_to_company' });
    const allowed = (await told({ aggregations: [of('median', 'price')] }))?.allowed;
    expect(new Set(allowed)).toEqual(new Set(['avg', 'count', 'count_distinct', 'max', 'min', 'sum']));
    const kept = (await told(having({ ...hold, operator: 'in' })))?.allowed;
    expect(new Set(kept)).toEqual(new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'neq']));
  });

  test('no body, or one that is not an object, is refused', async () => {
    for (const body of ['', '[]', '"count"', 'null', '{"aggregations":[{"function":"count"}]', '{]']) {
      const answer = await aggregate(client, body);
      expect(answer.status, body).toBe(400);
      await expectProblem(answer, 'invalid_request');
    }
  });
});
