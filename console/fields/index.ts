// The 14 field types by name. A type that a later service adds is shown as text and cannot be edited.
import type { Value } from '../../client/main.ts';
import { boolean } from './boolean.tsx';
import { country } from './country.tsx';
import { currency } from './currency.tsx';
import { date } from './date.tsx';
import { datetime } from './datetime.tsx';
import { domain } from './domain.tsx';
import { email } from './email.tsx';
import type { Field, Single } from './field.ts';
import { longText } from './long-text.tsx';
import { number } from './number.tsx';
import { phone } from './phone.tsx';
import { select } from './select.tsx';
import { text } from './text.tsx';
import { timezone } from './timezone.tsx';
import { url } from './url.tsx';

const fields: Readonly<Record<string, Field>> = {
  text,
  long_text: longText,
  email,
  url,
  domain,
  phone,
  number,
  currency,
  date,
  datetime,
  boolean,
  select,
  country,
  timezone,
};

const unknown: Field = {
  text: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  Edit: () => null,
  width: 160,
};

export function fieldOf(fieldType: string): Field {
  return fields[fieldType] ?? unknown;
}

export function isKnown(fieldType: string): boolean {
  return fieldType in fields;
}

/** The values of a property, whether it has one or many. */
export function valuesOf(value: Value | undefined): readonly Single[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Single[];
}
