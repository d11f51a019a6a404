// Queries as plain data: every name is resolved in the caller's catalog, every value is checked, negations are spelled
// out. Running a plan needs neither the catalog nor the wire format, and never refuses anything.
import type { Json } from '../base/json.ts';
import type { Aggregation, Granularity } from '../schema/field-type.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';

/** The tests of a value. All operators are one of these, or its complement. */
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

/** One step from a record, along its links of one association type, to the records at their other ends. */
export interface Hop {
  readonly associationTypeId: number;
  readonly direction: Direction;
  /** The types that the other end can have, as far as the caller sees them. */
  readonly ends: readonly ObjectType[];
  /** Whether one record can have several such links. */
  readonly many: boolean;
  /** Whether the other end is the stage of the record. */
  readonly stage: boolean;
  /** Users and orgs are not records: links to them are stored elsewhere. */
  readonly hidden: 'svc_user' | 'svc_org' | undefined;
  /** Whether users have titles: not, if the caller does not see the names of members. */
  readonly namesUsers: boolean;
}

/** The record is linked to some other end (or to `targetId`) that meets the condition of its type. */
export interface LinkCondition {
  readonly kind: 'linked';
  readonly hop: Hop;
  readonly targetId: string | undefined;
  /** One for each type of `hop.ends`; undefined if the filter says nothing about the other end. */
  readonly conditions: readonly Condition[] | undefined;
}

/** The record of this type that has the id in another system. */
export interface ExternalIdCondition {
  readonly kind: 'external_id';
  readonly typeId: number;
  readonly source: string;
  readonly externalId: string;
}

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'constant'; readonly holds: boolean }
  | { readonly kind: 'id'; readonly ids: readonly string[] }
  | ExternalIdCondition
  | PropertyCondition
  | LinkCondition;

export interface SortKey {
  readonly property: Property;
  readonly direction: 'asc' | 'desc';
}

/** The records of one type that meet the condition and in which every search word is the beginning of some word. */
export interface Selection {
  readonly type: ObjectType;
  readonly condition: Condition | undefined;
  readonly words: readonly string[];
  /** Records that only words which the caller does not see would find. */
  readonly unfound?: readonly string[];
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
      /** null: the property is a date, which has no time zone. */
      readonly timezone: string | null;
    }
  | { readonly kind: 'linked'; readonly hop: Hop };

export interface Measure {
  readonly name: string;
  readonly function: Aggregation;
  /** undefined: records are counted. */
  readonly property: Property | undefined;
}

export type HavingOperator = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';

export interface Having {
  /** The index of the measure. */
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

/** Whether the measure is a number, and not a list of amounts, a text or a time. */
export function isNumeric({ function: name, property }: Measure): boolean {
  if (name === 'count' || name === 'count_distinct') return true;
  return property?.fieldType.comparison === 'number';
}
