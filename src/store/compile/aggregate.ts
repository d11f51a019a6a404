// One page of groups as one statement: records are found, grouped and measured, then the groups are filtered, ordered
// and cut. All names of groups and measures in the statement are our own.
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { AggregatePlan, Having, HavingOperator, Measure } from '../../query/plan.ts';
import type { Property } from '../../schema/object-type.ts';
import type { TypeSlots } from '../../schema/slots.ts';
import { r, type Viewer, visibleTo } from '../viewer.ts';
import { groupFacts } from './fact-groups.ts';
import { areFactsEnough } from './facts.ts';
import { compileSelection, type RowKind, type Testing } from './filter.ts';
import { type CompiledGroup, compileGroup } from './groups.ts';
import { compileBeyond, compileOrderBy, compileTexts, type OrderPart } from './keyset.ts';
import { type CompiledMeasure, compileMeasure, listAmounts } from './measures.ts';
import { compileSet, type RecordSet } from './sets.ts';
import { asNumeric, elementLists, moneyOf, valueCount, valueRows } from './value.ts';

export interface AggregateRequest {
  readonly viewer: Viewer;
  readonly plan: AggregatePlan;
  /** The texts of what the last group of the previous page is ordered by. */
  readonly after: readonly (string | null)[] | undefined;
  readonly limit: number;
}

/** The records come from the set, if there is one, or from all records of the type. */
export function compileAggregate(request: AggregateRequest, set: RecordSet | undefined, testing: Testing): Sql {
  const { viewer, plan, after, limit } = request;
  const kind: RowKind = set === undefined && areFactsEnough(plan) ? plan.type.slots : 'record';
  const keys = plan.groups.map((key, index) => named(compileGroup(viewer, key, kind), index));
  const { sources, measures } = compileMeasures(plan.measures, kind);
  const from = kind === 'record' ? records(request, set, testing) : facts(request, testing, kind);
  const groups = groupsOf(from, keys, sources, measures, { viewer, kind });
  const parts = orderOf(plan, keys, measures);
  const conditions = [...plan.having.map(compileHaving), ...(after === undefined ? [] : [compileBeyond(parts, after)])];
  return sql`select ${jsonArray(keys)} as key, ${jsonObject(plan.measures, measures)} as "values", ${compileTexts(parts)}
    from (
      select * from (${groups}) as g
      ${conditions.length === 0 ? raw('') : sql`where ${join(conditions, ' and ')}`}
      ${parts.length === 0 ? raw('') : sql`order by ${compileOrderBy(parts)}`} limit ${limit}) as g`;
}

/**
 * One row if the records have more combinations of groups than `most`, counted record by record without making them,
 * and no further than that: exactly, or from the links alone, which may be too many but costs less. Undefined if
 * combinations cannot multiply: at most one part then has several rows for a record.
 */
export function compileExcess(
  request: AggregateRequest,
  set: RecordSet | undefined,
  testing: Testing,
  { most, count }: { readonly most: number; readonly count: 'exactly' | 'atMost' },
): Sql | undefined {
  const { viewer, plan } = request;
  const groups = plan.groups.map((key) => compileGroup(viewer, key, 'record')).filter(({ many }) => many);
  const lists = measuredProperties(plan.measures).filter(({ multiValued }) => multiValued);
  const counts = [
    ...groups.map(({ rows, countMax }) => (count === 'exactly' ? sql`(select count(*) from ${rows} as k)` : countMax)),
    ...(lists.length === 0
      ? []
      : [
          sql`greatest(${join(
            lists.map((each) => valueCount(r, each)),
            ', ',
          )})`,
        ]),
  ];
  if (counts.length < 2) return undefined;
  // A record without rows is in the group with key null. Products of whole numbers would overflow.
  const factors = counts.map((each) => sql`greatest(${each}, 1)::float8`);
  return sql`select 1 as excess
    from (
      select sum(${join(factors, ' * ')}) over (rows unbounded preceding) as combinations
      from ${records(request, set, testing)}) as c
    where c.combinations > ${most} limit 1`;
}

function groupsOf(
  from: Sql,
  keys: readonly NamedGroup[],
  sources: readonly Source[],
  measures: readonly SourcedMeasure[],
  { viewer, kind }: { readonly viewer: Viewer; readonly kind: RowKind },
): Sql {
  const units = sources.filter(({ perUnit }) => perUnit);
  const factKeys = keys.flatMap(({ group: { fact, columns }, outer }) =>
    fact === undefined ? [] : [{ fact, columns, outer }],
  );
  const factMeasures = measures.flatMap((each) => (each.parts === undefined ? [] : [{ ...each, parts: each.parts }]));
  const [unit, ...otherUnits] = units;
  const inParts = factKeys.length === keys.length && factMeasures.length === measures.length && otherUnits.length === 0;
  if (kind !== 'record' && inParts) {
    return groupFacts(
      sql`${from} ${beside(viewer, [], sources, kind)}`,
      factKeys,
      factMeasures,
      unit && sql`${unit.name}.unit`,
    );
  }
  const rows = sql`${from} ${beside(viewer, keys, sources, kind)}`;
  return units.length === 0 ? groupOnce(rows, keys, measures) : groupPerUnit(rows, keys, measures, units);
}

function groupOnce(rows: Sql, keys: readonly NamedGroup[], measures: readonly SourcedMeasure[]): Sql {
  const measured = measures.map(({ aggregate, column }) => sql`${aggregate} as ${column}`);
  const grouped = keys.flatMap(({ inner }) => inner);
  return sql`select ${join([...keyColumns(keys), ...measured], ', ')} from ${rows} ${groupBy(grouped)}`;
}

/**
 * For every property that is an amount, each group is also grouped by unit, all in one pass over the records. Then the
 * rows of the units become lists in the row of their group.
 */
function groupPerUnit(
  rows: Sql,
  keys: readonly NamedGroup[],
  measures: readonly SourcedMeasure[],
  units: readonly Source[],
): Sql {
  const grouped = keys.flatMap(({ inner }) => inner);
  const outer = keys.flatMap((key) => key.outer);
  const sets = [grouped, ...units.map(({ name }) => [...grouped, sql`${name}.unit`])];
  const first = [
    ...keyColumns(keys),
    ...units.flatMap(({ name }) => [sql`${name}.unit as ${name}_unit`, sql`grouping(${name}.unit) as ${name}_all`]),
    ...measures.map(({ aggregate, column }) => sql`${aggregate} as ${column}`),
  ];
  const whole = join(
    units.map(({ name }) => sql`${name}_all = 1`),
    ' and ',
  );
  const second = measures.map(({ perUnit, column, source }) => {
    if (!perUnit) return sql`max(${column}) filter (where ${whole}) as ${column}`;
    const ofUnit = sql`filter (where ${source}_all = 0 and ${source}_unit is not null)`;
    return sql`${listAmounts(column, sql`${source}_unit`, ofUnit)} as ${column}`;
  });
  const all = sets.map((set) => sql`(${join(set, ', ')})`);
  return sql`select ${join([...outer, ...second], ', ')}
    from (select ${join(first, ', ')} from ${rows} group by grouping sets (${join(all, ', ')})) as g
    ${groupBy(outer)}`;
}

function keyColumns(keys: readonly NamedGroup[]): readonly Sql[] {
  return keys.flatMap(({ inner, outer }) => inner.map((column, place) => sql`${column} as ${outer[place]}`));
}

function groupBy(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? raw('') : sql`group by ${join(columns, ', ')}`;
}

function records({ viewer, plan }: AggregateRequest, set: RecordSet | undefined, testing: Testing): Sql {
  const wanted = sql`r.type_id = ${plan.type.id} and ${compileSelection(viewer, plan, testing)}`;
  if (set === undefined) return sql`(select r.* from orrery.record as r where ${visibleTo(viewer)} and ${wanted}) as r`;
  return sql`(select distinct k.record_id from (${compileSet(viewer, plan, set)}) as k) as i
    cross join lateral (
      select r.* from orrery.record as r
      where ${visibleTo(viewer)} and r.id = i.record_id and ${wanted} offset 0) as r`;
}

function facts({ viewer, plan }: AggregateRequest, testing: Testing, kind: TypeSlots): Sql {
  return sql`(select r.* from orrery.fact as r
    where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and ${compileSelection(viewer, plan, testing, kind)}) as r`;
}

interface Source {
  readonly property: Property;
  readonly name: Sql;
  /** Whether it is measured unit by unit. */
  readonly perUnit: boolean;
}

const onceEach = raw('filter (where coalesce(z.n, 1) = 1)');

interface SourcedMeasure extends CompiledMeasure {
  readonly source: Sql;
}

function measuredProperties(measures: readonly Measure[]): readonly Property[] {
  return [...new Set(measures.flatMap(({ property }) => property ?? []))];
}

/** Each measured property is a source of values; multi-valued ones are read side by side. */
function compileMeasures(
  measures: readonly Measure[],
  kind: RowKind,
): {
  readonly sources: readonly Source[];
  readonly measures: readonly SourcedMeasure[];
} {
  const properties = measuredProperties(measures);
  const names = properties.map((_, index) => raw(`m${index}`));
  const many = properties.some(({ multiValued }) => multiValued);
  const compiled = measures.map((measure, index) => {
    const source = names[measure.property === undefined ? -1 : properties.indexOf(measure.property)] ?? r;
    // A single value of a record counts once, however many rows the record has.
    const filter = many && measure.property?.multiValued !== true ? onceEach : raw('');
    const slot = kind === 'record' ? undefined : kind.properties.get(measure.property?.id ?? 0);
    const form = slot?.kind ?? 'json';
    return { ...compileMeasure(measure, index, { name: source, form, filter }), source };
  });
  const sources = properties.map((property, index) => ({
    property,
    name: names[index] ?? r,
    perUnit: compiled.some(({ perUnit, source }) => perUnit && source === names[index]),
  }));
  return { sources, measures: compiled };
}

function beside({ orgId }: Viewer, keys: readonly NamedGroup[], sources: readonly Source[], kind: RowKind): Sql {
  const joins = [
    ...keys.map(({ group, name }) => group.join(name)),
    ...elementRows(sources.filter(({ property }) => property.multiValued)),
    ...sources.map(({ property, name, perUnit }) => {
      const slot = kind === 'record' ? undefined : kind.properties.get(property.id);
      if (slot !== undefined) {
        const { column, unit = column } = slot;
        return sql`cross join lateral (select r.${raw(column)} as value, r.${raw(unit)} as unit) as ${name}`;
      }
      const unit = perUnit ? sql`, ${moneyOf(raw('s')).unit} as unit` : raw('');
      const values = property.multiValued
        ? sql`select z.${name}_stored as stored, z.${name}_value as value`
        : valueRows(orgId, r, property);
      return sql`cross join lateral (select s.*${unit} from (${values}) as s) as ${name}`;
    }),
  ];
  return join(joins, ' ');
}

/**
 * The values of all multi-valued properties, side by side: a record has as many rows as its longest list has values.
 */
function elementRows(sources: readonly Source[]): readonly Sql[] {
  if (sources.length === 0) return [];
  const lists = sources.map(({ property }) => elementLists(r, property));
  const columns = sources.map(({ name }) => sql`${name}_stored, ${name}_value`);
  return [
    sql`left join lateral rows from (${join(lists, ', ')})
    with ordinality as z (${join(columns, ', ')}, n) on true`,
  ];
}

/** A group key with the names of its columns inside the grouping and outside of it. */
interface NamedGroup {
  readonly group: CompiledGroup;
  readonly name: Sql;
  readonly inner: readonly Sql[];
  readonly outer: readonly Sql[];
}

function named(group: CompiledGroup, index: number): NamedGroup {
  const name = raw(`g${index}`);
  return {
    group,
    name,
    inner: group.columns.map((column) => sql`${name}.${column}`),
    outer: group.columns.map((_, place) => raw(`g${index}_${place}`)),
  };
}

function orderOf(
  { sort }: AggregatePlan,
  keys: readonly NamedGroup[],
  measures: readonly CompiledMeasure[],
): readonly OrderPart[] {
  const byKeys = keys.map(({ group, outer }) => group.order(outer));
  const sorted = sort.flatMap(({ by, index, direction }): readonly OrderPart[] => {
    if (by === 'key') return (byKeys[index] ?? []).map((part) => ({ ...part, direction }));
    const order = measures[index]?.order;
    return order === undefined ? [] : [{ ...order, direction }];
  });
  const sortedBy = new Set(sort.filter(({ by }) => by === 'key').map(({ index }) => index));
  return [...sorted, ...byKeys.filter((_, index) => !sortedBy.has(index)).flat()];
}

const comparisons: Readonly<Record<HavingOperator, Sql>> = {
  eq: raw('='),
  neq: raw('='),
  gt: raw('>'),
  gte: raw('>='),
  lt: raw('<'),
  lte: raw('<='),
};

/** No comparison holds for a missing number except "not equal". */
function compileHaving({ measure, operator, value }: Having): Sql {
  const holds = operator === 'neq' ? raw('is not true') : raw('is true');
  return sql`(${raw(`v${measure}`)} ${comparisons[operator]} ${value}${asNumeric}) ${holds}`;
}

function jsonArray(keys: readonly NamedGroup[]): Sql {
  const members = keys.map(({ group, outer }) => group.json(outer));
  return sql`jsonb_build_array(${join(members, ', ')})::text`;
}

function jsonObject(measures: readonly Measure[], compiled: readonly CompiledMeasure[]): Sql {
  const members = measures.map(({ name }, index) => sql`${name}::text, ${compiled[index]?.json ?? raw('null')}`);
  return sql`jsonb_build_object(${join(members, ', ')})::text`;
}
