// What the field types whose value is a code of a closed list share.
import { describe, type JsonSchema } from '../../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType, type ValueFault } from '../../field-type.ts';
import { itself, textIndex, wrongShape } from './texts.ts';

/** How values of a closed list are compared, counted, sorted, grouped and told from each other. */
export const codeAnswers = {
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in'],
  aggregations: everyAggregation,
  sortable: true,
  groupable: true,
  searchable: false,
  comparison: 'plain',
  index: textIndex(itself),
  key: itself,
} as const satisfies Partial<FieldType>;

export function codeShape(codes: readonly string[]): JsonSchema {
  return { type: 'string', enum: codes };
}

export function checkCode(value: unknown, codes: ReadonlySet<string>, expected: string): ValueFault | undefined {
  return typeof value === 'string' && codes.has(value)
    ? undefined
    : wrongShape(`Expected ${expected}; got ${describe(value)}.`);
}
