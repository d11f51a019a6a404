// The table of contents of the field types: the 14 of contract 4, in its order. There is no second list.
import type { FieldType } from './field-type.ts';
import { boolean } from './fields/boolean.ts';
import { country } from './fields/country.ts';
import { currency } from './fields/currency.ts';
import { date } from './fields/date.ts';
import { datetime } from './fields/datetime.ts';
import { domain } from './fields/domain.ts';
import { email } from './fields/email.ts';
import { longText } from './fields/long-text.ts';
import { number } from './fields/number.ts';
import { phone } from './fields/phone.ts';
import { select } from './fields/select.ts';
import { text } from './fields/text.ts';
import { timezone } from './fields/timezone.ts';
import { url } from './fields/url.ts';

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [text, longText, email, url, domain, phone, number, currency, date, datetime, boolean, select, country, timezone].map(
    (fieldType) => [fieldType.name, fieldType],
  ),
);
