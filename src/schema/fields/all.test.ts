// The 14 field types against the table of contract 4. The expectations are written out from the contract.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { FieldType } from '../field-type.ts';
import { fieldTypes } from './all.ts';

const textual = 'eq neq in not_in contains not_contains starts_with ends_with';
const listed = 'eq neq in not_in';
const ranged = 'gt gte lt lte between';

/** name | operators | aggregations | sortable | groupable | granularities, besides what every type has. */
const contractTable = `
  text | ${textual} | min max | yes | yes |
  long_text | contains not_contains | | no | no |
  email | ${textual} | | yes | yes |
  url | ${textual} | | yes | yes |
  domain | ${textual} | | yes | yes |
  phone | ${listed} contains | | no | no |
  number | ${listed} ${ranged} | sum avg min max median | yes | yes |
  currency | eq neq ${ranged} | sum avg min max | yes | yes |
  date | ${listed} ${ranged} | min max | yes | yes | day week month quarter year
  datetime | ${listed} ${ranged} | min max | yes | yes | hour day week month quarter year
  boolean | eq neq | | yes | yes |
  select | ${listed} | | yes | yes |
  country | ${listed} | | yes | yes |
  timezone | ${listed} | | yes | yes |`;

const rows = contractTable
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', ...cells] = line.split('|').map((cell) => cell.trim());
    const [operators = '', aggregations = '', sortable, groupable, granularities = ''] = cells;
    const words = (text: string) => text.split(' ').filter(Boolean);
    return {
      name,
      operators: words(`is_set is_not_set ${operators}`),
      aggregations: words(`count count_distinct ${aggregations}`),
      sortable: sortable === 'yes',
      groupable: groupable === 'yes',
      granularities: granularities === '' ? undefined : words(granularities),
    };
  });

const ajv = new Ajv2020({ strict: true });
formats.default(ajv);

test('there are the 14 field types of the contract, in its order', () => {
  expect([...fieldTypes.keys()]).toEqual(rows.map((row) => row.name));
  expect(fieldTypes.size).toBe(14);
});

test.each(rows)('$name answers to the operators, aggregations and orders of the contract', (row) => {
  const { name, operators, aggregations, sortable, groupable, granularities } = typeOf(row.name);
  expect({ name, operators: [...operators].sort(), aggregations: [...aggregations].sort() }).toEqual({
    name: row.name,
    operators: row.operators.sort(),
    aggregations: row.aggregations.sort(),
  });
  expect({ sortable, groupable, granularities }).toEqual({
    sortable: row.sortable,
    groupable: row.groupable,
    granularities: row.granularities,
  });
});

test('a search reads text, long text, email addresses and domains', () => {
  const searchable = [...fieldTypes.values()].filter((each) => each.searchable);
  expect(searchable.map(({ name }) => name)).toEqual(['text', 'long_text', 'email', 'domain']);
});

test('everything but long text can have an index, in the table of its kind', () => {
  const kinds = [...fieldTypes.values()].map(({ name, index }) => [name, index?.kind]);
  expect(Object.fromEntries(kinds)).toEqual({
    ...{ text: 'text', email: 'text', url: 'text', domain: 'text', currency: 'text' },
    ...{ boolean: 'text', country: 'text', timezone: 'text', number: 'number', date: 'time', datetime: 'time' },
    ...{ phone: 'text', select: 'text', long_text: undefined },
  });
});

test.each(rows)('$name has a label, a shape that is JSON Schema 2020-12, and an example that fits it', ({ name }) => {
  const fieldType = typeOf(name);
  const validate = ajv.compile(fieldType.shape);
  const options = [{ value: fieldType.example as string, label: 'An option' }];
  expect(fieldType.label).toMatch(/^\S.*\S$/);
  expect(validate(fieldType.example)).toBe(true);
  expect(fieldType.check(fieldType.example, options)).toBeUndefined();
});

test.each(rows)('$name says what it expected and what it received, in one sentence or two', ({ name }) => {
  for (const value of ['', null, 5, [], 'x'.repeat(70_000), '\u0000'.repeat(500)]) {
    const fault = typeOf(name).check(value, []);
    expect(fault?.detail).toMatch(/^[^\n]{10,400}\.$/);
    expect(fault?.at).toBe('');
  }
});

test.each(rows)('$name names no operator and no aggregation twice', ({ name }) => {
  const { operators, aggregations } = typeOf(name);
  expect(new Set(operators).size).toBe(operators.length);
  expect(new Set(aggregations).size).toBe(aggregations.length);
});

function typeOf(name: string): FieldType {
  const fieldType = fieldTypes.get(name);
  if (fieldType === undefined) throw new Error(`There is no field type ${name}.`);
  return fieldType;
}
