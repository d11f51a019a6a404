// An amount of money with its currency. Amounts of different units are never compared or added.
import { currencyCodes } from '../codes/currencies.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { numberPattern, rangeOperators } from './number.ts';
import { checkObject, objectShape } from './object-rules.ts';

const units: ReadonlySet<string> = new Set(currencyCodes);
const members = {
  amount: {
    shape: { type: 'string', pattern: numberPattern.source },
    expected: 'a numeric string, such as "1200.50"',
    admits: (value: unknown) => typeof value === 'string' && numberPattern.test(value),
  },
  unit: {
    shape: { type: 'string', enum: currencyCodes },
    expected: 'an ISO 4217 code in capitals, such as "EUR"',
    admits: (value: unknown) => isCurrencyCode(value),
  },
};

export function isCurrencyCode(value: unknown): value is string {
  return typeof value === 'string' && units.has(value);
}

export const currency: FieldType = {
  name: 'currency',
  label: 'Currency',
  shape: objectShape(members),
  example: { amount: '1200.50', unit: 'EUR' },
  operators: [...everyOperator, 'eq', 'neq', ...rangeOperators],
  aggregations: [...everyAggregation, 'sum', 'avg', 'min', 'max'],
  sortable: true,
  groupable: true,
  check: (value) => checkObject(value, 'an object with amount and unit', members),
};
