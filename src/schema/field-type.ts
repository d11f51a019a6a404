// The contract of a field type: a value that answers every question about itself (contract 4). Validation, index
// tables, `GET /field_types/`, the OpenAPI document and the compiler of queries read this value; nobody switches on
// its name.
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

/** An option of a select property. Its value is what is stored; its label is what people read. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Why one value does not fit. `at` is the place inside the value: '' for the whole, '/amount' for a member. */
export interface ValueFault {
  readonly reason: 'wrong_shape' | 'too_long' | 'unknown_option';
  readonly at: string;
  readonly detail: string;
}

/** The index tables there are, by the type of their value column. */
export type IndexKind = 'text' | 'number' | 'time';

/**
 * How values are compared where they are stored: lower-cased, as they are, as decimal numbers, as moments, as amounts
 * of one unit, or as the two parts of a phone number.
 */
export type Comparison = 'folded' | 'plain' | 'number' | 'moment' | 'money' | 'phone';

/** What a filter compares with, where that is not a value of the shape. */
export interface Operand {
  readonly shape: JsonSchema;
  check(value: unknown): ValueFault | undefined;
}

/** How values stand in an index table: in which one, and as what text before it is cast. */
export interface ValueIndex {
  readonly kind: IndexKind;
  key(value: Json): string;
}

/** What one cell of a table says: a value, which is still to be checked, or why it says none. */
export type CellReading = { readonly value: Json } | { readonly fault: ValueFault };

/** What the reading of a cell may rest on besides the cell: the options of the property and the currency of the org. */
export interface CellContext {
  readonly options: readonly Option[];
  readonly currency: string;
}

/** How one value stands in a cell of a table (contract 12). What is not declared here is text, taken as it is. */
export interface CellForm {
  /** Spaces around it belong to the value; elsewhere they are trimmed before the cell is read. */
  readonly keepsSpaces?: true;
  /** Its minus sign begins a number and never a formula. */
  readonly signed?: true;
  write?(value: Json): string;
  /** The cell is not empty. */
  read?(cell: string, context: CellContext): CellReading;
}

export interface FieldType {
  readonly name: string;
  readonly label: string;
  /** The shape of one value as JSON Schema: what it admits, `check` admits, and nothing else. */
  readonly shape: JsonSchema;
  readonly example: Json;
  readonly operators: readonly Operator[];
  readonly aggregations: readonly Aggregation[];
  readonly sortable: boolean;
  readonly groupable: boolean;
  readonly granularities?: readonly Granularity[];
  /** Whether a search reads the words of its values. */
  readonly searchable: boolean;
  readonly comparison: Comparison;
  /** Sorted by the order of the property's options, which no index keeps, instead of the order of values. */
  readonly sortedByOptions?: true;
  /** Absent where no operator could use one. */
  readonly index?: ValueIndex;
  readonly cell?: CellForm;
  /** What a filter with this operator takes; without it, a value of the shape. */
  operand?(operator: Operator): Operand | undefined;
  /** The shape for one property, where the property's options narrow it. */
  shapeFor?(options: readonly Option[]): JsonSchema;
  /** The fault of one value, or undefined. `options` are those of the property; only a select has any. */
  check(value: unknown, options: readonly Option[]): ValueFault | undefined;
  /** Two valid values are the same exactly when their keys are equal. */
  key(value: Json): string;
}

/** What every field type answers to. */
export const everyOperator: readonly Operator[] = ['is_set', 'is_not_set'];
export const everyAggregation: readonly Aggregation[] = ['count', 'count_distinct'];
