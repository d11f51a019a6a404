// An amount of money with its currency. Amounts of different units are never compared or added.
import { describe, type Json } from '../../base/json.ts';
import { type DecimalMark, readDecimal } from '../cells/decimal.ts';
import { currenciesOf } from '../cells/money-signs.ts';
import { currencyCodes } from '../codes/currencies.ts';
import { type CellContext, type CellReading, everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { numberPattern, rangeOperators } from './number.ts';
import { readJsonCell } from './rules/cell-json.ts';
import { checkObject, inStoredOrder, objectShape } from './rules/objects.ts';
import { textIndex, wrongShape } from './rules/texts.ts';

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
  cell: { write: JSON.stringify, read: readAmount },
  check: (value) => checkObject(value, 'an object with amount and unit', members),
  normal: inStoredOrder(members),
  key: unitThenAmount,
};

const written = 'an amount with or without a currency, such as 1200.50, 1200.50 EUR or EUR 1200.50, or JSON';
const amountFirst = /^(-?[0-9.]+)\s*([a-z]{3})?$/i;
const unitFirst = /^([a-z]{3})\s*(-?[0-9.]+)$/i;

/** Separators and signs are refused unless the decimal mark of the column is known: countries use them differently. */
function readAmount(cell: string, context: CellContext): CellReading {
  if (cell.startsWith('{')) return readJsonCell(cell, written);
  const after = amountFirst.exec(cell);
  const before = unitFirst.exec(cell);
  const { decimal } = context.style;
  if (decimal !== undefined) return readGrouped(cell, decimal, context);
  const amount = after?.[1] ?? before?.[2];
  const unit = (after === null ? before?.[1] : after[2])?.toUpperCase() ?? context.currency;
  return amount === undefined || unit === undefined ? unreadable(cell) : { value: { amount, unit } };
}

/** A sign or a code, before or after the number; the minus sign may be in front of both. */
const grouped =
  /^(?<minus>[-\u2212]?)(?<before>[^0-9+\-\u2212]*)(?<number>[+\-\u2212]?[0-9](?:.*[0-9])?)(?<after>[^0-9]*)$/s;

function readGrouped(cell: string, mark: DecimalMark, { currency: known }: CellContext): CellReading {
  const { minus = '', before = '', number = '', after = '' } = grouped.exec(cell)?.groups ?? {};
  const amount = readDecimal(minus + number, mark);
  if (amount === undefined || (before.trim() !== '' && after.trim() !== '')) return unreadable(cell);
  const sign = (before + after).trim();
  const code = sign.toUpperCase();
  const possible = sign === '' ? [known] : isCurrencyCode(code) ? [code] : currenciesOf(sign);
  const unit = possible?.length === 1 ? possible[0] : possible?.find((each) => each === known);
  if (unit !== undefined) return { value: { amount, unit } };
  if (possible === undefined) return unreadable(cell);
  const meant = sign === '' ? '' : ` "${sign}" may be ${possible.join(', ')}.`;
  return { fault: wrongShape(`Expected an amount with its currency; got ${describe(cell)}.${meant}`) };
}

function unreadable(cell: string): CellReading {
  return { fault: wrongShape(`Expected ${written}; got ${describe(cell)}.`) };
}

/** With this added, every amount in trillionths is positive and has at most 31 digits. */
const raise = 10n ** 30n;

/** A text that sorts by unit, then by amount. */
function unitThenAmount(value: Json): string {
  const { amount, unit } = value as { amount: string; unit: string };
  const [whole = '', fraction = ''] = amount.split('.');
  const trillionths = BigInt(whole + fraction.padEnd(12, '0'));
  return unit + String(trillionths + raise).padStart(31, '0');
}
