// A phone number in a cell, with its calling code or as it is dialled in a known country.
import { describe } from '../described.ts';
import { type CellContext, type CellReading, misread } from './cell-form.ts';
import { readJsonCell } from './json-cell.ts';
import { readDialled, readInternational } from './national-number.ts';

const written = 'an international number such as +44 20 7946 0958, or JSON';
/** Characters that people put between digits. */
const separators = /[\s().\-/\u2010\u2011\u2013]/g;
/** In some countries this zero is dialled, in others it is left out. */
const optionalZero = /\(\s*0\s*\)/;

/** A number without a calling code is read only where the country of the column is known. */
export function readPhone(cell: string, { style: { country } }: CellContext): CellReading {
  if (cell.startsWith('{')) return readJsonCell(cell, written);
  const [, plus, digits = ''] = /^(\+?)([0-9]+)$/.exec(cell.replace(separators, '')) ?? [];
  if (plus === '+') {
    const number = optionalZero.test(cell) ? undefined : readInternational(digits);
    if (number !== undefined) return { value: { ...number } };
  } else if (country !== undefined) {
    const number = optionalZero.test(cell) ? undefined : readDialled(digits, country);
    if (number !== undefined) return { value: { ...number } };
  }
  const national = country === undefined ? '' : `, or one as dialled in ${country}`;
  return misread(`Expected ${written}${national}; got ${describe(cell)}.`);
}
