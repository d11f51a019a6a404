// A phone number in two parts: the country whose numbering plan it follows, and its digits.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import type { Json } from '../../base/json.ts';
import { countryCodes } from '../codes/countries.ts';
import { everyAggregation, everyOperator, type FieldType, type Operand } from '../field-type.ts';
import { checkObject, inStoredOrder, objectShape } from './rules/objects.ts';
import { checkText, textIndex } from './rules/texts.ts';

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
  cell: { write: JSON.stringify, ...cellForms.phone },
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

function together(value: Json): string {
  const { country_code, national_number } = value as { country_code: string; national_number: string };
  return country_code + national_number;
}
