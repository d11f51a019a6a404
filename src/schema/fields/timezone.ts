// A time zone, by its exact IANA name.
import { timeZoneNames } from '../codes/time-zones.ts';
import type { FieldType } from '../field-type.ts';
import { checkCode, codeAnswers, codeShape } from './rules/codes.ts';

const names: ReadonlySet<string> = new Set(timeZoneNames);

export const timezone: FieldType = {
  ...codeAnswers,
  name: 'timezone',
  label: 'Time zone',
  shape: codeShape(timeZoneNames),
  example: 'Europe/Berlin',
  check: (value) => checkCode(value, names, 'an IANA time zone name, such as "Europe/Berlin"'),
};
