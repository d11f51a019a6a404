// From a measure to SQL: the aggregate, what the result is ordered and compared by, and its JSON. Numbers are exact
// (`numeric`) and returned as text; amounts are added up unit by unit, then listed for each group.
import { raw, type Sql, sql } from '../../base/sql.ts';
import { isNumeric, type Measure } from '../../query/plan.ts';
import type { Aggregation } from '../../schema/field-type.ts';
import type { Property } from '../../schema/object-type.ts';
import type { OrderValue } from './value.ts';
import { asNumeric, type Form, moneyOf, numberOf, orderedText, orderValuesOf, sameness } from './value.ts';

/** A measure of a group that is put together from smaller groups. */
export interface Parts {
  /** The aggregates of a smaller group. */
  readonly aggregates: readonly Sql[];
  /** The aggregates of the whole, of the columns of the former. */
  readonly merge: (columns: readonly Sql[]) => readonly Sql[];
  /** The measure, from the latter. */
  readonly value: (merged: readonly Sql[]) => Sql;
}

export interface CompiledMeasure {
  /** The aggregate, and the name of its column. */
  readonly aggregate: Sql;
  readonly column: Sql;
  /** Whether the measure is an amount, with one value for each unit. */
  readonly perUnit: boolean;
  /** How it follows from its parts; undefined if it does not. */
  readonly parts: Parts | undefined;
  /** The order of groups by this measure; undefined for amounts. */
  readonly order: OrderValue | undefined;
  readonly json: Sql;
}

/** A row that holds the values of the measured property. */
interface MeasuredRow {
  readonly name: Sql;
  readonly form: Form;
  /** Leaves out rows that only have values of other properties. */
  readonly filter: Sql;
}

export function compileMeasure(measure: Measure, index: number, row: MeasuredRow): CompiledMeasure {
  const { name: rowName, form, filter } = row;
  const { function: name, property } = measure;
  const column = valueColumn(index);
  if (property === undefined || isNumeric(measure)) {
    return {
      aggregate: aggregateNumber(name, property, row),
      column,
      perUnit: false,
      parts: partsOfNumber(name, property, row),
      order: { value: column, type: asNumeric },
      json: sql`to_jsonb(${column}::text)`,
    };
  }
  if (property.fieldType.comparison === 'money') {
    return {
      aggregate: totalOf(name, moneyOf(rowName, form).amount, filter),
      column,
      perUnit: true,
      parts: partsOfAmount(name, moneyOf(rowName, form).amount, filter),
      order: undefined,
      json: amountsJson(column),
    };
  }
  return compileExtreme(name, property, row, column);
}

function valueColumn(index: number): Sql {
  return raw(`v${index}`);
}

function partsOfNumber(name: Aggregation, property: Property | undefined, row: MeasuredRow): Parts | undefined {
  if (name === 'count') {
    return {
      aggregates: [aggregateNumber(name, property, row)],
      // Of the type of a count, so that PostgreSQL need not convert the counts that are not put together.
      merge: ([count]) => [sql`coalesce(sum(${count}), 0)::bigint`],
      value: ([count = none]) => count,
    };
  }
  if (property === undefined || name === 'count_distinct' || name === 'median') return undefined;
  return partsOfAmount(name, numberOf(row.name, row.form), row.filter);
}

function partsOfAmount(name: Aggregation, amount: Sql, filter: Sql): Parts | undefined {
  if (name === 'sum')
    return { aggregates: [sql`sum(${amount}) ${filter}`], merge: addUp, value: ([sum = none]) => sum };
  if (name === 'min' || name === 'max') {
    return {
      aggregates: [extremePair(name, amount, filter)],
      merge: ([pair]) => [sql`${extremes[name]}(${pair})`],
      value: ([pair = none]) => sql`(${pair})[1]`,
    };
  }
  if (name !== 'avg') return undefined;
  return {
    aggregates: [sql`sum(${amount}) ${filter}`, sql`count(${amount}) ${filter}`],
    merge: addUp,
    value: ([sum = none, count = none]) => quotient(sum, count),
  };
}

const none = raw('null');

function addUp(columns: readonly Sql[]): readonly Sql[] {
  return columns.map((column) => sql`sum(${column})`);
}

/** Enough decimals for an exact quotient, if there is one, before rounding. */
const manyDecimals = raw('1.0000000000000000000000000000000000');
const averageDecimals = raw('16');

function aggregateNumber(
  name: Aggregation,
  property: Property | undefined,
  { name: row, form, filter }: MeasuredRow,
): Sql {
  if (property === undefined) return sql`count(*) ${filter}`;
  if (name === 'count') return sql`count(${row}.value) ${filter}`;
  if (name === 'count_distinct') return sql`count(distinct ${sameness(row, property, form)}) ${filter}`;
  const value = numberOf(row, form);
  switch (name) {
    case 'avg':
      return average(value, filter);
    case 'median':
      // The middle value from below and from above are the same, or the two whose mean is the median.
      return sql`trim_scale((percentile_disc(0.5) within group (order by ${value}) ${filter}
        + percentile_disc(0.5) within group (order by ${value} desc) ${filter}) * 0.5)`;
    case 'sum':
      return sql`sum(${value}) ${filter}`;
    default:
      return extremeNumber(name, value, filter);
  }
}

function average(value: Sql, filter: Sql): Sql {
  return quotient(sql`sum(${value}) ${filter}`, sql`count(${value}) ${filter}`);
}

function quotient(sum: Sql, count: Sql): Sql {
  return sql`trim_scale(round(${sum} * ${manyDecimals} / nullif(${count}, 0), ${averageDecimals}))`;
}

const extremes = { min: raw('min'), max: raw('max') } as const;

/** Of equal numbers that are written differently, always the shortest. */
function extremeNumber(name: 'min' | 'max', value: Sql, filter: Sql): Sql {
  return sql`(${extremePair(name, value, filter)})[1]`;
}

function extremePair(name: 'min' | 'max', value: Sql, filter: Sql): Sql {
  const scale = name === 'min' ? sql`scale(${value})` : sql`- scale(${value})`;
  return sql`${extremes[name]}(case when ${value} is not null then array[${value}, ${scale}] end) ${filter}`;
}

/** The first or last text, day or moment: ordered by its compared form, returned as it is stored. */
function compileExtreme(
  name: Aggregation,
  property: Property,
  { name: row, filter }: MeasuredRow,
  column: Sql,
): CompiledMeasure {
  const extreme = name === 'min' ? extremes.min : extremes.max;
  const [value] = orderValuesOf(row, property);
  const compared =
    property.fieldType.comparison === 'moment' ? momentText(value?.value ?? raw('null')) : sql`${value?.value}`;
  const both = sql`array[${compared} collate "C", (${row}.stored #>> '{}') collate "C"]`;
  return {
    aggregate: sql`${extreme}(case when ${row}.value is not null then ${both} end) ${filter}`,
    column,
    perUnit: false,
    parts: undefined,
    // The stored text decides between equals only for the result, not for the order.
    order: { value: sql`${column}[1]`, type: orderedText },
    json: sql`to_jsonb(${column}[2])`,
  };
}

/** Microseconds in fixed width, offset to be positive, so that the order of text is the order in time. */
function momentText(value: Sql): Sql {
  return sql`lpad((extract(epoch from ${value}) * 1000000 + 100000000000000000)::bigint::text, 18, '0')`;
}

function totalOf(name: Aggregation, amount: Sql, filter: Sql): Sql {
  switch (name) {
    case 'min':
    case 'max':
      return extremeNumber(name, amount, filter);
    case 'avg':
      return average(amount, filter);
    default:
      return sql`sum(${amount}) ${filter}`;
  }
}

/**
 * The amounts of a group, each as a text that begins with its unit; null where there are none. All groups have it, and few of
 * them are on the page, so that it becomes JSON only there.
 */
export function listAmounts(amount: Sql, unit: Sql, filter: Sql): Sql {
  return sql`array_agg(${unit} || ' ' || ${amount}::text) ${filter}`;
}

/** No unit has a space in it. */
function amountsJson(list: Sql): Sql {
  return sql`(select jsonb_agg(jsonb_build_object('amount', split_part(a, ' ', 2), 'unit', split_part(a, ' ', 1))
    order by split_part(a, ' ', 1) collate "C") from unnest(${list}) as a)`;
}
