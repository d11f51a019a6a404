// The answer to a report as rows: what each group is called, its value as text and as a number, and the records behind it.
import type { AssociationType } from '../../../client/main.ts';
import { asText } from '../../data/as-text.ts';
import { type Amount, amountsOf, inUnits, unitsOf } from '../../data/figures/amounts.ts';
import { addDays, endOf, startOf } from '../../data/figures/days.ts';
import { type Group, isLinkedKey } from '../../data/figures/groups.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { PlacedStage } from '../../data/stages.ts';
import type { Condition } from '../../data/view.ts';
import type { KnownProperty, Single } from '../../fields/field.ts';
import { fieldOf } from '../../fields/index.ts';
import { dateText, durationText, moneyText, monthText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { bucketAt, compareDays } from './buckets.ts';
import { type GroupChoice, isDrawn, linkOf, type Report, valueName } from './report.ts';

export interface ReportRow {
  readonly key: string;
  /** The first day of the bucket, of a report over time. */
  readonly day: string | undefined;
  readonly labels: readonly string[];
  /** In words, with all currencies. */
  readonly text: string;
  /** As it is drawn; undefined for what cannot be drawn. */
  readonly size: number | undefined;
  /** Exactly as the service answered, for CSV. */
  readonly exact: string;
  /** The records behind it; undefined if no filter finds just these. */
  readonly conditions: readonly Condition[] | undefined;
}

export interface ReportRows {
  readonly rows: readonly ReportRow[];
  /** Of amounts: the currencies, the one that is drawn first. */
  readonly units: readonly string[];
}

export function rowsOf(
  type: TypeDetail,
  report: Report,
  groups: readonly Group[],
  stages: readonly PlacedStage[],
  chosenUnit: string | undefined,
): ReportRows {
  const amounts = groups.flatMap(({ values }) => amountsOf(values[valueName]));
  const known = unitsOf(amounts);
  const unit = known.find((each) => each === chosenUnit) ?? known[0];
  const units = unit === undefined ? [] : [unit, ...known.filter((each) => each !== unit)];
  const rows = groups.map((group): ReportRow => {
    const value = group.values[valueName];
    const conditions = report.groups.map((choice, index) => conditionOf(type, choice, group.key[index]));
    return {
      key: JSON.stringify(group.key),
      day: report.groups[0]?.granularity === undefined ? undefined : asText(group.key[0]) || undefined,
      labels: report.groups.map((choice, index) => labelOf(type, choice, group.key[index])),
      text: valueWords(type, report, value, units),
      size: sizeOf(type, report, value, unit),
      exact: Array.isArray(value) ? exactAmounts(amountsOf(value)) : asText(value),
      conditions: conditions.every((each) => each !== undefined) ? conditions : undefined,
    };
  });
  return { rows: inOrder(type, report, rows, groups, stages), units };
}

/** Days in their order, stages in theirs, and everything else with the largest first. */
function inOrder(
  type: TypeDetail,
  { groups: [first] }: Report,
  rows: readonly ReportRow[],
  groups: readonly Group[],
  stages: readonly PlacedStage[],
): readonly ReportRow[] {
  if (first === undefined) return rows;
  if (first.granularity !== undefined) return rows.toSorted((one, other) => compareDays(one.day, other.day));
  const places = new Map(stages.map(({ id }, index) => [id, index]));
  const isStage = linkOf(type, first) !== undefined && stages.length > 0;
  const placeOf = (index: number) => {
    const key = groups[index]?.key[0];
    return isLinkedKey(key) ? (places.get(key.id) ?? stages.length) : stages.length;
  };
  return rows
    .map((row, index) => ({ row, index }))
    .toSorted((one, other) =>
      isStage ? placeOf(one.index) - placeOf(other.index) : (other.row.size ?? 0) - (one.row.size ?? 0),
    )
    .map(({ row }) => row);
}

function labelOf(type: TypeDetail, choice: GroupChoice, key: unknown): string {
  if (isLinkedKey(key)) return key.title || texts.noName;
  if (key === null || key === undefined) return texts.none;
  const property = type.byName.get(choice.name);
  if (choice.granularity !== undefined) return bucketText(asText(key), choice.granularity);
  if (property === undefined || property.field_type === 'currency') return asText(key);
  return fieldOf(property.field_type).text(key as Single, property);
}

export function bucketText(day: string, granularity: GroupChoice['granularity']): string {
  const year = day.slice(0, 4);
  if (granularity === 'year') return year;
  if (granularity === 'month') return `${monthText(day, 'short')} ${year}`;
  if (granularity === 'quarter') return `${texts.quarter(Math.ceil(Number(day.slice(5, 7)) / 3))} ${year}`;
  return dateText(day);
}

function conditionOf(type: TypeDetail, choice: GroupChoice, key: unknown): Condition | undefined {
  const link = linkOf(type, choice);
  if (link !== undefined) return linkedCondition(link, key);
  const property = type.byName.get(choice.name);
  if (property === undefined) return undefined;
  if (key === null) return { property: choice.name, operator: 'is_not_set' };
  if (choice.granularity !== undefined) return bucketCondition(property, asText(key), choice.granularity);
  // Amounts are grouped by their currency, which no filter asks for.
  if (property.field_type === 'currency' || !property.type.filter_operators.includes('eq')) return undefined;
  return { property: choice.name, operator: 'eq', value: key };
}

function linkedCondition(link: AssociationType, key: unknown): Condition {
  const isLoop = link.source_type === link.target_type;
  const base = { association: link.name, ...(isLoop ? { direction: link.direction } : {}) };
  return isLinkedKey(key) ? { ...base, operator: 'exists', target_id: key.id } : { ...base, operator: 'not_exists' };
}

function bucketCondition(
  { name, field_type: fieldType }: KnownProperty,
  day: string,
  granularity: NonNullable<GroupChoice['granularity']>,
): Condition | undefined {
  const next = bucketAt(day, granularity, 1);
  if (next === undefined) return undefined;
  const last = addDays(next, -1);
  if (fieldType === 'date') return { property: name, operator: 'between', value: [day, last] };
  return { property: name, operator: 'between', value: [startOf(day), endOf(last)] };
}

function sizeOf(type: TypeDetail, { measure }: Report, value: unknown, unit: string | undefined): number | undefined {
  if (!isDrawn(type, measure)) return undefined;
  if (Array.isArray(value)) return Number(amountsOf(value).find((each) => each.unit === unit)?.amount ?? '0');
  return typeof value === 'string' ? Number(value) : 0;
}

function valueWords(type: TypeDetail, { measure }: Report, value: unknown, units: readonly string[]): string {
  if (Array.isArray(value)) {
    return inUnits(amountsOf(value), units)
      .map(({ amount, unit }) => moneyText(rounded(amount), unit))
      .join('  ');
  }
  if (typeof value !== 'string') return '';
  const property = type.byName.get(measure.property ?? '');
  if (!isDrawn(type, measure) && property !== undefined) return fieldOf(property.field_type).text(value, property);
  if (isSeconds(measure.property) && measure.function !== 'count_distinct') return durationText(Number(value));
  return numberText(rounded(value));
}

/** Averages have many decimals that nobody reads. */
function rounded(number: string): string {
  const [whole = '', decimals = ''] = number.split('.');
  return decimals.length <= 2 ? number : Number(`${whole}.${decimals}`).toFixed(2);
}

/** A duration is a number whose name says that it is in seconds. */
export function isSeconds(property: string | undefined): boolean {
  return property?.endsWith('_seconds') === true;
}

function exactAmounts(amounts: readonly Amount[]): string {
  return amounts.map(({ amount, unit }) => `${amount} ${unit}`).join(' ');
}
