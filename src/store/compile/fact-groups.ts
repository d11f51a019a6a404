// Groups of facts in two steps: first by the columns of the facts alone, in one pass over them; then these few groups are
// joined with what the keys need besides, and put together.
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { FactGroup } from './groups.ts';
import { type CompiledMeasure, listAmounts, type Parts } from './measures.ts';

interface FactKey {
  readonly fact: FactGroup;
  /** The names of the key's columns, in the columns of its join and outside of the grouping. */
  readonly columns: readonly Sql[];
  readonly outer: readonly Sql[];
}

interface FactMeasure extends Pick<CompiledMeasure, 'column' | 'perUnit'> {
  readonly parts: Parts;
}

/** `rows` has the facts as `r`; `unit` is the unit of the one amount that is measured. */
export function groupFacts(
  rows: Sql,
  keys: readonly FactKey[],
  measures: readonly FactMeasure[],
  unit: Sql | undefined,
): Sql {
  const first = [
    ...keys.flatMap(({ fact }, key) =>
      fact.columns.map((column, place) => ({ value: column, name: firstName(key, place) })),
    ),
    ...(unit === undefined ? [] : [{ value: unit, name: unitName }]),
  ];
  const aggregates = measures.flatMap(({ parts }, index) =>
    parts.aggregates.map((aggregate, place) => sql`${aggregate} as ${partName(index, place)}`),
  );
  // By their places: an expression that has parameters would not be recognized.
  const once = sql`select ${join([...first.map(({ value, name }) => sql`${value} as ${name}`), ...aggregates], ', ')}
    from ${rows} ${groupBy(first.map((_, place) => raw(String(place + 1))))}`;
  return putTogether(joinEnds(once, keys, measures, unit), keys, measures, unit);
}

/**
 * The groups of what the keys are, not of what they are made of. Another end is one key, so those whose ends are all seen stay
 * as they are, however many they are; the others are put together, because all ends that are not seen are one key.
 */
function joinEnds(once: Sql, keys: readonly FactKey[], measures: readonly FactMeasure[], unit: Sql | undefined): Sql {
  const sources = keys.flatMap(({ fact, columns, outer }, key) =>
    columns.map((column, place) => ({
      value: fact.join === undefined ? firstName(key, place) : sql`${endName(key)}.${column}`,
      name: outer[place] ?? column,
    })),
  );
  const joins = keys.flatMap(({ fact }, key) => fact.join?.(firstName(key, 0), endName(key)) ?? []);
  const units = unit === undefined ? [] : [unitName];
  const parts = measures.flatMap((_, index) => namesOf(index, measures));
  const joined = sql`select ${join([...sources.map(({ value, name }) => sql`${value} as ${name}`), ...units, ...parts], ', ')}
    from (${once}) as f ${join(joins, ' ')}`;
  if (joins.length === 0) return joined;
  const ends = keys.flatMap(({ fact, outer: [id] }) => (fact.join === undefined || id === undefined ? [] : [id]));
  const areSeen = join(
    ends.map((id) => sql`${id} is not null`),
    ' and ',
  );
  const names = [...sources.map(({ name }) => name), ...units];
  const merged = measures.flatMap(({ parts: { merge } }, index) => merge(namesOf(index, measures)));
  return sql`with j as materialized (${joined})
    select ${join([...names, ...parts], ', ')} from j where ${areSeen}
    union all
    select ${join([...names, ...merged], ', ')} from j where not (${areSeen}) ${groupBy(names)}`;
}

/** The measures of each key, an amount as a list of its units. */
function putTogether(
  ended: Sql,
  keys: readonly FactKey[],
  measures: readonly FactMeasure[],
  unit: Sql | undefined,
): Sql {
  const outer = keys.flatMap((key) => key.outer);
  const values = measures.map(({ parts: { merge, value }, perUnit, column }, index) => {
    const names = namesOf(index, measures);
    if (perUnit) return sql`${listAmounts(value(names), unitName, ofUnit)} as ${column}`;
    return sql`${value(unit === undefined ? names : merge(names))} as ${column}`;
  });
  return sql`select ${join([...outer, ...values], ', ')} from (${ended}) as e
    ${unit === undefined ? raw('') : groupBy(outer)}`;
}

const unitName = raw('unit');
const ofUnit = raw('filter (where unit is not null)');

function namesOf(index: number, measures: readonly FactMeasure[]): readonly Sql[] {
  return (measures[index]?.parts.aggregates ?? []).map((_, place) => partName(index, place));
}

function partName(index: number, place: number): Sql {
  return raw(`p${index}_${place}`);
}

function firstName(key: number, place: number): Sql {
  return raw(`f${key}_${place}`);
}

function endName(key: number): Sql {
  return raw(`e${key}`);
}

function groupBy(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? raw('') : sql`group by ${join(columns, ', ')}`;
}
