// A host name in lower case with at least one dot. Internationalized names may be in their xn-- form or in Unicode.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import type { FieldType } from '../field-type.ts';
import { checkText, textAnswers, textShape } from './rules/texts.ts';

const maxLength = 253;
const label = '(?!-)[\\p{Ll}\\p{Lo}\\p{Lm}\\p{Mn}\\p{Mc}\\p{Nd}-]{1,63}(?<!-)';
const pattern = `^${label}(?:\\.${label})+$`;
const compiled = new RegExp(pattern, 'u');

export const domain: FieldType = {
  ...textAnswers,
  name: 'domain',
  label: 'Domain',
  shape: textShape(maxLength, pattern),
  example: 'example.com',
  cell: cellForms.domain,
  check: (value) =>
    checkText(value, 'a host name in lower case with at least one dot, such as example.com', maxLength, compiled),
};
