// Shared by the field types whose values are texts: operators, order, sameness, and checks that every string must pass.

import { describe } from '../../../../client/import/described.ts';
import { counted } from '../../../base/counted.ts';
import { characterCount, isStorable, type Json, type JsonSchema } from '../../../base/json.ts';
import {
  everyAggregation,
  everyOperator,
  type FieldType,
  type Operand,
  type ValueFault,
  type ValueIndex,
} from '../../field-type.ts';

/**
 * Any string that can be stored: no U+0000 and no lone surrogate. In unicode mode a surrogate pair is one character.
 */
export const storablePattern = '^[^\\u0000\\uD800-\\uDFFF]*$';

/** A short text is compared, sorted, grouped and distinguished in lower case. */
export const textAnswers = {
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with'],
  aggregations: everyAggregation,
  sortable: true,
  groupable: true,
  searchable: true,
  comparison: 'folded',
  index: textIndex(lowerCased),
  operand: () => anyText(1_024),
  key: lowerCased,
} as const satisfies Partial<FieldType>;

/** A filter takes any text: part of an address is not an address, and a text that no value can have matches nothing. */
export function anyText(maxLength: number): Operand {
  const most = counted(maxLength);
  return {
    shape: textShape(maxLength),
    check: (value) =>
      value === ''
        ? wrongShape(`Expected a string of 1 to ${most} characters; got an empty string.`)
        : checkText(value, `a string of 1 to ${most} characters`, maxLength),
  };
}

/** The key of a text that is compared as it is. */
export function itself(value: Json): string {
  return value as string;
}

function lowerCased(value: Json): string {
  return (value as string).toLowerCase();
}

export function textIndex(key: FieldType['key']): ValueIndex {
  return { kind: 'text', key };
}

export function wrongShape(detail: string, at = ''): ValueFault {
  return { reason: 'wrong_shape', at, detail };
}

/** Checks for a string of 1 to `maxLength` characters that matches the pattern, if there is one. */
export function checkText(
  value: unknown,
  expected: string,
  maxLength: number,
  pattern?: RegExp,
): ValueFault | undefined {
  if (typeof value !== 'string') return wrongShape(`Expected ${expected}; got ${describe(value)}.`);
  if (value === '') return wrongShape(`Expected ${expected}; got an empty string. To clear the property, send null.`);
  if (!isStorable(value)) {
    return wrongShape(`Expected ${expected}; this one contains U+0000 or a lone surrogate, which cannot be stored.`);
  }
  const length = characterCount(value);
  if (length > maxLength) {
    const most = counted(maxLength);
    return {
      reason: 'too_long',
      at: '',
      detail: `Expected at most ${most} characters; got ${counted(length)}.`,
    };
  }
  if (pattern !== undefined && !pattern.test(value)) return wrongShape(`Expected ${expected}; got ${describe(value)}.`);
  return undefined;
}

export function textShape(maxLength: number, pattern = storablePattern): JsonSchema {
  return { type: 'string', minLength: 1, maxLength, pattern };
}
