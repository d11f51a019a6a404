// Parses the JSON of a filter into a condition (contract 5) and reports every error at its place. If the other end of a
// link can have several types, one filter becomes one condition for each of them: a property that a type lacks is
// unset.

import { describe } from '../../client/import/described.ts';
import { counted } from '../base/counted.ts';
import { isObject, type Json } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import type { Catalog } from '../schema/catalog.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { parseExternalId } from './external-id.ts';
import type { FaultList, Members } from './fault-list.ts';
import { directions, findHop, unknownAssociation } from './hop.ts';
import { parsePropertyTest } from './operators.ts';
import type { Condition, Direction, Hop } from './plan.ts';

/** The state of one parse. It counts the conditions found so far, and their total over all types they are tested on. */
interface Context {
  readonly catalog: Catalog;
  readonly faults: FaultList;
  conditions: number;
  compiled: number;
}

/** The parser's place in the filter: the types that the record can have, and the depth and hops used so far. */
interface Place {
  readonly types: readonly ObjectType[];
  readonly pointer: string;
  readonly depth: number;
  readonly hops: number;
}

/** One condition for each of the place's types; undefined if there is an error. */
type Parsed = readonly Condition[] | undefined;

export function parseFilter(
  catalog: Catalog,
  type: ObjectType,
  filter: unknown,
  faults: FaultList,
): Condition | undefined {
  const context = { catalog, faults, conditions: 0, compiled: 0 };
  const parsed = parseNode(context, { types: [type], pointer: '/filter', depth: 0, hops: 0 }, filter);
  if (context.conditions > limits.filterConditions) {
    const detail = `A filter can have at most ${limits.filterConditions} conditions; this one has more.`;
    faults.add({ pointer: '/filter', reason: 'filter_too_large', detail });
  } else if (context.compiled > bounds.query.conditionsCompiled) {
    const detail =
      'The associations of this filter lead to so many types that it has too many conditions. Use fewer conditions.';
    faults.add({ pointer: '/filter', reason: 'filter_too_large', detail });
  }
  return parsed?.[0];
}

const forms = {
  and: { known: ['and'], parse: parseList },
  or: { known: ['or'], parse: parseList },
  not: { known: ['not'], parse: parseNot },
  property: { known: ['property', 'operator', 'value'], parse: parseProperty },
  external_id: { known: ['external_id', 'source'], parse: parseExternal },
  association: { known: ['association', 'direction', 'operator', 'target_id', 'filter'], parse: parseLink },
} as const;
type Form = keyof typeof forms;

function parseNode(context: Context, place: Place, node: unknown): Parsed {
  const { faults } = context;
  const { pointer } = place;
  // A filter that is too large is refused, so the rest of it is not parsed.
  if (context.conditions > limits.filterConditions || context.compiled > bounds.query.conditionsCompiled)
    return undefined;
  if (!isObject(node)) {
    faults.invalidMember(pointer, `Expected a condition (an object); got ${describe(node)}.`);
    return undefined;
  }
  const named = (Object.keys(forms) as Form[]).filter((form) => Object.hasOwn(node, form));
  const [form, second] = named;
  if (form === undefined || second !== undefined) {
    const detail =
      'A condition must have exactly one of the members and, or, not, property, external_id and association.';
    faults.invalidMember(pointer, detail);
    return undefined;
  }
  const { known, parse } = forms[form];
  faults.unknownMembers(pointer, node, known);
  const isLeaf = form === 'property' || form === 'external_id';
  const nested = isLeaf ? place : { ...place, depth: place.depth + 1 };
  if (nested.depth > limits.filterDepth) {
    const detail = `A filter can have at most ${limits.filterDepth} levels of and, or, not and association.`;
    faults.add({ pointer, reason: 'filter_too_deep', detail });
    return undefined;
  }
  return parse(context, nested, node, form);
}

function parseList(context: Context, place: Place, node: Members, form: Form): Parsed {
  const list = node[form];
  const pointer = `${place.pointer}/${form}`;
  if (!Array.isArray(list) || list.length === 0) {
    context.faults.invalidMember(pointer, `Expected an array of one or more conditions; got ${describe(list)}.`);
    return undefined;
  }
  // A list with more conditions than a filter can have is only counted.
  if (list.length > limits.filterConditions) {
    context.conditions += list.length;
    return undefined;
  }
  const parsed = list.map((each, index) => parseNode(context, { ...place, pointer: `${pointer}/${index}` }, each));
  const complete = parsed.filter((each) => each !== undefined);
  if (complete.length < parsed.length) return undefined;
  const kind = form === 'and' ? 'all' : 'any';
  return place.types.map((_, index) => ({ kind, conditions: complete.flatMap((each) => each[index] ?? []) }));
}

function parseNot(context: Context, place: Place, node: Members): Parsed {
  const parsed = parseNode(context, { ...place, pointer: `${place.pointer}/not` }, node['not']);
  return parsed?.map(negated);
}

function negated(condition: Condition): Condition {
  return { kind: 'not', condition };
}

function parseProperty(context: Context, place: Place, node: Members): Parsed {
  const { faults } = context;
  const { pointer, types } = place;
  context.conditions++;
  context.compiled += types.length;
  const name = node['property'];
  if (name === 'id') return parseId(context, place, node);
  const properties = types.map((type) => (typeof name === 'string' ? type.properties.get(name) : undefined));
  const held = properties.filter((each) => each !== undefined);
  if (held.length === 0) {
    if (typeof name !== 'string')
      faults.invalidMember(`${pointer}/property`, `Expected a name; got ${describe(name)}.`);
    else faults.unknownProperty(`${pointer}/property`, types, name);
    return undefined;
  }
  const tests = new Map(
    [...new Set(held)].map((property) => [property, parsePropertyTest(property, node, pointer, faults)]),
  );
  const conditions = properties.map((property): Condition | undefined => {
    const [any] = tests.values();
    const found = property === undefined ? any : tests.get(property);
    if (found === undefined) return undefined;
    const condition: Condition =
      property === undefined ? { kind: 'constant', holds: false } : { kind: 'property', property, test: found.test };
    return found.complement ? negated(condition) : condition;
  });
  const complete = conditions.filter((each) => each !== undefined);
  return complete.length < conditions.length ? undefined : complete;
}

function parseExternal(context: Context, { types, pointer }: Place, node: Members): Parsed {
  context.conditions++;
  context.compiled += types.length;
  return parseExternalId(types, node, pointer, context.faults);
}

/** The record's own id (contract 5). A text that is not an id matches no record. */
function parseId({ faults }: Context, { pointer, types }: Place, node: Members): Parsed {
  const { operator, value } = node;
  const at = `${pointer}/value`;
  if (operator !== 'eq' && operator !== 'in') {
    faults.unknownOperator(`${pointer}/operator`, ['eq', 'in'], operator);
    return undefined;
  }
  if (!Object.hasOwn(node, 'value')) {
    faults.invalidMember(at, 'The member "value" is required.');
    return undefined;
  }
  const list = operator === 'eq' ? [value] : value;
  if (!Array.isArray(list) || list.length === 0) {
    const expected = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: limits.inValues };
    faults.invalidValue(at, 'id', `Expected an array of one or more ids; got ${describe(value)}.`, expected);
    return undefined;
  }
  if (list.length > limits.inValues) {
    const detail = `A list can have at most ${counted(limits.inValues)} values; this one has ${counted(list.length)}.`;
    faults.add({ pointer: at, reason: 'filter_too_large', detail });
    return undefined;
  }
  const wrong = list.findIndex((each) => typeof each !== 'string');
  if (wrong >= 0) {
    const place = operator === 'eq' ? at : `${at}/${wrong}`;
    faults.invalidValue(place, 'id', `Expected an id; got ${describe(list[wrong])}.`, { type: 'string' });
    return undefined;
  }
  return types.map(() => ({ kind: 'id', ids: list }));
}

function parseLink(context: Context, place: Place, node: Members): Parsed {
  const { faults } = context;
  const { pointer, types } = place;
  context.conditions++;
  context.compiled += types.length;
  if (place.hops >= 2) {
    const detail = 'A filter can follow at most two associations, one after the other.';
    faults.add({ pointer, reason: 'filter_too_deep', detail });
    return undefined;
  }
  const { operator, target_id: targetId } = node;
  const known = operator === 'exists' || operator === 'not_exists';
  if (!known) {
    faults.unknownOperator(`${pointer}/operator`, ['exists', 'not_exists'], operator);
  }
  const targetFits = targetId === undefined || (typeof targetId === 'string' && targetId !== '');
  if (!targetFits) faults.invalidMember(`${pointer}/target_id`, `Expected an id; got ${describe(targetId)}.`);
  const hops = parseHops(context, types, node, pointer);
  if (hops === undefined) return undefined;
  const nested = parseEnds(context, place, hops, node);
  if (!known || !targetFits || nested === undefined) return undefined;
  return hops.map((hop) => {
    if (hop === undefined) return { kind: 'constant', holds: operator === 'not_exists' };
    const conditions = hop.ends.flatMap((end) => nested.get(end) ?? []);
    const condition: Condition = {
      kind: 'linked',
      hop,
      targetId: targetId as string | undefined,
      conditions: Object.hasOwn(node, 'filter') ? conditions : undefined,
    };
    return operator === 'exists' ? condition : negated(condition);
  });
}

/** The hop from each of the types. A type without the association has none; if all lack it, that is an error. */
export function parseHops(
  { catalog, faults }: Pick<Context, 'catalog' | 'faults'>,
  types: readonly ObjectType[],
  node: Members,
  pointer: string,
): readonly (Hop | undefined)[] | undefined {
  const { association: name, direction } = node;
  const fits = direction === undefined || directions.includes(direction as Direction);
  if (!fits) faults.notAmong(`${pointer}/direction`, 'invalid_member', directions, direction);
  if (typeof name !== 'string') {
    faults.invalidMember(`${pointer}/association`, `Expected a name; got ${describe(name)}.`);
    return undefined;
  }
  const chosen = fits ? (direction as Direction | undefined) : undefined;
  const hops = types.map((type) => findHop(catalog, type, name, chosen));
  if (hops.every((hop) => hop === undefined)) {
    faults.add({ pointer: `${pointer}/association`, ...unknownAssociation(catalog, types, name, direction) });
    return undefined;
  }
  return fits ? hops : undefined;
}

/** The nested filter, parsed once for all types that the other end can have. */
function parseEnds(
  context: Context,
  place: Place,
  hops: readonly (Hop | undefined)[],
  node: Members,
): ReadonlyMap<ObjectType, Condition> | undefined {
  if (!Object.hasOwn(node, 'filter')) return new Map();
  const pointer = `${place.pointer}/filter`;
  if (hops.some((hop) => hop?.hidden !== undefined)) {
    const detail = 'Users and orgs have no properties to filter by. Use target_id instead.';
    context.faults.invalidMember(pointer, detail);
    return undefined;
  }
  const types = [...new Set(hops.flatMap((hop) => hop?.ends ?? []))];
  const parsed = parseNode(context, { types, pointer, depth: place.depth, hops: place.hops + 1 }, node['filter']);
  return parsed && new Map(types.flatMap((type, index) => (parsed[index] ? [[type, parsed[index]] as const] : [])));
}

/** The filter that was sent, in a form that does not depend on the order of members. */
export function canonical(value: unknown, levels = levelsMax): Json {
  // Anything deeper or larger is refused elsewhere.
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.slice(0, limits.inValues).map((each) => canonical(each, levels - 1));
  if (!isObject(value)) return (value ?? null) as Json;
  const names = Object.keys(value).slice(0, membersMax).sort();
  return names.map((name) => [name, canonical(value[name], levels - 1)]);
}

/** Each level of a filter is an object and a list; a value can be a list of objects. */
const levelsMax = (limits.filterDepth + 2) * 2;
/** No object of a query has as many members. */
const membersMax = 16;
