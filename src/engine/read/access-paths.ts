// The access paths of a query: a walk that meets records in the wanted order, and sets that hold all records of the
// result. The whole selection is tested on every record found, so a path may be too wide. `query` decides which
// one is taken.
import { isId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Condition, PropertyCondition, QueryPlan, SortKey, Test } from '../../query/plan.ts';
import { boundedKey, isWholeKey, keyStart } from '../../schema/indexing/record-keys.ts';
import { textAfter } from '../../schema/indexing/text-prefixes.ts';
import { type IndexState, isUsable, type Property } from '../../schema/object-type.ts';
import type { IndexRef, KeyBound, KeyRange, RecordSet } from '../../store/compile/sets.ts';
import type { Walk } from '../../store/compile/walk.ts';

export interface AccessPaths {
  readonly sets: readonly RecordSet[];
  readonly walk: Walk | undefined;
  /**
   * Whether the walk meets only records of the result, and reads nothing else: then it ends as soon as the page is
   * full.
   */
  readonly exact: boolean;
  /** The path on which every record meets all conditions, so that they need not be tested. */
  readonly certain: 'walk' | 'set' | undefined;
  /** Properties for which an index would give a better path. */
  readonly unindexed: readonly Property[];
  /** Properties whose automatic index gives a path, or will when it is ready. */
  readonly indexed: readonly Property[];
}

export function findAccessPaths(plan: QueryPlan): AccessPaths {
  const conditions = conjuncts(plan.condition);
  const { walk, uses } = walkFor(plan, conditions);
  const sets: RecordSet[] = [];
  const totals: RecordSet[] = [];
  const helped = new Set<Property>();
  for (const condition of conditions) {
    // A set that the walk reads anyway is not another path.
    if (walk?.kind === 'totals' && uses.includes(condition)) continue;
    const set = setFor(condition);
    if (set?.kind === 'totals') totals.push(set);
    else if (set !== undefined) sets.push(set);
    const byIndex = set === undefined || set.kind === 'values' || set.kind === 'range';
    if (byIndex && condition.kind === 'property' && canUseIndex(condition)) helped.add(condition.property);
  }
  if (plan.words.length > 0) sets.push({ kind: 'words' });
  const [key, second] = plan.sort;
  if (key !== undefined && second === undefined && isIndexable(key.property) && isWalkable(key.property)) {
    helped.add(key.property);
  }
  // A walk by a total reads all deals before it meets the first record.
  const bounded = walk !== undefined && walk.kind !== 'totals' && plan.words.length === 0;
  const exact = bounded && conditions.every((each) => uses.includes(each));
  const certain = certainPath(plan, conditions, exact ? walk : undefined, sets);
  const unindexed = [...helped].filter(({ index }) => index === 'none');
  const indexed = [...helped].filter(({ index }) => index !== 'none');
  return { sets: [...sets, ...totals], walk, exact, certain, unindexed, indexed };
}

/** Keys say the same as values, unless they are cut. The keys of unique values do so for texts alone. */
function certainPath(
  { words }: QueryPlan,
  conditions: readonly Condition[],
  walk: Walk | undefined,
  sets: readonly RecordSet[],
): AccessPaths['certain'] {
  if (walk !== undefined) return isWhole(walk) ? 'walk' : undefined;
  const [condition, ...others] = conditions;
  const [set] = sets;
  if (condition?.kind !== 'property' || set?.kind !== 'unique' || others.length + words.length > 0) return undefined;
  const { comparison } = condition.property.fieldType;
  return ['folded', 'plain'].includes(comparison) && set.keys.every(isWholeKey) ? 'set' : undefined;
}

function isWhole(walk: Walk): boolean {
  if (walk.kind === 'value') return isWholeKey(walk.key);
  if (walk.kind !== 'index' && walk.kind !== 'updated') return false;
  const { low, high } = walk.range;
  return isWholeKey(low?.key ?? '') && isWholeKey(high?.key ?? '');
}

/** The conditions that must all hold. */
function conjuncts(condition: Condition | undefined): readonly Condition[] {
  if (condition === undefined) return [];
  return condition.kind === 'all' ? condition.conditions.flatMap(conjuncts) : [condition];
}

function indexOf({ id, index, fieldType }: Property): IndexRef | undefined {
  return isUsable(index) && fieldType.index !== undefined ? { kind: fieldType.index.kind, propertyId: id } : undefined;
}

/** The two dates of every record have their own access paths. */
const dates: readonly string[] = ['svc_created_at', 'svc_updated_at'];

const withAutomaticIndex: readonly IndexState[] = ['none', 'building', 'ready'];

/**
 * Whether the property has an automatic index or can get one. A computed property has no stored value that an index
 * could hold.
 */
function isIndexable({ name, index, fieldType, computed }: Property): boolean {
  if (!withAutomaticIndex.includes(index) || fieldType.index === undefined) return false;
  return computed === undefined && !dates.includes(name);
}

/** Options are walked one after the other, if there are not too many. */
function isWalkable({ fieldType, options }: Property): boolean {
  return !fieldType.sortedByOptions || options.length <= bounds.engine.walkedOptions;
}

function canUseIndex({ property, test }: PropertyCondition): boolean {
  return isIndexable(property) && ['in', 'range', 'starts_with'].includes(test.kind);
}

function setFor(condition: Condition): RecordSet | undefined {
  if (condition.kind === 'id') return { kind: 'ids', ids: condition.ids };
  if (condition.kind === 'external_id') return { kind: 'external_id', name: condition };
  if (condition.kind === 'linked') {
    const { hop, targetId } = condition;
    if (targetId === undefined || hop.hidden !== undefined) return undefined;
    // A text that is not an id matches no record.
    return isId(targetId) ? { kind: 'linked', hop, otherId: targetId } : { kind: 'ids', ids: [] };
  }
  return condition.kind === 'property' ? setOfValues(condition) : undefined;
}

function setOfValues({ property, test }: PropertyCondition): RecordSet | undefined {
  const { id, unique, fieldType, name, computed } = property;
  if (computed !== undefined) return { kind: 'totals', property, test };
  if (unique && test.kind === 'in') {
    const keys = test.values.map((value) => boundedKey(fieldType.key(value)));
    return { kind: 'unique', propertyId: id, keys };
  }
  if (name === 'svc_updated_at') {
    const range = rangeFor(property, test);
    return range && { kind: 'updated', range };
  }
  const index = indexOf(property);
  if (index === undefined) return undefined;
  if (test.kind === 'in') return { kind: 'values', index, keys: test.values.map((value) => indexKey(property, value)) };
  const range = rangeFor(property, test);
  return range && { kind: 'range', index, range };
}

function indexKey({ fieldType }: Property, value: Json): string {
  return boundedKey(fieldType.index?.key(value) ?? fieldType.key(value));
}

/** The range of keys of all values that pass the test; undefined if there is no such range. */
function rangeFor(property: Property, test: Test): KeyRange | undefined {
  if (test.kind === 'starts_with') {
    const low = keyStart(test.text.toLowerCase());
    const high = textAfter(low);
    return {
      low: { key: low, inclusive: true },
      ...(high === undefined ? {} : { high: { key: high, inclusive: false } }),
    };
  }
  if (test.kind === 'in' && test.values.length === 1) {
    const bound = { key: indexKey(property, test.values[0] ?? null), inclusive: true };
    return { low: bound, high: bound };
  }
  if (test.kind !== 'range') return undefined;
  const { low, high } = test;
  const bound = (each: typeof low) => each && { key: indexKey(property, each.value), inclusive: each.inclusive };
  const lowest = bound(low) ?? unitStart(property, high?.value);
  const highest = bound(high) ?? unitEnd(property, low?.value);
  return { ...(lowest && { low: lowest }), ...(highest && { high: highest }) };
}

/** Amounts are compared within their unit, and their keys begin with it. */
function unitStart({ fieldType }: Property, value: Json | undefined): KeyBound | undefined {
  return fieldType.comparison === 'money' ? { key: (value as { unit: string }).unit, inclusive: true } : undefined;
}

function unitEnd(property: Property, value: Json | undefined): KeyBound | undefined {
  const start = unitStart(property, value)?.key;
  const key = start === undefined ? undefined : textAfter(start);
  return key === undefined ? undefined : { key, inclusive: false };
}

interface FoundWalk {
  readonly walk: Walk | undefined;
  /** The conditions that hold for every record that the walk meets. */
  readonly uses: readonly Condition[];
}

function walkFor({ sort }: QueryPlan, conditions: readonly Condition[]): FoundWalk {
  const [key, second] = sort;
  if (key === undefined) return walkById(conditions);
  if (second !== undefined) return { walk: undefined, uses: [] };
  const { property, direction } = key;
  if (property.computed !== undefined) return walkTotals(key, conditions);
  const { range, uses } = boundsOn(property.name, conditions);
  if (property.name === 'svc_created_at') return { walk: { kind: 'created', direction, range }, uses: [] };
  if (property.name === 'svc_updated_at') return { walk: { kind: 'updated', direction, range }, uses };
  const index = indexOf(property);
  if (index === undefined) return { walk: undefined, uses: [] };
  if (!isWalkable(property)) return { walk: undefined, uses: [] };
  if (property.fieldType.sortedByOptions) return { walk: { kind: 'options', property, direction }, uses: [] };
  return { walk: { kind: 'index', index, property, direction, range }, uses };
}

/** A condition on the total excludes records without one; otherwise they come last. */
function walkTotals({ property, direction }: SortKey, conditions: readonly Condition[]): FoundWalk {
  const condition = conditions.find((each) => each.kind === 'property' && each.property.name === property.name);
  const test = condition?.kind === 'property' ? condition.test : undefined;
  return { walk: { kind: 'totals', property, direction, test }, uses: condition === undefined ? [] : [condition] };
}

/**
 * In order of creation: through the records of one value or one link if there is such a condition, otherwise through
 * all.
 */
function walkById(conditions: readonly Condition[]): FoundWalk {
  for (const condition of conditions) {
    const set = setFor(condition);
    if (set?.kind === 'linked') return { walk: set, uses: [] };
    const [only, second] = set?.kind === 'values' ? set.keys : [];
    if (set?.kind === 'values' && only !== undefined && second === undefined) {
      return { walk: { kind: 'value', index: set.index, key: only }, uses: [condition] };
    }
  }
  // Bounds of creation are rounded to the millisecond, which is a little too wide.
  const { range } = boundsOn('svc_created_at', conditions);
  return { walk: { kind: 'created', direction: 'asc', range }, uses: [] };
}

/** The bounds that the first condition on the property gives. */
function boundsOn(
  name: string,
  conditions: readonly Condition[],
): { readonly range: KeyRange; readonly uses: readonly Condition[] } {
  for (const condition of conditions) {
    if (condition.kind !== 'property' || condition.property.name !== name) continue;
    const range = rangeFor(condition.property, condition.test);
    if (range !== undefined) return { range, uses: [condition] };
  }
  return { range: {}, uses: [] };
}
