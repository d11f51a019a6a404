// How a value is read and compared in SQL: one row of the table for each way in which field types compare.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import type { PropertyCondition } from '../../src/query/plan.ts';
import { compileTest, orderValues, sameness, valueRows } from '../../src/store/compile/value.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { propertyOf, queryPlan } from '../support/compile/plans.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const r = raw('r');
const phone = { country_code: 'US', national_number: '2025550143' };

test.each([
  [
    'a text, case aside',
    'svc_contact',
    ['svc_job_title', 'eq', 'FOUNDER'],
    `(coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C" = $3::text`,
    ['svc_job_title', 'svc_job_title', 'founder'],
    ['Lovelace'],
  ],
  [
    'one of several texts',
    'svc_contact',
    ['svc_last_name', 'in', ['Hopper', 'Turing']],
    `
      (coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C" = any ($3::text[])`,
    ['svc_last_name', 'svc_last_name', '{"hopper","turing"}'],
    ['Hopper', 'Turing'],
  ],
  [
    'a part of a text',
    'svc_contact',
    ['svc_job_title', 'contains', 'Admiral'],
    `strpos(coalesce(r.folded ->> $1::text, r.properties ->> $2::text), $3::text) > 0`,
    ['svc_job_title', 'svc_job_title', 'admiral'],
    ['Hopper'],
  ],
  [
    'the beginning of a text',
    'svc_contact',
    ['svc_job_title', 'starts_with', 'Rear'],
    `starts_with(coalesce(r.folded ->> $1::text, r.properties ->> $2::text), $3::text)`,
    ['svc_job_title', 'svc_job_title', 'rear'],
    ['Hopper'],
  ],
  [
    'an option',
    'svc_contact',
    ['svc_lead_score', 'eq', 'warm'],
    `(r.properties ->> $1::text) collate "C" = $2::text`,
    ['svc_lead_score', 'warm'],
    ['Hopper'],
  ],
  [
    'any of many values',
    'svc_contact',
    ['svc_email', 'eq', 'ada@acme.example'],
    `
      exists (
        select 1
        from jsonb_array_elements(coalesce(r.folded -> $1::text,
          r.properties -> $2::text)) as e (value)
        where ((e.value #>> '{}')) collate "C" = $3::text)`,
    ['svc_email', 'svc_email', 'ada@acme.example'],
    ['Lovelace'],
  ],
  [
    'a phone number',
    'svc_contact',
    ['svc_phone_number', 'eq', phone],
    `
      exists (
        select 1
        from jsonb_array_elements(r.properties -> $1::text) as e (value)
        where ((e.value ->> $2::text) || (e.value ->> $3::text)) = $4::text)`,
    ['svc_phone_number', 'country_code', 'national_number', 'US2025550143'],
    ['Hopper'],
  ],
  [
    'a day',
    'svc_contact',
    ['svc_job_start_date', 'lt', '1940-01-01'],
    `(r.properties ->> $1::text) collate "C" < $2::text`,
    ['svc_job_start_date', '1940-01-01'],
    ['Turing'],
  ],
  [
    'a moment',
    'svc_contact',
    ['svc_created_at', 'gt', '2020-01-01T00:00:00Z'],
    `(r.properties ->> $1::text)::timestamptz > $2::timestamptz`,
    ['svc_created_at', '2020-01-01T00:00:00Z'],
    ['Lovelace', 'Hopper', 'Turing'],
  ],
  [
    'a number between two',
    'svc_company',
    ['svc_employee_count', 'between', ['5', '12']],
    `
      ((r.properties ->> $1::text)::numeric >= $2::numeric
        and (r.properties ->> $3::text)::numeric <= $4::numeric)`,
    ['svc_employee_count', '5', 'svc_employee_count', '12'],
    ['Acme'],
  ],
  [
    'an amount, within its unit',
    'svc_deal',
    ['svc_amount', 'gte', { amount: '20.5', unit: 'USD' }],
    `
      ((r.properties -> $1::text ->> $2::text) = $3
        and (r.properties -> $4::text ->> $5::text)::numeric >= $6::numeric)`,
    ['svc_amount', 'unit', 'USD', 'svc_amount', 'amount', '20.5'],
    ['Engine', 'Notes'],
  ],
  [
    'that there is a value',
    'svc_contact',
    ['svc_job_title', 'is_set', undefined],
    `jsonb_exists(r.properties, $1)`,
    ['svc_job_title'],
    ['Lovelace', 'Hopper'],
  ],
] as const)('%s', async (_, type, [property, operator, value], text, values, names) => {
  const plan = queryPlan(type, { filter: { property, operator, ...(value === undefined ? {} : { value }) } });
  const condition = plan.condition as PropertyCondition;
  const compiled = compileTest(1, r, condition.property, condition.test);
  expectSql(compiled, text, values);
  const statement = sql`select r.id as record_id from orrery.record as r
    where r.org_id = ${world.orgId} and r.type_id = ${plan.type.id} and ${compiled} order by r.id`;
  expect(await namesFrom(world, statement)).toEqual(names);
});

test('an amount is ordered by its unit, then by its number; an option by its place in the list', async () => {
  const [unit, amount] = orderValues(1, r, propertyOf('svc_deal', 'svc_amount'));
  const [option] = orderValues(1, r, propertyOf('svc_contact', 'svc_lead_score'));
  if (unit === undefined || amount === undefined || option === undefined) throw new RangeError('no order');
  expectSql(unit.value, `(r.properties -> $1::text ->> $2::text) collate "C"`, ['svc_amount', 'unit']);
  expectSql(amount.value, `(r.properties -> $1::text ->> $2::text)::numeric`, ['svc_amount', 'amount']);
  expectSql(option.value, `array_position($1::text[], r.properties ->> $2::text)`, [
    ['cold', 'warm', 'hot'],
    'svc_lead_score',
  ]);
  const statement = sql`select r.id as record_id from orrery.record as r
    where r.org_id = ${world.orgId} and r.type_id = 3
    order by ${unit.value}, ${amount.value}`;
  expect(await namesFrom(world, statement)).toEqual(['Bombe', 'Notes', 'Engine']);
});

test('the values of a property are rows: as they were sent, as they are compared, and their number', async () => {
  const email = propertyOf('svc_contact', 'svc_email');
  expectSql(
    valueRows(1, r, email),
    `
      select l.stored, l.value, l.n
      from rows
      from (jsonb_array_elements(r.properties -> $1::text),
        jsonb_array_elements(coalesce(r.folded -> $2::text,
        r.properties -> $3::text))) with ordinality as l (stored, value, n)`,
    ['svc_email', 'svc_email', 'svc_email'],
  );
  expectSql(sameness(raw('v'), email, 'json'), `((v.value #>> '{}')) collate "C"`, []);
  const rows = await world.database.query(sql`select v.stored, v.n from orrery.record as r
    cross join lateral (${valueRows(1, r, email)}) as v
    where r.org_id = ${world.orgId} and r.id = ${world.idOf('Lovelace')}`);
  expect(rows).toEqual([
    { stored: 'ada@example.com', n: '1' },
    { stored: 'ada@acme.example', n: '2' },
  ]);
});

test('one list that several properties are compared with is converted for each of them', () => {
  const test = { kind: 'in', values: ['Warm', 'Cold'] } as const;
  const listFor = (name: string) => compileTest(1, r, propertyOf('svc_contact', name), test).values.at(-1);
  // A filter over the ends of a link reads the same list for each type of end.
  expect(listFor('svc_job_title')).toBe('{"warm","cold"}');
  expect(listFor('svc_lead_score')).toBe('{"Warm","Cold"}');
  expect(listFor('svc_job_title')).toBe('{"warm","cold"}');
});
