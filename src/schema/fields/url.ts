// An absolute http or https address. The pattern is the whole rule, so that the published shape and the check agree.
import type { FieldType } from '../field-type.ts';
import { anyText, checkText, textAnswers, textShape } from './rules/texts.ts';

const maxLength = 2_048;
/** Characters that no address may contain: white space, control characters, lone surrogates. */
const never = '\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF';
const userinfo = `[^@/?#${never}]*@`;
const host = `\\[[0-9A-Fa-f:.]+\\]|[^@:/?#<>\\[\\]\\\\^|${never}]+`;
const pattern = `^[Hh][Tt][Tt][Pp][Ss]?://(?:${userinfo})?(?:${host})(?::[0-9]{0,5})?(?:[/?#][^${never}]*)?$`;
const compiled = new RegExp(pattern, 'u');

export const url: FieldType = {
  ...textAnswers,
  name: 'url',
  label: 'Web address',
  shape: textShape(maxLength, pattern),
  example: 'https://example.com/about',
  searchable: false,
  operand: () => anyText(maxLength),
  check: (value) =>
    checkText(value, 'an absolute http or https address of at most 2,048 characters', maxLength, compiled),
};
