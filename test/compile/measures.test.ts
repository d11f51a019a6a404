// From a measure to SQL: numbers are exact and answered as text, amounts are added up unit by unit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { type CompiledMeasure, compileMeasure } from '../../src/store/compile/measures.ts';
import { valueRows } from '../../src/store/compile/value.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { aggregatePlan, propertyOf } from '../support/compile/plans.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

function measureOf(type: string, aggregation: object): CompiledMeasure {
  const [measure] = aggregatePlan(type, { aggregations: [aggregation] }).measures;
  if (measure === undefined) throw new RangeError('no measure');
  return compileMeasure(measure, 0, { name: raw('m'), form: 'json', filter: raw('') });
}

async function measured(
  typeName: string,
  name: string,
  { aggregate, column, json }: CompiledMeasure,
): Promise<unknown> {
  const typeId = typeName === 'svc_contact' ? 1 : typeName === 'svc_company' ? 2 : 3;
  const values = valueRows(1, raw('r'), propertyOf(typeName, name));
  const [row] = await world.database.query<{ result: unknown }>(sql`select ${json} as result from (
    select ${aggregate} as ${column} from orrery.record as r cross join lateral (${values}) as m
    where r.org_id = ${world.orgId} and r.type_id = ${typeId}) as g`);
  return row?.result;
}

test.each([
  ['count', 'svc_company', 'svc_employee_count', `count(m.value)`, [], '1'],
  ['count_distinct', 'svc_contact', 'svc_job_title', `count(distinct ((m.value #>> '{}')) collate "C")`, [], '2'],
  ['sum', 'svc_company', 'svc_employee_count', `sum((m.value #>> '{}')::numeric)`, [], '12'],
  [
    'avg',
    'svc_company',
    'svc_employee_count',
    `
      trim_scale(round(sum((m.value #>> '{}')::numeric) * 1.0000000000000000000000000000000000
        / nullif(count((m.value #>> '{}')::numeric) , 0), 16))`,
    [],
    '12',
  ],
  [
    'median',
    'svc_company',
    'svc_employee_count',
    `
      trim_scale((percentile_disc(0.5) within group (order by (m.value #>> '{}')::numeric)
        + percentile_disc(0.5) within group (order by (m.value #>> '{}')::numeric desc)) * 0.5)`,
    [],
    '12',
  ],
  [
    'max',
    'svc_company',
    'svc_employee_count',
    `
      (max(case when (m.value #>> '{}')::numeric is not null then array[(m.value #>> '{}')::numeric,
        - scale((m.value #>> '{}')::numeric)] end))[1]`,
    [],
    '12',
  ],
  [
    'min',
    'svc_contact',
    'svc_last_name',
    `
      min(case when m.value is not null then array[((m.value #>> '{}')) collate "C" collate "C",
        (m.stored #>> '{}') collate "C"] end)`,
    [],
    'Hopper',
  ],
  [
    'max',
    'svc_contact',
    'svc_job_start_date',
    `
      max(case when m.value is not null then array[((m.value #>> '{}')) collate "C" collate "C",
        (m.stored #>> '{}') collate "C"] end)`,
    [],
    '1938-09-04',
  ],
] as const)('%s of %s', async (name, type, property, text, values, result) => {
  const measure = measureOf(type, { function: name, property });
  expectSql(measure.aggregate, text, values);
  expect(await measured(type, property, measure)).toBe(result);
});

test('records are counted without a property', () => {
  const measure = measureOf('svc_contact', { function: 'count' });
  expectSql(measure.aggregate, `count(*)`, []);
  expectSql(measure.json, `to_jsonb(v0::text)`, []);
});

test('amounts are measured unit by unit, and cannot be sorted by', () => {
  const measure = measureOf('svc_deal', { function: 'sum', property: 'svc_amount' });
  expectSql(measure.aggregate, `sum((m.value ->> $1::text)::numeric)`, ['amount']);
  expect(measure).toMatchObject({ perUnit: true, order: undefined });
});
