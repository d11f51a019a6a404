// An exact decimal number, sent and returned as a string, because a JSON number could lose digits.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import type { Json } from '../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType, type Operator } from '../field-type.ts';
import { checkText, wrongShape } from './rules/texts.ts';

export const numberPattern = /^-?[0-9]{1,18}(\.[0-9]{1,12})?$/;
export const rangeOperators: readonly Operator[] = ['gt', 'gte', 'lt', 'lte', 'between'];

const expected = 'a numeric string of at most 18 digits before the point and 12 after, such as "12.50"';

export const number: FieldType = {
  name: 'number',
  label: 'Number',
  shape: { type: 'string', pattern: numberPattern.source },
  example: '12.50',
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in', ...rangeOperators],
  aggregations: [...everyAggregation, 'sum', 'avg', 'min', 'max', 'median'],
  sortable: true,
  groupable: true,
  searchable: false,
  comparison: 'number',
  index: { kind: 'number', key: canonical },
  cell: { signed: true, ...cellForms.number },
  check: (value) =>
    typeof value === 'number'
      ? wrongShape(`Expected ${expected}; got a JSON number. Put it in quotes.`)
      : checkText(value, expected, Number.MAX_SAFE_INTEGER, numberPattern),
  key: canonical,
};

/** The shortest decimal of the same value: no leading or trailing zeros, and no negative zero. */
function canonical(value: Json): string {
  const shortest = (value as string).replace(/^(-?)0+(?=[0-9])/, '$1').replace(/\.0+$|(\.[0-9]*[1-9])0+$/, '$1');
  return shortest === '-0' ? '0' : shortest;
}
