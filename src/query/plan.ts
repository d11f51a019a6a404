// What is asked, as plain data: every name resolved in the caller's catalog, every value checked, negations spelled out.
// Whoever runs a plan needs neither the catalog nor the wire format, and can refuse nothing of it.
import type { Json } from '../base/json.ts';
import type { Aggregation, Granularity } from '../schema/field-type.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';

/** What a value is tested for. The other operators are these, or their complements. */
export type Test =
  | { readonly kind: 'set' }
  | { readonly kind: 'in'; readonly values: readonly Json[] }
  | { readonly kind: 'contains' | 'starts_with' | 'ends_with'; readonly text: string }
  | { readonly kind: 'range'; readonly low?: Bound; readonly high?: Bound };

export interface Bound {
  readonly value: Json;
  readonly inclusive: boolean;
}

export interface PropertyCondition {
  readonly kind: 'property';
  readonly property: Property;
  readonly test: Test;
}

export type Direction = 'outgoing' | 'incoming';

/** The way from a record to the other ends of its links. */
export interface Hop {
  readonly associationTypeId: number;
  readonly direction: Direction;
  /** The types that the other end can have, for the caller's eyes. */
  readonly ends: readonly ObjectType[];
  /** Users and the org are no records: their links are kept elsewhere. */
  readonly hidden: 'svc_user' | 'svc_org' | undefined;
}

/** That the record is linked to some other end, this one if it is named, for which the condition of its type holds. */
export interface LinkCondition {
  readonly kind: 'linked';
  readonly hop: Hop;
  readonly targetId: string | undefined;
  /** For each type of `way.ends`; absent where nothing is asked of the other end. */
  readonly conditions: readonly Condition[] | undefined;
}

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'constant'; readonly holds: boolean }
  | { readonly kind: 'id'; readonly ids: readonly string[] }
  | PropertyCondition
  | LinkCondition;

export interface SortKey {
  readonly property: Property;
  readonly direction: 'asc' | 'desc';
}

/** Which records: of one type, for which the condition holds, and in which every word begins some word. */
export interface Selection {
  readonly type: ObjectType;
  readonly condition: Condition | undefined;
  readonly words: readonly string[];
}

export interface QueryPlan extends Selection {
  readonly sort: readonly SortKey[];
}

export type GroupKey =
  | { readonly kind: 'property'; readonly property: Property }
  | {
      readonly kind: 'bucket';
      readonly property: Property;
      readonly granularity: Granularity;
      /** null: the property is a day, which has no time zone. */
      readonly timezone: string | null;
    }
  | { readonly kind: 'linked'; readonly hop: Hop };

export interface Measure {
  readonly name: string;
  readonly function: Aggregation;
  /** Absent: records are counted. */
  readonly property: Property | undefined;
}

export type HavingOperator = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';

export interface Having {
  /** Which of the measures. */
  readonly measure: number;
  readonly operator: HavingOperator;
  readonly value: string;
}

export interface GroupSort {
  readonly by: 'measure' | 'key';
  readonly index: number;
  readonly direction: 'asc' | 'desc';
}

export interface AggregatePlan extends Selection {
  readonly groups: readonly GroupKey[];
  readonly measures: readonly Measure[];
  readonly having: readonly Having[];
  readonly sort: readonly GroupSort[];
}

/** Whether the measure is a number, not a list of amounts, a text or a moment. */
export function isNumeric({ function: name, property }: Measure): boolean {
  if (name === 'count' || name === 'count_distinct') return true;
  return property?.fieldType.comparison === 'number';
}
