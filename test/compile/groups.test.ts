// From a group key to SQL: the rows that it adds to a record, what groups are ordered by, and the JSON of the key.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { type CompiledGroup, compileGroup } from '../../src/store/compile/groups.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { aggregatePlan } from '../support/compile/plans.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

function groupOf(type: string, key: object): CompiledGroup {
  const plan = aggregatePlan(type, { group_by: [key], aggregations: [{ function: 'count' }] });
  const [group] = plan.groups;
  if (group === undefined) throw new RangeError('no group');
  return compileGroup(world.viewer, group, 'record');
}

/** The keys of all records of a type, in the order of the groups. */
async function keysOf(typeId: number, group: CompiledGroup): Promise<readonly unknown[]> {
  const columns = group.columns.map((column) => sql`g.${column}`);
  const [first] = group.order(columns);
  const rows = await world.database.query<{ key: unknown }>(sql`select ${group.json(columns)} as key
    from orrery.record as r left join lateral ${group.rows} as g on true
    where r.org_id = ${world.orgId} and r.type_id = ${typeId} order by ${first?.value ?? raw('1')} nulls last, r.id`);
  return rows.map(({ key }) => key);
}

test('an option is grouped by its value and ordered by its place', async () => {
  const group = groupOf('svc_contact', { property: 'svc_lead_score' });
  expectSql(
    group.rows,
    `
      (
        select (v.stored #>> '{}') collate "C" as k0
        from (
          select r.properties -> $1::text as stored, r.properties -> $2::text as value,
            1 as n) as v offset 0)`,
    ['svc_lead_score', 'svc_lead_score'],
  );
  expectSql(group.order([raw('k0')])[0]?.value ?? sql``, `array_position($1::text[], k0)`, [['cold', 'warm', 'hot']]);
  expect(await keysOf(1, group)).toEqual(['warm', 'hot', null]);
});

test('a text is grouped by what it is compared by, and by what is stored', async () => {
  const group = groupOf('svc_contact', { property: 'svc_job_title' });
  expectSql(
    group.rows,
    `
      (
        select ((v.value #>> '{}')) collate "C" as k0, (v.stored #>> '{}') collate "C" as k1
        from (
          select r.properties -> $1::text as stored, coalesce(r.folded -> $2::text,
            r.properties -> $3::text) as value, 1 as n) as v offset 0)`,
    ['svc_job_title', 'svc_job_title', 'svc_job_title'],
  );
  expect(await keysOf(1, group)).toEqual(['Founder', 'Rear Admiral', null]);
});

test('a record is in a group once, whatever the number of its values', async () => {
  const group = groupOf('svc_contact', { property: 'svc_email' });
  expectSql(
    group.rows,
    `
      (
        select distinct ((v.value #>> '{}')) collate "C" as k0, (v.stored #>> '{}') collate "C" as k1
        from (
          select l.stored, l.value, l.n
          from rows
          from (jsonb_array_elements(r.properties -> $1::text),
            jsonb_array_elements(coalesce(r.folded -> $2::text,
            r.properties -> $3::text))) with ordinality as l (stored, value, n)) as v offset 0)`,
    ['svc_email', 'svc_email', 'svc_email'],
  );
  expect(await keysOf(1, group)).toEqual(['ada@acme.example', 'ada@example.com', 'grace@example.com', null]);
});

test('a moment is cut in a time zone, a day without one', async () => {
  const month = groupOf('svc_contact', { property: 'svc_created_at', granularity: 'month', timezone: 'Europe/Paris' });
  expectSql(
    month.rows,
    `
      (
        select date_trunc('month', ((v.value #>> '{}')::timestamptz at time zone $1::text))::date as k0
        from (
          select r.properties -> $2::text as stored, r.properties -> $3::text as value,
            1 as n) as v offset 0)`,
    ['Europe/Paris', 'svc_created_at', 'svc_created_at'],
  );
  expect(await keysOf(1, month)).toEqual(Array(3).fill(expect.stringMatching(/^20[0-9]{2}-[0-9]{2}-01$/)));
  const year = groupOf('svc_contact', { property: 'svc_job_start_date', granularity: 'year' });
  expectSql(
    year.rows,
    `
      (
        select date_trunc('year', (v.value #>> '{}')::timestamp)::date as k0
        from (
          select r.properties -> $1::text as stored, r.properties -> $2::text as value,
            1 as n) as v offset 0)`,
    ['svc_job_start_date', 'svc_job_start_date'],
  );
  expect(await keysOf(1, year)).toEqual(['1938-01-01', null, null]);
});

test('amounts are grouped by their unit', async () => {
  const group = groupOf('svc_deal', { property: 'svc_amount' });
  expectSql(
    group.rows,
    `
      (
        select (v.value ->> $1::text) collate "C" as k0
        from (
          select r.properties -> $2::text as stored, r.properties -> $3::text as value,
            1 as n) as v offset 0)`,
    ['unit', 'svc_amount', 'svc_amount'],
  );
  expect(await keysOf(3, group)).toEqual(['GBP', 'USD', 'USD']);
});

test('linked records are a group each, with their titles', async () => {
  const group = groupOf('svc_contact', { association: 'svc_contact_to_company' });
  expectSql(
    group.rows,
    `
      (
        select r1.id, r1.type_id
        from orrery.association as a
        cross join lateral (
          select r1.id, r1.type_id
          from orrery.record as r1
          where r1.org_id = $1 and r1.type_id = a.target_type_id and r1.id = a.target_id offset 0) as r1
        where a.org_id = $2 and a.source_id = r.id and a.association_type_id = $3
          and a.source_type_id = r.type_id and a.target_type_id = any ($4::integer[]) offset 0)`,
    [world.orgId, world.orgId, 1, '{2}'],
  );
  const acme = { id: world.idOf('Acme'), title: 'Acme', object_type: 'svc_company' };
  expect(await keysOf(1, group)).toEqual([acme, acme, null]);
});

test('a key says whether a record can be in several of its groups, and in how many at most', () => {
  const many = (type: string, key: object) => groupOf(type, key).many;
  expect(many('svc_contact', { property: 'svc_lead_score' })).toBe(false);
  expect(many('svc_contact', { property: 'svc_email' })).toBe(true);
  expect(many('svc_contact', { association: 'svc_contact_to_company' })).toBe(true);
  expect(many('svc_deal', { association: 'svc_deal_to_company' })).toBe(false);
  expect(many('svc_company', { association: 'svc_deal_to_company' })).toBe(true);
  expect(many('svc_contact', { association: 'svc_record_to_user' })).toBe(true);
  expect(many('svc_contact', { association: 'svc_record_to_org' })).toBe(false);
  expectSql(
    groupOf('svc_contact', { property: 'svc_email' }).countMax,
    'jsonb_array_length(r.properties -> $1::text)',
    ['svc_email'],
  );
  expectSql(
    groupOf('svc_company', { association: 'svc_contact_to_company' }).countMax,
    `
      (
        select count(*)
        from orrery.association as a
        where a.org_id = $1 and a.target_id = r.id and a.association_type_id = $2)`,
    [world.orgId, 1],
  );
  expectSql(
    groupOf('svc_contact', { association: 'svc_record_to_user' }).countMax,
    `
      (
        select count(*)
        from orrery.record_user as l
        where l.org_id = $1 and l.type_id = r.type_id and l.record_id = r.id)`,
    [world.orgId],
  );
});
