// A phone number in two parts: the country whose numbering plan it follows, and its digits.
import { describe, type Json } from '../../base/json.ts';
import { readDialled, readInternational } from '../cells/national-number.ts';
import { countryCodes } from '../codes/countries.ts';
import {
  type CellContext,
  type CellReading,
  everyAggregation,
  everyOperator,
  type FieldType,
  type Operand,
} from '../field-type.ts';
import { readJsonCell } from './rules/cell-json.ts';
import { checkObject, inStoredOrder, objectShape } from './rules/objects.ts';
import { checkText, textIndex, wrongShape } from './rules/texts.ts';

const countries: ReadonlySet<string> = new Set(countryCodes);
const digits = /^[0-9]{1,15}$/;
const members = {
  country_code: {
    shape: { type: 'string', enum: countryCodes },
    expected: 'an ISO 3166-1 alpha-2 code in capitals, such as "GB"',
    admits: (value: unknown) => typeof value === 'string' && countries.has(value),
  },
  national_number: {
    shape: { type: 'string', pattern: digits.source },
    expected: 'a string of 1 to 15 digits',
    admits: (value: unknown) => typeof value === 'string' && digits.test(value),
  },
};

export const phone: FieldType = {
  name: 'phone',
  label: 'Phone number',
  shape: objectShape(members),
  example: { country_code: 'GB', national_number: '2079460958' },
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in', 'contains'],
  aggregations: everyAggregation,
  sortable: false,
  groupable: false,
  searchable: false,
  comparison: 'phone',
  index: textIndex(together),
  cell: { write: JSON.stringify, read: readNumber },
  operand: (operator) => (operator === 'contains' ? someDigits : undefined),
  check: (value) => checkObject(value, 'an object with country_code and national_number', members),
  normal: inStoredOrder(members),
  key: together,
};

/** A part of a number is searched for in its digits. */
const someDigits: Operand = {
  shape: members.national_number.shape,
  check: (value) => checkText(value, members.national_number.expected, Number.MAX_SAFE_INTEGER, digits),
};

const written = 'an international number such as +44 20 7946 0958, or JSON';
/** Characters that people put between digits. */
const separators = /[\s().\-/\u2010\u2011\u2013]/g;
/** In some countries this zero is dialled, in others it is left out. */
const optionalZero = /\(\s*0\s*\)/;

/** A number without a calling code is read only where the country of the column is known. */
function readNumber(cell: string, { style: { country } }: CellContext): CellReading {
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
  return { fault: wrongShape(`Expected ${written}${national}; got ${describe(cell)}.`) };
}

function together(value: Json): string {
  const { country_code, national_number } = value as { country_code: string; national_number: string };
  return country_code + national_number;
}
