// A country, by its ISO 3166-1 alpha-2 code.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { countryCodes } from '../codes/countries.ts';
import type { FieldType } from '../field-type.ts';
import { checkCode, codeAnswers, codeShape } from './rules/codes.ts';

const codes: ReadonlySet<string> = new Set(countryCodes);

export const country: FieldType = {
  ...codeAnswers,
  name: 'country',
  label: 'Country',
  shape: codeShape(countryCodes),
  example: 'GB',
  cell: cellForms.country,
  check: (value) => checkCode(value, codes, 'an ISO 3166-1 alpha-2 code in capitals, such as "GB"'),
};
