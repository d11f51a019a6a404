// A report: records of a type in groups, with one measure, as a chart or a table. It stands in the address, so that it can be
// sent to somebody. Only what the field types allow can be chosen.
import type { AggregationFunction, AssociationType, Granularity } from '../../../client/main.ts';
import { timeZone } from '../../data/figures/days.ts';
import type { GroupQuestion } from '../../data/figures/groups.ts';
import { stageLinksOf, type TypeDetail, useCatalog } from '../../data/schema.ts';
import { filterOf, linkColumnName, readView, type View } from '../../data/view.ts';
import type { KnownProperty } from '../../fields/field.ts';

export type Chart = 'bar' | 'line' | 'funnel' | 'table';

/** A property, with a granularity if it is a date, or an association as `>name` or `<name`. */
export interface GroupChoice {
  readonly name: string;
  readonly granularity?: Granularity;
}

export interface MeasureChoice {
  readonly function: AggregationFunction;
  /** Undefined to count records. */
  readonly property?: string;
}

export interface Report {
  readonly groups: readonly GroupChoice[];
  readonly measure: MeasureChoice;
  readonly chart: Chart;
}

export const groupsMost = 2;
/** The name of the value in the answer. */
export const valueName = 'value';

export const granularities = ['day', 'week', 'month', 'quarter', 'year'] as const satisfies readonly Granularity[];

/** What an address names but the type does not have, or does not allow, is left out: anybody can write an address. */
export function readReport(search: string, type: TypeDetail, isStages: (link: AssociationType) => boolean): Report {
  const query = new URLSearchParams(search);
  const groups = (query.get('by') ?? defaultGroup(type))
    .split(',')
    .flatMap((text) => readGroup(text, type))
    .slice(0, groupsMost);
  const [fn, property] = (query.get('measure') ?? 'count').split(':');
  const measure = measuresOf(type).find((each) => each.function === fn && each.property === property);
  const charts = chartsOf(type, groups, measure ?? { function: 'count' }, isStages);
  const chart = charts.find((each) => each === query.get('chart')) ?? charts[0] ?? 'table';
  return { groups, measure: measure ?? { function: 'count' }, chart };
}

/** By stage, or else by the month in which records were made. */
function defaultGroup(type: TypeDetail): string {
  const [stage] = stageLinksOf(type);
  return stage === undefined ? 'svc_created_at:month' : linkColumnName(stage);
}

function readGroup(text: string, type: TypeDetail): readonly GroupChoice[] {
  const [name = '', granularity] = text.split(':');
  if (linkOf(type, { name }) !== undefined) return [{ name }];
  const property = type.byName.get(name);
  if (property === undefined || !property.type.groupable) return [];
  if (property.type.granularities === undefined) return [{ name }];
  return [{ name, granularity: granularities.find((each) => each === granularity) ?? 'month' }];
}

export function writeReport({ groups, measure, chart }: Report): Readonly<Record<string, string>> {
  return {
    by: groups.map(({ name, granularity }) => (granularity === undefined ? name : `${name}:${granularity}`)).join(),
    measure: measureKey(measure),
    chart,
  };
}

export function measureKey({ function: fn, property }: MeasureChoice): string {
  return property === undefined ? fn : `${fn}:${property}`;
}

export function linkOf(type: TypeDetail, { name }: GroupChoice): AssociationType | undefined {
  return type.links.find((link) => linkColumnName(link) === name);
}

/** The number of records, and every aggregation of every property. */
export function measuresOf(type: TypeDetail): readonly MeasureChoice[] {
  return [
    { function: 'count' },
    ...type.properties.flatMap(({ name, type: field }) =>
      field.aggregations.filter((fn) => fn !== 'count').map((fn) => ({ function: fn, property: name })),
    ),
  ];
}

export function groupProperties({ properties }: TypeDetail): readonly KnownProperty[] {
  return properties.filter(({ type }) => type.groupable);
}

/** Whether the values of a measure are numbers or amounts, and not the earliest day or the first name. */
export function isDrawn(type: TypeDetail, { function: fn, property }: MeasureChoice): boolean {
  if (fn === 'count' || fn === 'count_distinct') return true;
  const field = type.byName.get(property ?? '')?.type;
  return field?.aggregations.includes('avg') === true;
}

/** The first one is taken unless another is chosen. */
export function chartsOf(
  type: TypeDetail,
  groups: readonly GroupChoice[],
  measure: MeasureChoice,
  isStages: (link: AssociationType) => boolean,
): readonly Chart[] {
  const [first] = groups;
  if (first === undefined || !isDrawn(type, measure)) return ['table'];
  const link = linkOf(type, first);
  const isOverTime = first.granularity !== undefined;
  const isFunnel = groups.length === 1 && link !== undefined && isStages(link) && measure.function === 'count';
  return [...(isOverTime ? (['line'] as const) : []), 'bar', ...(isFunnel ? (['funnel'] as const) : []), 'table'];
}

/** Types of stages are those of the category `pipeline`. */
export function useIsStages(): (link: AssociationType) => boolean {
  const { types } = useCatalog();
  return ({ direction, target_type: target }) =>
    direction === 'outgoing' && types.find(({ name }) => name === target)?.category === 'pipeline';
}

export function questionOf(type: TypeDetail, report: Report, view: View): GroupQuestion {
  const filter = filterOf(view.conditions);
  const search = view.search.trim();
  const { function: fn, property } = report.measure;
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(search === '' ? {} : { search }),
    ...(report.groups.length === 0 ? {} : { group_by: report.groups.map((group) => keyOf(type, group)) }),
    aggregations: [{ function: fn, ...(property === undefined ? {} : { property }), as: valueName }],
    ...sortOf(firstGroups(type, report)),
  };
}

/** Which groups come first, so that they are there if a report has more than are read. Sums of several currencies have no order. */
export function firstGroups(type: TypeDetail, { groups: [first], measure }: Report): 'latest' | 'largest' | 'unsorted' {
  if (first?.granularity !== undefined) return 'latest';
  const isAmounts = type.byName.get(measure.property ?? '')?.field_type === 'currency';
  const isCounted = measure.function === 'count' || measure.function === 'count_distinct';
  return first === undefined || !isDrawn(type, measure) || (isAmounts && !isCounted) ? 'unsorted' : 'largest';
}

function sortOf(first: ReturnType<typeof firstGroups>): Pick<GroupQuestion, 'sort'> {
  if (first === 'unsorted') return {};
  return { sort: [{ ...(first === 'latest' ? { key: 0 } : { as: valueName }), direction: 'desc' }] };
}

function keyOf(type: TypeDetail, group: GroupChoice): NonNullable<GroupQuestion['group_by']>[number] {
  const link = linkOf(type, group);
  if (link !== undefined) {
    const isLoop = link.source_type === link.target_type;
    return { association: link.name, ...(isLoop ? { direction: link.direction } : {}) };
  }
  const { name, granularity } = group;
  if (granularity === undefined) return { property: name };
  const isMoment = type.byName.get(name)?.field_type === 'datetime';
  return { property: name, granularity, ...(isMoment ? { timezone: timeZone() } : {}) };
}

/** The address of a report, as a saved view keeps it. */
export function reportSearch(report: Report, search: string): string {
  const { search: words, conditions } = readView(search);
  const query = new URLSearchParams(writeReport(report));
  if (words !== '') query.set('q', words);
  if (conditions.length > 0) query.set('filter', JSON.stringify(conditions));
  return query.toString();
}
