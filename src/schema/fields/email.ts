// An email address: one @ with something on both sides and no white space. Stricter rules refuse working addresses.
import type { FieldType } from '../field-type.ts';
import { checkText, textAnswers, textShape } from './rules/texts.ts';

const maxLength = 254;
const pattern = '^[^@\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+@[^@\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+$';
const compiled = new RegExp(pattern, 'u');

export const email: FieldType = {
  ...textAnswers,
  name: 'email',
  label: 'Email address',
  shape: textShape(maxLength, pattern),
  example: 'ada@example.com',
  check: (value) => checkText(value, 'an email address with one @, of at most 254 characters', maxLength, compiled),
};
