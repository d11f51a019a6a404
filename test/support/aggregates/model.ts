// The expected answer of an aggregate, counted in plain JavaScript from the records that a list gives and the links that the
// test has made. Written from contract 4 and 5 alone; nothing here is read from src.

import type { RecordData } from '../records.ts';
import { compareIntegers, parseDecimal } from './decimals.ts';
import { bucketOfDay, bucketOfMoment, type Granularity } from './moments.ts';
import { type Computed, compareTexts, compute, numericFunctions, type PropertyFacts, type Rank } from './values.ts';

export interface GroupKey {
  readonly property?: string;
  readonly granularity?: Granularity;
  readonly timezone?: string;
  readonly association?: string;
  readonly direction?: 'outgoing' | 'incoming';
}

export interface Aggregation {
  readonly function: string;
  readonly property?: string;
  readonly as?: string;
}

type Direction = 'asc' | 'desc';

export interface AggregateRequest {
  readonly filter?: unknown;
  readonly search?: string;
  readonly group_by?: readonly GroupKey[];
  readonly aggregations: readonly Aggregation[];
  readonly having?: readonly { readonly as: string; readonly operator: string; readonly value: string }[];
  readonly sort?: readonly ({ readonly direction: Direction } & ({ readonly as: string } | { readonly key: number }))[];
}

export interface End {
  readonly id: string;
  readonly object_type: string;
  readonly title: string | null;
}

/** The records that one credential can page through, and those that it can see at the other ends. */
export interface View {
  readonly records: readonly RecordData[];
  property(name: string): PropertyFacts;
  ends(recordId: string, association: string, direction: GroupKey['direction']): readonly End[];
}

interface KeyPart {
  readonly json: unknown;
  readonly rank: Rank;
}

interface Group {
  readonly parts: readonly KeyPart[];
  readonly records: RecordData[];
}

export interface Entry {
  readonly key: readonly unknown[];
  readonly values: Readonly<Record<string, unknown>>;
}

interface Counted extends Entry {
  readonly parts: readonly KeyPart[];
  readonly computed: ReadonlyMap<string, Computed>;
}

export function recount(view: View, request: AggregateRequest): readonly Entry[] {
  const counted = groupsOf(view, request.group_by ?? [])
    .map((group) => countGroup(view, request, group))
    .filter(({ computed }) => (request.having ?? []).every((each) => satisfies(computed.get(each.as), each)));
  return counted
    .sort((left, right) => compareEntries(request, left, right))
    .map(({ key, values }) => ({ key, values }));
}

export function nameOf({ function: name, property, as }: Aggregation): string {
  return as ?? (property === undefined ? name : `${name}_${property}`);
}

/** All values of the property, one or many. */
export function valuesOf(record: RecordData, name: string): readonly unknown[] {
  const value = record.properties[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function groupsOf(view: View, keys: readonly GroupKey[]): readonly Group[] {
  const groups = new Map<string, Group>();
  if (keys.length === 0) groups.set('', { parts: [], records: [] });
  for (const record of view.records) {
    const combinations = keys.reduce<readonly (readonly KeyPart[])[]>(
      (before, key) => before.flatMap((parts) => partsOf(view, key, record).map((part) => [...parts, part])),
      [[]],
    );
    for (const parts of combinations) {
      const identity = keys.length === 0 ? '' : JSON.stringify(parts.map(({ json }) => json));
      const group = groups.get(identity) ?? { parts, records: [] };
      groups.set(identity, group);
      group.records.push(record);
    }
  }
  return [...groups.values()];
}

/** The keys of the record, each once; the null key where it has none. */
function partsOf(view: View, key: GroupKey, record: RecordData): readonly KeyPart[] {
  const all =
    key.association === undefined
      ? valuesOf(record, key.property ?? '').map((value) => partOf(view.property(key.property ?? ''), key, value))
      : view.ends(record.id, key.association, key.direction).map((end) => ({ json: { ...end }, rank: [end.id] }));
  const once = new Map(all.map((part) => [JSON.stringify(part.json), part]));
  return once.size === 0 ? [{ json: null, rank: undefined }] : [...once.values()];
}

function partOf(facts: PropertyFacts, key: GroupKey, value: unknown): KeyPart {
  switch (facts.fieldType) {
    case 'number': {
      const scaled = parseDecimal(String(value));
      return { json: compute('max', facts, [value]).json, rank: [scaled] };
    }
    case 'boolean':
      return { json: value, rank: [value === true ? 1n : 0n] };
    case 'select':
      return { json: value, rank: [BigInt(facts.options.indexOf(String(value)))] };
    case 'currency': {
      const { unit } = value as { unit: string };
      return { json: unit, rank: [unit] };
    }
    case 'date': {
      const granularity = key.granularity ?? 'day';
      if (granularity === 'hour') throw new Error('Days have no hours.');
      const first = bucketOfDay(String(value), granularity);
      return { json: first, rank: [first] };
    }
    case 'datetime': {
      const bucket = bucketOfMoment(String(value), key.granularity ?? 'day', key.timezone ?? 'UTC');
      return { json: bucket.key, rank: [bucket.rank] };
    }
    case 'country':
    case 'timezone':
      return { json: value, rank: [String(value)] };
    default:
      return { json: value, rank: [String(value).toLowerCase(), String(value)] };
  }
}

function countGroup(view: View, request: AggregateRequest, { parts, records }: Group): Counted {
  const computed = new Map(
    request.aggregations.map((aggregation) => {
      const { function: name, property } = aggregation;
      const facts = property === undefined ? undefined : view.property(property);
      const values = property === undefined ? records : records.flatMap((record) => valuesOf(record, property));
      return [nameOf(aggregation), compute(name, facts, values)];
    }),
  );
  const values = Object.fromEntries([...computed].map(([as, { json }]) => [as, json]));
  return { parts, key: parts.map(({ json }) => json), values, computed };
}

/** Null satisfies nothing but neq. */
function satisfies(computed: Computed | undefined, having: { operator: string; value: string }): boolean {
  if (computed === undefined) throw new Error('having names no aggregation.');
  if (computed.json === null) return having.operator === 'neq';
  const order = compareIntegers(parseDecimal(computed.json as string, 16), parseDecimal(having.value, 16));
  const holds: Readonly<Record<string, boolean>> = {
    eq: order === 0,
    neq: order !== 0,
    gt: order > 0,
    gte: order >= 0,
    lt: order < 0,
    lte: order <= 0,
  };
  return holds[having.operator] === true;
}

function compareEntries({ sort = [] }: AggregateRequest, left: Counted, right: Counted): number {
  for (const by of sort) {
    const [one, two] =
      'as' in by ? [left.computed.get(by.as), right.computed.get(by.as)] : [left, right].map(keyAt(by));
    const order = compareRanks(one?.rank, two?.rank, by.direction);
    if (order !== 0) return order;
  }
  for (const index of left.parts.keys()) {
    const order = compareRanks(left.parts[index]?.rank, right.parts[index]?.rank, 'asc');
    if (order !== 0) return order;
  }
  return 0;
}

function keyAt({ key }: { readonly key: number }): (entry: Counted) => KeyPart | undefined {
  return ({ parts }) => parts[key];
}

/** Absent values are last in both directions. */
function compareRanks(left: Rank, right: Rank, direction: Direction): number {
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  for (const [index, one] of left.entries()) {
    const two = right[index];
    const order =
      typeof one === 'bigint' && typeof two === 'bigint'
        ? compareIntegers(one, two)
        : compareTexts(String(one), String(two));
    if (order !== 0) return direction === 'asc' ? order : -order;
  }
  return 0;
}

/** Whether `having` and order can be asked of it as a number. */
export function isNumeric({ function: name }: Aggregation, facts: PropertyFacts | undefined): boolean {
  return numericFunctions.includes(name) || facts?.fieldType === 'number';
}
