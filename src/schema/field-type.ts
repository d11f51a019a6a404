// The contract of a field type: a value that answers every question about itself (contract 4). Validation, index
// tables, `GET /field_types/`, the OpenAPI document and the query compiler read this value; no code switches on its
// name.
import type { CellForm } from '../../client/import/cells/cell-form.ts';
import type { Json, JsonSchema } from '../base/json.ts';

export type Operator =
  | 'is_set'
  | 'is_not_set'
  | 'eq'
  | 'neq'
  | 'in'
  | 'not_in'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'between';

export type Aggregation = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max' | 'median';
export type Granularity = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** An option of a select property. The value is stored; the label is for people. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Why a value does not fit. `at` is the place inside the value: '' for the whole, '/amount' for a member. */
export interface ValueFault {
  readonly reason: 'wrong_shape' | 'too_long' | 'unknown_option';
  readonly at: string;
  readonly detail: string;
}

/** The index tables, by the type of their value column. */
export type IndexKind = 'text' | 'number' | 'time';

/**
 * How stored values are compared: in lower case, as they are, as decimal numbers, as times, as amounts of one unit, or
 * as the two parts of a phone number.
 */
export type Comparison = 'folded' | 'plain' | 'number' | 'moment' | 'money' | 'phone';

/** The value that a filter compares with, if it is not a value of the field type's shape. */
export interface Operand {
  readonly shape: JsonSchema;
  check(value: unknown): ValueFault | undefined;
}

/** How values are indexed: in which table, and as which text before it is cast. */
export interface ValueIndex {
  readonly kind: IndexKind;
  key(value: Json): string;
}

/** How a value is written in a CSV cell (contract 12) and read from it. Without these members it is text, written as it is. */
interface WrittenForm extends CellForm {
  /** A leading minus sign belongs to a number, so it is not guarded as a formula. */
  readonly signed?: true;
  write?(value: Json): string;
}

export interface FieldType {
  readonly name: string;
  readonly label: string;
  /** The shape of one value as JSON Schema. It admits exactly the values that `check` admits. */
  readonly shape: JsonSchema;
  readonly example: Json;
  readonly operators: readonly Operator[];
  readonly aggregations: readonly Aggregation[];
  readonly sortable: boolean;
  readonly groupable: boolean;
  readonly granularities?: readonly Granularity[];
  /** Whether search finds the words of its values. */
  readonly searchable: boolean;
  readonly comparison: Comparison;
  /** Sorted in the order of the property's options, which no index has, and not in the order of values. */
  readonly sortedByOptions?: true;
  /** Absent if no operator could use an index. */
  readonly index?: ValueIndex;
  readonly cell?: WrittenForm;
  /** The operand of a filter with this operator; undefined if that is a value of the shape. */
  operand?(operator: Operator): Operand | undefined;
  /** The shape for one property, if its options narrow the shape. */
  shapeFor?(options: readonly Option[]): JsonSchema;
  /** The error of a value, or undefined. `options` are those of the property; only a select has any. */
  check(value: unknown, options: readonly Option[]): ValueFault | undefined;
  /** A valid value in the form in which it is stored; absent if that is the form in which it was sent. */
  readonly normal?: (value: Json) => Json;
  /** Two valid values are the same if and only if their keys are equal. */
  key(value: Json): string;
}

/** The operators and aggregations of every field type. */
export const everyOperator: readonly Operator[] = ['is_set', 'is_not_set'];
export const everyAggregation: readonly Aggregation[] = ['count', 'count_distinct'];
