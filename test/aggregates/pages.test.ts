// Groups filtered, sorted and paged through (contract 5): having, sort, limit and cursor of an aggregate.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../support/aggregates/model.ts';
import { aggregate, count, countsBy, groups, makeSales, sales, salesSchema } from '../support/aggregates/sales.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientWithSchema, faultsOf } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('groups', () => {
  let client: Client;
  beforeAll(async () => {
    client = await clientWithSchema(service, salesSchema);
    const sale = (state: string | undefined, name: string | undefined, size: string) => ({ state, name, size });
    await makeSales(
      client,
      ...[sale('Won', 'b', '1'), sale('Won', 'a', '2'), sale('lost', 'B', '10'), sale('lost', undefined, '9')],
      ...[sale(undefined, 'a', '3'), sale('open', 'a', '0.5')],
    );
  });
  const body = { group_by: [{ property: 'state' }], aggregations: [...count, { function: 'sum', property: 'size' }] };
  const keysOf = (found: readonly Entry[]) => found.map(({ key }) => key);

  test.each([
    [{ as: 'count', operator: 'eq', value: '2.0' }, ['lost', 'Won']],
    [{ as: 'count', operator: 'neq', value: '2' }, ['open', null]],
    [{ as: 'sum_size', operator: 'gt', value: '3' }, ['lost']],
    [{ as: 'sum_size', operator: 'gte', value: '3' }, ['lost', 'Won', null]],
    [{ as: 'sum_size', operator: 'lt', value: '3' }, ['open']],
    [{ as: 'sum_size', operator: 'lte', value: '3.000' }, ['open', 'Won', null]],
  ])('are kept by having %j', async (having, keys) => {
    expect(keysOf(await groups(client, { ...body, having: [having] })).flat()).toEqual(keys);
  });

  test('are kept when every entry of having holds; null satisfies only neq', async () => {
    const both = [
      { as: 'count', operator: 'eq', value: '1' },
      { as: 'sum_size', operator: 'lt', value: '1' },
    ];
    expect(keysOf(await groups(client, { ...body, having: both }))).toEqual([['open']]);
    const over = { group_by: body.group_by, aggregations: [{ function: 'sum', property: 'sizes' }] };
    for (const operator of ['eq', 'gt', 'gte', 'lt', 'lte']) {
      expect(await groups(client, { ...over, having: [{ as: 'sum_sizes', operator, value: '0' }] })).toEqual([]);
    }
    const neq = [{ as: 'sum_sizes', operator: 'neq', value: '0' }];
    expect(await groups(client, { ...over, having: neq })).toHaveLength(4);
    expect(
      await groups(client, { aggregations: count, having: [{ as: 'count', operator: 'gt', value: '6' }] }),
    ).toEqual([]);
  });

  test.each([
    [undefined, ['open', 'lost', 'Won', null]],
    [[{ key: 0, direction: 'desc' }], ['Won', 'lost', 'open', null]],
    [[{ as: 'sum_size', direction: 'asc' }], ['open', 'Won', null, 'lost']],
    [[{ as: 'count', direction: 'desc' }], ['lost', 'Won', 'open', null]],
    [
      [
        { as: 'count', direction: 'asc' },
        { key: 0, direction: 'desc' },
      ],
      ['open', null, 'Won', 'lost'],
    ],
  ])('are sorted by %j, ties by key, null last', async (sort, keys) => {
    expect(keysOf(await groups(client, { ...body, ...(sort && { sort }) })).flat()).toEqual(keys);
  });

  test('tie if they are sorted by the same moment, or by texts that differ only in case', async () => {
    const own = await clientWithSchema(service, salesSchema);
    await makeSales(
      own,
      { state: 'open', name: 'alpha', moment: '2026-01-01T00:00:00Z' },
      { state: 'lost', name: 'Alpha', moment: '2026-01-01T01:00:00+01:00' },
      { state: 'Won', name: 'ALPHA', moment: '2025-12-31T23:00:00.000-01:00' },
    );
    for (const property of ['name', 'moment', 'svc_created_at']) {
      const aggregations = [{ function: 'max', property, as: 'max' }];
      for (const direction of property === 'svc_created_at' ? ['asc'] : ['asc', 'desc']) {
        const sort = [{ as: 'max', direction }];
        const found = await groups(own, { group_by: body.group_by, aggregations, sort });
        expect(keysOf(found).flat(), `${property} ${direction}`).toEqual(['open', 'lost', 'Won']);
      }
    }
  });

  test('by two keys are in the order of the first, then of the second', async () => {
    const group_by = [{ property: 'name' }, { property: 'state' }];
    const found = await groups(client, { group_by, aggregations: count });
    expect(keysOf(found)).toEqual([
      ...[
        ['a', 'open'],
        ['a', 'Won'],
        ['a', null],
      ],
      ...[
        ['B', 'lost'],
        ['b', 'Won'],
        [null, 'lost'],
      ],
    ]);
  });

  test.each([1, 2, 3, 4, 5, 1_000])('in pages of %i come exactly once, the null key included', async (limit) => {
    for (const sort of [[], [{ as: 'count', direction: 'desc' }], [{ key: 1, direction: 'desc' }]]) {
      const request = { group_by: [{ property: 'state' }, { property: 'name' }], aggregations: count, sort };
      const whole = await groups(client, request);
      const walked: Entry[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer = await aggregate(client, { ...request, limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(answer.status, answer.text).toBe(200);
        walked.push(...answer.body.data);
        cursor = answer.body.pagination?.next_cursor ?? null;
        expect(cursor === null).toBe(walked.length === whole.length);
      }
      expect(walked).toEqual(whole);
    }
  });

  test('count only records that match filter and search', async () => {
    const filter = { property: 'size', operator: 'gte', value: '2' };
    expect(await countsBy(client, { property: 'state' }, { filter })).toEqual([
      ['lost', '2'],
      ['Won', '1'],
      [null, '1'],
    ]);
    expect(await countsBy(client, { property: 'state' }, { search: 'B' })).toEqual([
      ['lost', '1'],
      ['Won', '1'],
    ]);
    expect(await countsBy(client, { property: 'state' }, { search: 'b', filter })).toEqual([['lost', '1']]);
  });
});

test('a cursor of groups is bound to filter, search, sort, type and credential, and not to limit', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, salesSchema);
  const [client, neighbour] = [await service.createKey(orgId), await service.createKey(orgId)].map(({ key }) =>
    service.client(key),
  ) as [Client, Client];
  await makeSales(client, { name: 'a' }, { name: 'b' }, { name: 'c' });
  const body = { group_by: [{ property: 'name' }], aggregations: count };
  const cursor = (await aggregate(client, { ...body, limit: 1 })).body.pagination?.next_cursor;
  expect(await groups(client, { ...body, limit: 5, cursor })).toMatchObject([{ key: ['b'] }, { key: ['c'] }]);
  for (const answer of [
    await aggregate(client, { ...body, cursor, search: 'a' }),
    await aggregate(client, { ...body, cursor, filter: { property: 'name', operator: 'is_set' } }),
    await aggregate(client, { ...body, cursor, sort: [{ key: 0, direction: 'desc' }] }),
    await aggregate(client, { ...body, cursor, group_by: [{ property: 'mail' }] }),
    await aggregate(client, { ...body, cursor: `${cursor}A` }),
    await aggregate(neighbour, { ...body, cursor }),
    await aggregate(client, { group_by: [{ property: 'svc_name' }], aggregations: count, cursor }, 'svc_company'),
    await client.post(`${sales}query/`, { cursor }),
  ]) {
    await expectProblem(answer, 'invalid_request', 'invalid_cursor');
    expect(faultsOf(answer)).toEqual([{ pointer: '/cursor', reason: 'invalid_cursor' }]);
  }
  expect((await client.get(`${sales}?cursor=${cursor}`)).body.reason).toBe('invalid_cursor');
});
