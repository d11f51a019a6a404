// An amount of money with its currency. Amounts of different units are never compared or added.
import { isCurrencyCode } from '../../../client/import/cells/amount-cell.ts';
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { currencyCodes } from '../../../client/import/cells/currencies.ts';
import type { Json } from '../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { numberPattern, rangeOperators } from './number.ts';
import { checkObject, inStoredOrder, objectShape } from './rules/objects.ts';
import { textIndex } from './rules/texts.ts';

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
  cell: { write: JSON.stringify, ...cellForms.currency },
  check: (value) => checkObject(value, 'an object with amount and unit', members),
  normal: inStoredOrder(members),
  key: unitThenAmount,
};

/** With this added, every amount in trillionths is positive and has at most 31 digits. */
const raise = 10n ** 30n;

/** A text that sorts by unit, then by amount. */
function unitThenAmount(value: Json): string {
  const { amount, unit } = value as { amount: string; unit: string };
  const [whole = '', fraction = ''] = amount.split('.');
  const trillionths = BigInt(whole + fraction.padEnd(12, '0'));
  return unit + String(trillionths + raise).padStart(31, '0');
}
