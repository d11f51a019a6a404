// Shared by the field types whose values are codes of a closed list.
import { describe } from '../../../../client/import/described.ts';
import type { JsonSchema } from '../../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType, type ValueFault } from '../../field-type.ts';
import { itself, textIndex, wrongShape } from './texts.ts';

/** How codes are compared, counted, sorted, grouped and distinguished. */
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
