// An amount of money with its currency. Amounts of different units are never compared or added.
import type { Json } from '../../base/json.ts';
import { currencyCodes } from '../codes/currencies.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { numberPattern, rangeOperators } from './number.ts';
import { checkObject, objectShape } from './object-rules.ts';
import { textIndex } from './text-rules.ts';

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
  searchable: false,
  comparison: 'money',
  index: textIndex(unitThenAmount),
  check: (value) => checkObject(value, 'an object with amount and unit', members),
  key: unitThenAmount,
};

/** Raised by 10^30, every amount in trillionths is positive and has at most 31 digits. */
const raise = 10n ** 30n;

/** In the order of text: by unit, and by amount within one. */
function unitThenAmount(value: Json): string {
  const { amount, unit } = value as { amount: string; unit: string };
  const [whole = '', fraction = ''] = amount.split('.');
  const trillionths = BigInt(whole + fraction.padEnd(12, '0'));
  return unit + String(trillionths + raise).padStart(31, '0');
}
