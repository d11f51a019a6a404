// All field types: the 14 of contract 4, in its order. There is no second list.
import type { FieldType } from '../field-type.ts';
import { boolean } from './boolean.ts';
import { country } from './country.ts';
import { currency } from './currency.ts';
import { date } from './date.ts';
import { datetime } from './datetime.ts';
import { domain } from './domain.ts';
import { email } from './email.ts';
import { longText } from './long-text.ts';
import { number } from './number.ts';
import { phone } from './phone.ts';
import { select } from './select.ts';
import { text } from './text.ts';
import { timezone } from './timezone.ts';
import { url } from './url.ts';

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [text, longText, email, url, domain, phone, number, currency, date, datetime, boolean, select, country, timezone].map(
    (fieldType) => [fieldType.name, fieldType],
  ),
);
