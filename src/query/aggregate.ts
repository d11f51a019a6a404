// Parses the JSON of an aggregation into groups, measures, conditions on them and their order, resolved in the caller's
// catalog.
import { describe } from '../../client/import/described.ts';
import { characterCount, isStorable } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import { nearest } from '../base/nearest.ts';
import type { Catalog } from '../schema/catalog.ts';
import { timeZoneNames } from '../schema/codes/time-zones.ts';
import { type Aggregation, everyAggregation } from '../schema/field-type.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';
import { type FaultList, type Members, objectsIn } from './fault-list.ts';
import { parseHops } from './filter.ts';
import {
  type AggregatePlan,
  type GroupKey,
  type GroupSort,
  type Having,
  type HavingOperator,
  isNumeric,
  type Measure,
} from './plan.ts';
import { parseDirection, sortEntries } from './sort.ts';

type Grouping = Omit<AggregatePlan, 'type' | 'condition' | 'words'>;

/** A sum can have more digits than any of its numbers. */
export const havingPattern = /^-?[0-9]{1,40}(\.[0-9]{1,20})?$/;
export const havingOperators: readonly HavingOperator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'];
export const aggregations: readonly Aggregation[] = [...everyAggregation, 'sum', 'avg', 'min', 'max', 'median'];
const timeZones: ReadonlySet<string> = new Set(timeZoneNames);

/** Resolves names and words. The shape of the body reports everything that is not a list of objects. */
export function parseAggregate(catalog: Catalog, type: ObjectType, body: Members, faults: FaultList): Grouping {
  const groups = objectsIn(body['group_by'], limits.groupKeys).flatMap(
    ([index, each]) => parseGroup(catalog, type, each, `/group_by/${index}`, faults) ?? [],
  );
  const asked = objectsIn(body['aggregations'], limits.aggregations);
  const measures: Measure[] = [];
  for (const [index, each] of asked) {
    const measure = parseMeasure(type, each, `/aggregations/${index}`, faults);
    if (measures.some(({ name }) => name === measure?.name)) {
      const named = JSON.stringify(measure?.name);
      const detail = `Two aggregations are named ${named}. Give one of them another name with "as".`;
      faults.invalidMember(`/aggregations/${index}/as`, detail);
    }
    if (measure !== undefined) measures.push(measure);
  }
  // Having and sort name aggregations: these can be resolved only if all aggregations are valid.
  const known = measures.length === asked.length ? measures : undefined;
  const having = parseHaving(body, known, faults);
  const sort = parseGroupSort(body, known, faults);
  return { groups, measures, having, sort };
}

function parseGroup(
  catalog: Catalog,
  type: ObjectType,
  node: Members,
  pointer: string,
  faults: FaultList,
): GroupKey | undefined {
  const linked = Object.hasOwn(node, 'association');
  if (linked === Object.hasOwn(node, 'property')) {
    faults.invalidMember(pointer, 'A group key must have exactly one of the members property and association.');
    return undefined;
  }
  const known = linked ? ['association', 'direction'] : ['property', 'granularity', 'timezone'];
  faults.unknownMembers(pointer, node, known);
  if (linked) {
    const hop = parseHops({ catalog, faults }, [type], node, pointer)?.[0];
    return hop && { kind: 'linked', hop };
  }
  const property = propertyOf(type, node, pointer, faults);
  if (property === undefined) return undefined;
  if (!property.fieldType.groupable) {
    const detail = `Records cannot be grouped by ${property.name}: its field type is ${property.fieldType.name}.`;
    faults.add({ pointer: `${pointer}/property`, property: property.name, reason: 'not_groupable', detail });
    return undefined;
  }
  return parseBucket(property, node, pointer, faults);
}

function propertyOf(type: ObjectType, node: Members, pointer: string, faults: FaultList): Property | undefined {
  const { property: name } = node;
  const property = typeof name === 'string' ? type.properties.get(name) : undefined;
  if (typeof name !== 'string') faults.invalidMember(`${pointer}/property`, `Expected a name; got ${describe(name)}.`);
  else if (property === undefined) faults.unknownProperty(`${pointer}/property`, [type], name);
  return property;
}

/** Dates and times are grouped into buckets; without a granularity, into days. */
function parseBucket(property: Property, node: Members, pointer: string, faults: FaultList): GroupKey | undefined {
  const { granularity, timezone } = node;
  const { granularities, comparison, name: fieldType } = property.fieldType;
  if (granularities === undefined) {
    for (const member of ['granularity', 'timezone']) {
      if (!Object.hasOwn(node, member)) continue;
      faults.invalidMember(`${pointer}/${member}`, `${property.name} is of type ${fieldType}, which has no ${member}.`);
    }
    return { kind: 'property', property };
  }
  const chosen = granularity === undefined ? 'day' : granularities.find((each) => each === granularity);
  if (chosen === undefined) {
    faults.notAmong(`${pointer}/granularity`, 'invalid_member', granularities, granularity);
  }
  const zoned = comparison === 'moment';
  const zone = typeof timezone === 'string' ? timezone : 'UTC';
  if (timezone !== undefined && !zoned) {
    faults.invalidMember(`${pointer}/timezone`, `${property.name} is of type ${fieldType}, which has no timezone.`);
  } else if (timezone !== undefined && !(typeof timezone === 'string' && timeZones.has(timezone))) {
    const detail = `Expected an IANA time zone name, such as "Europe/Berlin"; got ${describe(timezone)}.`;
    const near = typeof timezone === 'string' ? nearest(timezone, timeZoneNames) : undefined;
    const pointed = { pointer: `${pointer}/timezone`, reason: 'invalid_member', detail } as const;
    faults.add(near === undefined ? pointed : { ...pointed, nearest: near });
  }
  if (chosen === undefined) return undefined;
  return { kind: 'bucket', property, granularity: chosen, timezone: zoned ? zone : null };
}

function parseMeasure(type: ObjectType, node: Members, pointer: string, faults: FaultList): Measure | undefined {
  faults.unknownMembers(pointer, node, ['function', 'property', 'as']);
  const { as } = node;
  if (as !== undefined && !isName(as)) {
    faults.invalidMember(`${pointer}/as`, `Expected a name of 1 to 64 characters; got ${describe(as)}.`);
  }
  const named = aggregations.find((each) => each === node['function']);
  if (node['property'] === undefined && named !== undefined && named !== 'count') {
    faults.invalidMember(`${pointer}/property`, `The function ${named} requires a property.`);
    return undefined;
  }
  const property = node['property'] === undefined ? undefined : propertyOf(type, node, pointer, faults);
  const offered = property?.fieldType.aggregations ?? aggregations;
  if (named === undefined || !offered.includes(named)) {
    faults.unknownOperator(`${pointer}/function`, offered, node['function']);
    return undefined;
  }
  if (node['property'] !== undefined && property === undefined) return undefined;
  const name = typeof as === 'string' ? as : property === undefined ? 'count' : `${named}_${property.name}`;
  return { name, function: named, property };
}

function isName(as: unknown): boolean {
  return typeof as === 'string' && as !== '' && isStorable(as) && characterCount(as) <= bounds.query.nameCharacters;
}

type KnownMeasures = readonly Measure[] | undefined;

function measureNamed(measures: KnownMeasures, as: unknown, pointer: string, faults: FaultList): number {
  if (measures === undefined) return -1;
  const index = measures.findIndex(({ name }) => name === as);
  if (index < 0) {
    const names = measures.map(({ name }) => name);
    faults.notAmong(pointer, 'invalid_member', names, as);
  }
  return index;
}

function parseHaving(body: Members, measures: KnownMeasures, faults: FaultList): readonly Having[] {
  return objectsIn(body['having'], bounds.query.havings).flatMap(([index, node]) => {
    const pointer = `/having/${index}`;
    faults.unknownMembers(pointer, node, ['as', 'operator', 'value']);
    const measure = measureNamed(measures, node['as'], `${pointer}/as`, faults);
    const operator = havingOperators.find((each) => each === node['operator']);
    if (operator === undefined) {
      faults.unknownOperator(`${pointer}/operator`, havingOperators, node['operator']);
    }
    const found = measures?.[measure];
    if (found !== undefined && !isNumeric(found)) {
      const detail = `${found.name} is not a number, and having compares only numbers.`;
      faults.add({ pointer: `${pointer}/as`, reason: 'operator_not_supported', detail });
    }
    const { value } = node;
    const fits = typeof value === 'string' && havingPattern.test(value);
    if (value === undefined) faults.invalidMember(`${pointer}/value`, 'The member "value" is required.');
    else if (!fits) {
      const detail = `Expected a numeric string, such as "12.50"; got ${describe(value)}.`;
      const expected = { type: 'string', pattern: havingPattern.source };
      faults.add({ pointer: `${pointer}/value`, reason: 'invalid_value', detail, expected });
    }
    if (found === undefined || operator === undefined || !fits) return [];
    return [{ measure, operator, value }];
  });
}

function parseGroupSort(body: Members, measures: KnownMeasures, faults: FaultList): readonly GroupSort[] {
  const groups = objectsIn(body['group_by'], limits.groupKeys).length;
  return sortEntries(body['sort'], faults).flatMap(([index, node]): readonly GroupSort[] => {
    const pointer = `/sort/${index}`;
    const byKey = Object.hasOwn(node, 'key');
    faults.unknownMembers(pointer, node, ['as', 'key', 'direction']);
    const direction = parseDirection(node, pointer, faults);
    if (byKey === Object.hasOwn(node, 'as')) {
      faults.invalidMember(pointer, 'A sort key must have exactly one of the members as and key.');
      return [];
    }
    if (byKey) {
      const key = node['key'];
      if (!Number.isInteger(key) || Number(key) < 0 || Number(key) >= groups) {
        const places = groups === 1 ? '0' : `a whole number from 0 to ${groups - 1}`;
        const wanted = groups === 0 ? 'no key, because nothing is grouped' : places;
        faults.invalidMember(`${pointer}/key`, `Expected ${wanted}; got ${describe(key)}.`);
        return [];
      }
      return direction === undefined ? [] : [{ by: 'key', index: Number(key), direction }];
    }
    const measure = measureNamed(measures, node['as'], `${pointer}/as`, faults);
    const found = measures?.[measure];
    if (found?.property?.fieldType.comparison === 'money' && !isNumeric(found)) {
      const detail = `${found.name} is a list of amounts, which cannot be sorted.`;
      faults.add({ pointer: `${pointer}/as`, reason: 'not_sortable', detail });
      return [];
    }
    return direction === undefined || found === undefined ? [] : [{ by: 'measure', index: measure, direction }];
  });
}
