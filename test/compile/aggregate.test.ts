// One page of groups as one statement: records are found, grouped and measured, then the groups filtered, ordered and cut.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { AggregatePlan } from '../../src/query/plan.ts';
import { type AggregateRequest, compileAggregate, compileExcess } from '../../src/store/compile/aggregate.ts';
import { compileGroup } from '../../src/store/compile/groups.ts';
import type { RecordSet } from '../../src/store/compile/sets.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { aggregatePlan } from '../support/compile/plans.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

function request(plan: AggregatePlan, more: Partial<AggregateRequest> = {}): AggregateRequest {
  return { viewer: world.viewer, plan, after: undefined, limit: 10, ...more };
}

test('one number of all records', async () => {
  const plan = aggregatePlan('svc_contact', { aggregations: [{ function: 'count', as: 'people' }] });
  const statement = compileAggregate(request(plan), undefined, 'each');
  expectSql(
    statement,
    `
      select jsonb_build_array()::text as key, jsonb_build_object($1::text,
        to_jsonb(v0::text))::text as "values", '{}'::text[] as parts
      from (
        select *
        from (
          select p0_0 as v0
          from (
            select p0_0
            from (
              select count(*) as p0_0
              from (
                select r.*
                from orrery.fact as r
                where r.org_id = $2 and r.type_id = $3 and true) as r) as f) as e) as g
        limit $4) as g`,
    ['people', world.orgId, 1, 10],
  );
  expect(await world.database.query(statement)).toEqual([{ key: '[]', values: '{"people": "3"}', parts: [] }]);
});

test('groups with a condition on a measure, sorted by it, from a position on', async () => {
  const plan = aggregatePlan('svc_contact', {
    group_by: [{ property: 'svc_lead_score' }],
    aggregations: [{ function: 'count', as: 'people' }],
    having: [{ as: 'people', operator: 'gte', value: '1' }],
    sort: [{ as: 'people', direction: 'desc' }],
  });
  const statement = compileAggregate(request(plan, { after: ['1', '2'] }), undefined, 'each');
  const options = ['cold', 'warm', 'hot'];
  expectSql(
    statement,
    `
      select jsonb_build_array(to_jsonb(g0_0))::text as key, jsonb_build_object($1::text,
        to_jsonb(v0::text))::text as "values", array[(v0)::text, (array_position($2::text[],
        g0_0))::text] as parts
      from (
        select *
        from (
          select g0_0, p0_0 as v0
          from (
            select f0_0 as g0_0, p0_0
            from (
              select r.s1 as f0_0, count(*) as p0_0
              from (
                select r.*
                from orrery.fact as r
                where r.org_id = $3 and r.type_id = $4 and true) as r
              group by 1) as f) as e) as g
        where (v0 >= $5::numeric) is true and (((v0 < $6::numeric or v0 is null))
          or (v0 = $7::numeric and (array_position($8::text[], g0_0) > $9::integer
          or array_position($10::text[], g0_0) is null)) or (v0 = $11::numeric
          and array_position($12::text[], g0_0) = $13::integer and false))
        order by v0 desc nulls last, array_position($14::text[], g0_0) asc nulls last
        limit $15) as g`,
    ['people', options, world.orgId, 1, '1', '1', '1', options, '2', options, '1', options, '2', options, 10],
  );
  expect(await world.database.query(statement)).toEqual([
    { key: '["hot"]', values: '{"people": "1"}', parts: ['1', '3'] },
    { key: '[null]', values: '{"people": "1"}', parts: ['1', null] },
  ]);
});

test('amounts are grouped once more by their unit, and become a list', async () => {
  const plan = aggregatePlan('svc_deal', { aggregations: [{ function: 'sum', property: 'svc_amount', as: 'worth' }] });
  const statement = compileAggregate(request(plan), undefined, 'each');
  expectSql(
    statement,
    `
      select jsonb_build_array()::text as key, jsonb_build_object($1::text, (select jsonb_agg(
          jsonb_build_object('amount', split_part(a, ' ', 2), 'unit', split_part(a, ' ', 1))
          order by split_part(a, ' ', 1) collate "C") from unnest(v0) as a))::text as "values",
        '{}'::text[] as parts
      from (
        select *
        from (
          select array_agg(unit || ' ' || p0_0::text) filter (where unit is not null) as v0
          from (
            select unit, p0_0
            from (
              select m0.unit as unit, sum(m0.value::numeric) as p0_0
              from (
                select r.*
                from orrery.fact as r
                where r.org_id = $2 and r.type_id = $3 and true) as r
              cross join lateral (
                select r.n1 as value, r.s1 as unit) as m0
              group by 1) as f) as e) as g
        limit $4) as g`,
    ['worth', world.orgId, 3, 10],
  );
  const [row] = await world.database.query<{ values: string }>(statement);
  expect(JSON.parse(row?.values ?? '')).toEqual({
    worth: [
      { amount: '80', unit: 'GBP' },
      { amount: '120.50', unit: 'USD' },
    ],
  });
});

test('records can come from a set', async () => {
  const plan = aggregatePlan('svc_contact', { aggregations: [{ function: 'count', as: 'people' }] });
  const ids = [world.idOf('Turing'), world.idOf('Hopper')];
  const statement = compileAggregate(request(plan), { kind: 'ids', ids }, 'each');
  expectSql(
    statement,
    `
      select jsonb_build_array()::text as key, jsonb_build_object($1::text,
        to_jsonb(v0::text))::text as "values", '{}'::text[] as parts
      from (
        select *
        from (
          select count(*) as v0
          from (
            select distinct k.record_id
            from (
              select unnest($2::uuid[]) as record_id) as k) as i
          cross join lateral (
            select r.*
            from orrery.record as r
            where r.org_id = $3 and r.id = i.record_id and r.type_id = $4
              and true offset 0) as r) as g
        limit $5) as g`,
    ['people', `{${ids.join(',')}}`, world.orgId, 1, 10],
  );
  expect(await world.database.query(statement)).toMatchObject([{ values: '{"people": "2"}' }]);
});

test('combinations of groups are counted record by record, and no further than their bound', async () => {
  const plan = aggregatePlan('svc_contact', {
    group_by: [
      { property: 'svc_email' },
      { property: 'svc_lead_score' },
      { association: 'svc_deal_to_contact', direction: 'incoming' },
    ],
    aggregations: [{ function: 'count' }],
  });
  const set: RecordSet = { kind: 'ids', ids: [world.idOf('Lovelace'), world.idOf('Turing')] };
  const excess = (most: number, count: 'exactly' | 'atMost') =>
    compileExcess(request(plan), set, 'each', { most, count }) ?? sql``;
  // An option is one value, so it cannot multiply anything. The links alone are cheaper to count than where they lead.
  expectSql(
    excess(4, 'atMost'),
    `
      select 1 as excess
      from (
        select sum(greatest(jsonb_array_length(r.properties -> $1::text), 1)::float8
          * greatest((
            select count(*)
            from orrery.association as a
            where a.org_id = $2 and a.target_id = r.id and a.association_type_id = $3), 1)::float8)
          over (rows unbounded preceding) as combinations
        from (
          select distinct k.record_id
          from (
            select unnest($4::uuid[]) as record_id) as k) as i
        cross join lateral (
          select r.*
          from orrery.record as r
          where r.org_id = $5 and r.id = i.record_id and r.type_id = $6
            and true offset 0) as r) as c
      where c.combinations > $7 limit 1`,
    [...['svc_email', world.orgId, 3], ...[`{${world.idOf('Lovelace')},${world.idOf('Turing')}}`, world.orgId, 1, 4]],
  );
  const [addresses, deals] = plan.groups
    .filter((_, place) => place !== 1)
    .map((key) => compileGroup(world.viewer, key, 'record'));
  for (const group of [addresses, deals]) {
    expect(excess(4, 'exactly').text.replaceAll(/\$[0-9]+/g, '?')).toContain(
      `greatest((select count(*) from ${group?.rows.text.replaceAll(/\$[0-9]+/g, '?')} as k), 1)::float8`,
    );
  }
  // Two addresses and two deals make four combinations; the other contact has no address and one deal, which makes one.
  for (const count of ['atMost', 'exactly'] as const) {
    expect(await world.database.query(excess(4, count))).toEqual([{ excess: 1 }]);
    expect(await world.database.query(excess(5, count))).toEqual([]);
  }
});

test('where only one part can have several rows for a record, nothing is counted', () => {
  const excess = (body: Parameters<typeof aggregatePlan>[1]) =>
    compileExcess(request(aggregatePlan('svc_contact', body)), undefined, 'each', { most: 10, count: 'exactly' });
  const count = [{ function: 'count' }];
  const lifecycle = { association: 'svc_contact_to_lifecycle_stage' };
  const company = { association: 'svc_contact_to_company' };
  expect(excess({ aggregations: count })).toBeUndefined();
  expect(
    excess({ group_by: [lifecycle, { property: 'svc_lead_score' }, company], aggregations: count }),
  ).toBeUndefined();
  expect(excess({ group_by: [company, { property: 'svc_email' }], aggregations: count })).toBeDefined();
  // The values of a measured list are rows as well.
  const addresses = [{ function: 'count', property: 'svc_email' }];
  expect(excess({ group_by: [lifecycle], aggregations: addresses })).toBeUndefined();
  expect(excess({ group_by: [company], aggregations: addresses })).toBeDefined();
});
