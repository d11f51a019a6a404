// How a value is read and compared in SQL, for each comparison that field types use. A single value is read from its
// record or from a fact, a multi-valued property element by element, and a total is computed; the comparison is the same.
import type { Json } from '../../base/json.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Bound, Test } from '../../query/plan.ts';
import type { Comparison } from '../../schema/field-type.ts';
import type { Property } from '../../schema/object-type.ts';
import type { FactKind, Slot } from '../../schema/slots.ts';
import { texts } from '../row-parameters.ts';
import type { OrderPart } from './keyset.ts';
import { compileTotal } from './totals.ts';

/** One value: its text, and the text of its members if it is an object. A fact has its own type instead of text. */
interface Value {
  readonly text: Sql;
  member(name: 'amount' | 'unit' | 'country_code' | 'national_number'): Sql;
  readonly day?: Sql;
}

/** Whether a value outside of its record is JSON, or the columns `value` and `unit` of a fact of this kind. */
export type Form = 'json' | FactKind;

/** The value of a fact in these columns. */
function factValue(kind: FactKind, value: Sql, unit: Sql): Value {
  const member = (name: string) => (name === 'unit' ? unit : value);
  return kind === 'day' ? { text: sql`${value}::text`, member, day: value } : { text: value, member };
}

/** Whether the fact passes the test, which is one that facts can be asked (see `facts`). */
export function compileFactTest(row: Sql, { fieldType }: Property, slot: Slot, test: Test): Sql {
  const { kind, column, unit = column } = slot;
  const value = sql`${row}.${raw(column)}`;
  if (test.kind === 'set') return sql`${value} is not null`;
  return testValue(factValue(kind, value, sql`${row}.${raw(unit)}`), fieldType.comparison, test);
}

function valueIn(orgId: number, row: Sql, property: Property): Value {
  const { key, fieldType, computed } = property;
  if (computed !== undefined) return valueFrom(compileTotal({ orgId, id: sql`${row}.id` }, property));
  const stored = sql`${row}.properties ->> ${key}::text`;
  return {
    text: fieldType.comparison === 'folded' ? sql`coalesce(${row}.folded ->> ${key}::text, ${stored})` : stored,
    member: (member) => sql`(${row}.properties -> ${key}::text ->> ${member}::text)`,
  };
}

/** A value in the column `value` of a row, outside of its record. */
function loneValue(row: Sql, form: Form = 'json'): Value {
  return form === 'json' ? valueFrom(sql`${row}.value`) : factValue(form, sql`${row}.value`, sql`${row}.unit`);
}

function valueFrom(value: Sql): Value {
  return { text: sql`(${value} #>> '{}')`, member: (member) => sql`(${value} ->> ${member}::text)` };
}

const element = loneValue(raw('e'));

/** The elements of a list in their compared form; no rows if it is unset. */
function elementsOf(row: Sql, { key, fieldType }: Property): Sql {
  const list = sql`${row}.properties -> ${key}::text`;
  return fieldType.comparison === 'folded'
    ? sql`jsonb_array_elements(coalesce(${row}.folded -> ${key}::text, ${list}))`
    : sql`jsonb_array_elements(${list})`;
}

/** Whether the row's value, or any of its values, passes the test. Null counts as false. */
export function compileTest(orgId: number, row: Sql, property: Property, test: Test): Sql {
  if (property.computed !== undefined) {
    return sql`(select ${compileLoneTest(raw('v'), property, test)} from (${totalRow(orgId, row, property)}) as v)`;
  }
  if (test.kind === 'set') return sql`jsonb_exists(${row}.properties, ${property.key})`;
  if (!property.multiValued) return testValue(valueIn(orgId, row, property), property.fieldType.comparison, test);
  const tested = testValue(element, property.fieldType.comparison, test);
  return sql`exists (select 1 from ${elementsOf(row, property)} as e (value) where ${tested})`;
}

/** The same for a value outside of its record. */
export function compileLoneTest(row: Sql, { fieldType }: Property, test: Test): Sql {
  return test.kind === 'set' ? sql`${row}.value is not null` : testValue(loneValue(row), fieldType.comparison, test);
}

/** Fenced with `offset 0`, so that the total is added up once, however often it is used. */
function totalRow(orgId: number, row: Sql, property: Property): Sql {
  return sql`select ${compileTotal({ orgId, id: sql`${row}.id` }, property)} as value offset 0`;
}

function testValue(value: Value, comparison: Comparison, test: Exclude<Test, { kind: 'set' }>): Sql {
  switch (test.kind) {
    case 'in':
      return testAmong(value, comparison, test.values);
    case 'range':
      return testRange(value, comparison, test);
    default:
      return textTests[test.kind](
        comparison === 'phone' ? value.member('national_number') : value.text,
        test.text.toLowerCase(),
      );
  }
}

/** Exact parts of a text, not patterns: no character has a special meaning. */
const textTests = {
  contains: (text: Sql, part: string) => sql`strpos(${text}, ${part}::text) > 0`,
  starts_with: (text: Sql, part: string) => sql`starts_with(${text}, ${part}::text)`,
  ends_with: (text: Sql, part: string) => sql`right(${text}, length(${part}::text)) = ${part}::text`,
} as const;

interface Money {
  readonly amount: string;
  readonly unit: string;
}

function testAmong(value: Value, comparison: Comparison, values: readonly Json[]): Sql {
  if (comparison === 'money') {
    const [{ amount, unit }] = values as unknown as readonly [Money];
    return sql`(${value.member('unit')} = ${unit} and ${value.member('amount')}::numeric = ${amount}::numeric)`;
  }
  const { text, type } = comparable(value, comparison);
  const [first, second] = values;
  if (first !== undefined && second === undefined) return sql`${text} = ${operand(comparison, first)}${type}`;
  return sql`${text} = any (${operandsOf(comparison, values)}${type}[])`;
}

/**
 * The operands of lists as one text each, by their comparison. A condition is compiled for each statement that its request
 * tries, and a list may be long: a text for each of its operands would keep the thread busy collecting garbage. Several
 * properties can share one list: those of the types that a link can end at.
 */
const everyOperands = new WeakMap<readonly Json[], Map<Comparison, string>>();

function operandsOf(comparison: Comparison, values: readonly Json[]): string {
  const known = everyOperands.get(values) ?? new Map<Comparison, string>();
  everyOperands.set(values, known);
  const operands = known.get(comparison) ?? texts(values.map((each) => operand(comparison, each)));
  known.set(comparison, operands);
  return operands;
}

/** The compared form of a value, and the type of both sides. */
function comparable(value: Value, comparison: Comparison): { readonly text: Sql; readonly type: Sql } {
  if (value.day !== undefined) return { text: value.day, type: asDay };
  switch (comparison) {
    case 'number':
      return { text: sql`(${value.text})::numeric`, type: asNumeric };
    case 'moment':
      return { text: sql`(${value.text})::timestamptz`, type: asMoment };
    case 'phone':
      return { text: sql`(${value.member('country_code')} || ${value.member('national_number')})`, type: asText };
    default:
      return { text: sql`(${value.text}) collate "C"`, type: asText };
  }
}

const asText = raw('::text');
export const orderedText = raw('::text collate "C"');
export const asNumeric = raw('::numeric');
const asMoment = raw('::timestamptz');
const asDay = raw('::date');

/** The text that a value is compared with, in the form of a stored value. */
function operand(comparison: Comparison, value: Json): string {
  if (comparison === 'phone') {
    const { country_code, national_number } = value as { country_code: string; national_number: string };
    return country_code + national_number;
  }
  // Everything else is a text or a boolean.
  const text = `${value as string | boolean}`;
  return comparison === 'folded' ? text.toLowerCase() : text;
}

function testRange(value: Value, comparison: Comparison, { low, high }: { low?: Bound; high?: Bound }): Sql {
  const sides = [
    ...(low === undefined ? [] : [testBound(value, comparison, low.value, low.inclusive ? atLeast : above)]),
    ...(high === undefined ? [] : [testBound(value, comparison, high.value, high.inclusive ? atMost : below)]),
  ];
  const [first = raw('true'), second] = sides;
  return second === undefined ? first : sql`(${first} and ${second})`;
}

const above = raw('>');
const atLeast = raw('>=');
const below = raw('<');
const atMost = raw('<=');

/** Amounts of different units are not compared: an amount in another unit is neither above nor below. */
function testBound(value: Value, comparison: Comparison, bound: Json, sign: Sql): Sql {
  if (comparison === 'money') {
    const { amount, unit } = bound as unknown as Money;
    const compared = sql`${value.member('amount')}::numeric ${sign} ${amount}::numeric`;
    return sql`(${value.member('unit')} = ${unit} and ${compared})`;
  }
  const { text, type } = comparable(value, comparison);
  return sql`${text} ${sign} ${operand(comparison, bound)}${type}`;
}

/** A value to order by, null if unset, and the type that casts its text back. */
export type OrderValue = Omit<OrderPart, 'direction'>;

/** The parts that a single-valued property is ordered by, the first one first. */
export function orderValues(orgId: number, row: Sql, property: Property): readonly OrderValue[] {
  return orderOf(valueIn(orgId, row, property), property);
}

/** The same for the value in a slot of a fact. */
export function orderFactValues(
  row: Sql,
  property: Property,
  { kind, column, unit = column }: Slot,
): readonly OrderValue[] {
  return orderOf(factValue(kind, sql`${row}.${raw(column)}`, sql`${row}.${raw(unit)}`), property);
}

/** The same for a value outside of its record. */
export function orderValuesOf(row: Sql, property: Property): readonly OrderValue[] {
  return orderOf(loneValue(row), property);
}

/** The number in a row outside of its record. */
export function numberOf(row: Sql, form: Form): Sql {
  return sql`${loneValue(row, form).text}::numeric`;
}

/** What is equal for two values exactly if they are the same. */
export function sameness(row: Sql, { fieldType }: Property, form: Form): Sql {
  const value = loneValue(row, form);
  if (fieldType.comparison === 'money') {
    return sql`(${value.member('unit')} || trim_scale(${value.member('amount')}::numeric))`;
  }
  return comparable(value, fieldType.comparison).text;
}

/** The unit and the amount of a value outside of its record. */
export function moneyOf(row: Sql, form?: Form): { readonly unit: Sql; readonly amount: Sql } {
  const value = loneValue(row, form);
  return { unit: value.member('unit'), amount: sql`${value.member('amount')}::numeric` };
}

function orderOf(value: Value, { fieldType, options }: Property): readonly OrderValue[] {
  const { comparison, sortedByOptions } = fieldType;
  if (sortedByOptions) {
    const values = options.map((option) => option.value);
    return [{ value: sql`array_position(${values}::text[], ${value.text})`, type: raw('::integer') }];
  }
  if (comparison === 'money') {
    return [
      { value: sql`${value.member('unit')} collate "C"`, type: orderedText },
      { value: sql`${value.member('amount')}::numeric`, type: asNumeric },
    ];
  }
  const { text, type } = comparable(value, comparison);
  return [{ value: text, type: type === asText ? orderedText : type }];
}

/**
 * The values of a property as rows: `stored` as they were sent, `value` in their compared form, `n` their number in the
 * record. An unset property gives one row with nulls if it is single-valued, and none if it is multi-valued.
 */
export function valueRows(orgId: number, row: Sql, property: Property): Sql {
  const { key, fieldType, multiValued, computed } = property;
  if (computed !== undefined) {
    return sql`select v.value as stored, v.value, 1 as n from (${totalRow(orgId, row, property)}) as v`;
  }
  const stored = sql`${row}.properties -> ${key}::text`;
  const folded = fieldType.comparison === 'folded';
  if (!multiValued) {
    const value = folded ? sql`coalesce(${row}.folded -> ${key}::text, ${stored})` : stored;
    return sql`select ${stored} as stored, ${value} as value, 1 as n`;
  }
  return sql`select l.stored, l.value, l.n from rows from (${elementLists(row, property)})
    with ordinality as l (stored, value, n)`;
}

/** How many values a property has; null if it is unset. */
export function valueCount(row: Sql, { key, multiValued }: Property): Sql {
  return multiValued ? sql`jsonb_array_length(${row}.properties -> ${key}::text)` : raw('1');
}

/** The elements of a list as they were sent, and in their compared form: two columns for `rows from`. */
export function elementLists(row: Sql, property: Property): Sql {
  return sql`jsonb_array_elements(${row}.properties -> ${property.key}::text), ${elementsOf(row, property)}`;
}
