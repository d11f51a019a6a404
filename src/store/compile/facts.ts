// Which questions the facts about records can answer, without the records.
import type {
  AggregatePlan,
  Condition,
  GroupKey,
  Hop,
  Measure,
  PropertyCondition,
  QueryPlan,
  SortKey,
  Test,
} from '../../query/plan.ts';
import type { Property } from '../../schema/object-type.ts';
import type { TypeSlots } from '../../schema/slots.ts';

export function areFactsEnough({ type: { slots }, condition, groups, measures }: AggregatePlan): boolean {
  return (
    (condition === undefined || canTest(slots, condition)) &&
    groups.every((key) => canGroup(slots, key)) &&
    measures.every((measure) => canMeasure(slots, measure))
  );
}

/** Whether facts tell which records are on a page, and in which order. The rest of the page is read from the records. */
export function areFactsEnoughForPage({ type: { slots }, condition, sort }: QueryPlan): boolean {
  return (condition === undefined || canTest(slots, condition)) && sort.every((key) => canSort(slots, key));
}

/** Whether facts tell what is asked about the other ends of links, with a condition for each of their types. */
export function areFactsEnoughForEnds({ ends }: Hop, conditions: readonly Condition[] | undefined): boolean {
  return ends.every(({ slots }, index) => {
    const condition = conditions?.[index];
    return condition === undefined || canTest(slots, condition);
  });
}

export type RangeTest = Extract<Test, { kind: 'range' }>;

/** Whether it is about the time of the last update, which has an index of its own. */
export function isUpdateTest(
  condition: PropertyCondition,
): condition is PropertyCondition & { readonly test: RangeTest } {
  return condition.property.name === 'svc_updated_at' && condition.test.kind === 'range';
}

/** A total is computed from what is linked to the record. */
function isKnown({ properties }: TypeSlots, { id, computed }: Property): boolean {
  return computed !== undefined || properties.has(id);
}

/** Tests of what is linked to the record read that, and so do words. */
function canTest(slots: TypeSlots, condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.every((each) => canTest(slots, each));
    case 'not':
      return canTest(slots, condition.condition);
    case 'property':
      return isUpdateTest(condition) || isKnown(slots, condition.property);
    default:
      return true;
  }
}

function canSort({ properties }: TypeSlots, { property }: SortKey): boolean {
  return properties.has(property.id);
}

/** Moments are grouped by the texts that were sent, which facts do not have, unless they fall into intervals. */
function canGroup(slots: TypeSlots, key: GroupKey): boolean {
  if (key.kind === 'linked') return true;
  if (!isKnown(slots, key.property)) return false;
  return key.kind === 'bucket' || key.property.fieldType.comparison !== 'moment';
}

/** The first or last text, day or moment is returned as it was sent. */
function canMeasure(slots: TypeSlots, { function: name, property }: Measure): boolean {
  if (property === undefined) return true;
  if (!isKnown(slots, property)) return false;
  const isNumber = ['number', 'money'].includes(property.fieldType.comparison);
  return isNumber || name === 'count' || name === 'count_distinct';
}
