// Generated aggregate requests that must be answered: filters, searches, keys of every kind, functions, having, order.
// The operators of each field type are copied from contract 4.

import type { Random } from '../random.ts';
import { type AggregateRequest, type Aggregation, type GroupKey, isNumeric, nameOf } from './model.ts';
import { granularities } from './moments.ts';
import type { PropertyFacts } from './values.ts';
import { facts, sampleOf } from './world.ts';

const functions: Readonly<Record<string, readonly string[]>> = {
  text: ['min', 'max'],
  number: ['sum', 'avg', 'min', 'max', 'median'],
  currency: ['sum', 'avg', 'min', 'max'],
  date: ['min', 'max'],
  datetime: ['min', 'max'],
};
const textual = ['eq', 'neq', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with'];
const ordered = ['eq', 'neq', 'in', 'not_in', 'gt', 'gte', 'lt', 'lte', 'between'];
const coded = ['eq', 'neq', 'in', 'not_in'];
const operators: Readonly<Record<string, readonly string[]>> = {
  text: textual,
  long_text: ['contains', 'not_contains'],
  email: textual,
  url: textual,
  domain: textual,
  phone: [...coded, 'contains'],
  number: ordered,
  currency: ordered.filter((operator) => !operator.endsWith('in')),
  date: ordered,
  datetime: ordered,
  boolean: ['eq', 'neq'],
  select: coded,
  country: coded,
  timezone: coded,
};
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Auckland'],
  ...['America/St_Johns', 'Pacific/Apia', 'Pacific/Kiritimati'],
];

const properties = [...facts.values()];
const groupable = properties.filter(({ fieldType }) => !['phone', 'long_text'].includes(fieldType));

/** Association types that a thing has, and those that a key with few grants has. */
export const associations = {
  all: [
    'thing_to_place',
    'thing_to_thing',
    'thing_to_owner',
    'blank_to_thing',
    'svc_record_to_user',
    'svc_record_to_org',
  ],
  narrow: ['thing_to_place', 'thing_to_thing', 'svc_record_to_user', 'svc_record_to_org'],
} as const;

export function requestOf(random: Random, names: readonly string[]): AggregateRequest {
  const group_by = random.times(random.pick([0, 1, 1, 1, 2, 2, 3]), () => keyOf(random, names));
  const aggregations = aggregationsOf(random);
  const numeric = aggregations.filter((each) => isNumeric(each, facts.get(each.property ?? '')));
  const sortable = aggregations.filter((each) => isSortable(each));
  const sort = random.times(random.pick([0, 0, 1, 1, 2, 3]), () => {
    const direction = random.pick(['asc', 'desc'] as const);
    const byKey = group_by.length > 0 && random.chance(0.5);
    if (byKey || sortable.length === 0) return { key: random.below(Math.max(1, group_by.length)), direction };
    return { as: nameOf(random.pick(sortable)), direction };
  });
  return {
    ...(random.chance(0.4) ? { filter: filterOf(random, names, 3) } : {}),
    ...(random.chance(0.2)
      ? { search: random.pick(['alpha', 'Al', 'b', 'é', 'σισ', 'x example', '!', 'zzz', 'ss']) }
      : {}),
    ...(group_by.length > 0 || random.chance(0.3) ? { group_by } : {}),
    aggregations,
    ...(numeric.length > 0 && random.chance(0.3)
      ? { having: random.times(random.between(1, 2), () => havingOf(random, nameOf(random.pick(numeric)))) }
      : {}),
    // Without groups there is no key to sort by.
    ...(sort.length > 0 && (group_by.length > 0 || sortable.length > 0) ? { sort } : {}),
  };
}

function isSortable({ function: name, property }: Aggregation): boolean {
  return name.startsWith('count') || facts.get(property ?? '')?.fieldType !== 'currency';
}

function keyOf(random: Random, names: readonly string[]): GroupKey {
  if (random.chance(0.25)) {
    const association = random.pick(names);
    const both = association === 'thing_to_thing';
    const stands = association === 'blank_to_thing' ? 'incoming' : 'outgoing';
    if (random.chance(0.5)) return { association };
    return { association, direction: both ? random.pick(['outgoing', 'incoming'] as const) : stands };
  }
  const { name, fieldType } = random.pick(groupable);
  if (fieldType === 'date') {
    return { property: name, ...(random.chance(0.7) ? { granularity: random.pick(granularities) } : {}) };
  }
  if (fieldType !== 'datetime') return { property: name };
  // All records are created within one hour, which is the same for the database and the test in every zone.
  return {
    property: name,
    ...(random.chance(0.8) ? { granularity: random.pick(['hour', ...granularities] as const) } : {}),
    ...(random.chance(0.7) ? { timezone: random.pick(zones) } : {}),
  };
}

function aggregationsOf(random: Random): readonly Aggregation[] {
  const made = random.times(random.between(1, 6), (index): Aggregation => {
    const as = random.chance(0.3)
      ? { as: random.pick([`n${index}`, `sum of ${index}`, `'${index}"`, `é${index}`]) }
      : {};
    if (random.chance(0.25)) return { function: 'count', ...as };
    const { name, fieldType } = random.pick(properties);
    const offered = ['count', 'count_distinct', ...(functions[fieldType] ?? []), ...(functions[fieldType] ?? [])];
    return { function: random.pick(offered), property: name, ...as };
  });
  // Two of one name would be an error.
  return [...new Map(made.map((each) => [nameOf(each), each])).values()];
}

function havingOf(random: Random, as: string): { as: string; operator: string; value: string } {
  const operator = random.pick(['eq', 'neq', 'gt', 'gte', 'lt', 'lte']);
  return { as, operator, value: random.pick(['0', '1', '2', '2.0', '3', '5', '-1.5', '1.25', '0.000000000001']) };
}

/** A filter of the depth at most: properties of every type, links, and, or, not. */
function filterOf(random: Random, names: readonly string[], depth: number): object {
  if (depth > 1 && random.chance(0.5)) {
    return random.oneOf<object>(
      () => ({ and: random.times(random.between(1, 3), () => filterOf(random, names, depth - 1)) }),
      () => ({ or: random.times(random.between(1, 3), () => filterOf(random, names, depth - 1)) }),
      () => ({ not: filterOf(random, names, depth - 1) }),
    );
  }
  if (random.chance(0.2)) {
    const association = random.pick(names);
    return { association, operator: random.pick(['exists', 'not_exists']) };
  }
  return conditionOf(random, random.pick(properties));
}

function conditionOf(random: Random, { name, fieldType }: PropertyFacts): object {
  const operator = random.pick([...(operators[fieldType] ?? []), 'is_set', 'is_not_set']);
  const property = name;
  const value = () => sampleOf(random, fieldType);
  switch (operator) {
    case 'is_set':
    case 'is_not_set':
      return { property, operator };
    case 'in':
    case 'not_in':
      return { property, operator, value: random.times(random.between(1, 3), value) };
    case 'between': {
      const unit = 'EUR';
      const bound = () => (fieldType === 'currency' ? { ...(value() as object), unit } : value());
      return { property, operator, value: [bound(), bound()] };
    }
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with':
      return { property, operator, value: fieldType === 'phone' ? random.pick(['1', '0', '207']) : piece(random) };
    default:
      return { property, operator, value: value() };
  }
}

function piece(random: Random): string {
  return random.pick(['a', 'A', 'alph', 'É', 's', 'ß', 'example', '%', '_', 'Σ', '/', '.']);
}
