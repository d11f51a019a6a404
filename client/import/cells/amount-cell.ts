// An amount of money in a cell, with its currency or in a known one.

import { describe } from '../described.ts';
import type { Money } from '../described-type.ts';
import { type CellContext, type CellReading, misread } from './cell-form.ts';
import { currencyCodes } from './currencies.ts';
import { type DecimalMark, readDecimal } from './decimal.ts';
import { readJsonCell } from './json-cell.ts';
import { currenciesOf } from './money-signs.ts';

const codes: ReadonlySet<string> = new Set(currencyCodes);

export function isCurrencyCode(value: unknown): value is string {
  return typeof value === 'string' && codes.has(value);
}

/** What guessing needs to know of currencies. */
export function moneyOf(orgCurrency: string): Money {
  return { orgCurrency, currenciesOf: (text) => (isCurrencyCode(text) ? [text] : currenciesOf(text)) };
}

const written = 'an amount with or without a currency, such as 1200.50, 1200.50 EUR or EUR 1200.50, or JSON';
const amountFirst = /^(-?[0-9.]+)\s*([a-z]{3})?$/i;
const unitFirst = /^([a-z]{3})\s*(-?[0-9.]+)$/i;

/** Separators and signs are refused unless the decimal mark of the column is known: countries use them differently. */
export function readAmount(cell: string, context: CellContext): CellReading {
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
  return misread(`Expected an amount with its currency; got ${describe(cell)}.${meant}`);
}

function unreadable(cell: string): CellReading {
  return misread(`Expected ${written}; got ${describe(cell)}.`);
}
