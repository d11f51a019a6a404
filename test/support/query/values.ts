// The meaning of one value to a filter and to a sort, field type by field type (contract 4): decimals by value, moments to
// the microsecond, texts by their lower-cased form in code point order.
import type { ModelProperty } from './world.ts';

interface Money {
  readonly amount: string;
  readonly unit: string;
}

interface Phone {
  readonly country_code: string;
  readonly national_number: string;
}

/** Contract 4, written out; `is_set` and `is_not_set` are offered by all. */
const ofText = 'eq neq in not_in contains not_contains starts_with ends_with';
const ofOrder = 'eq neq in not_in gt gte lt lte between';
export const operatorsOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    text: ofText,
    long_text: 'contains not_contains',
    email: ofText,
    url: ofText,
    domain: ofText,
    phone: 'eq neq in not_in contains',
    number: ofOrder,
    currency: 'eq neq gt gte lt lte between',
    date: ofOrder,
    datetime: ofOrder,
    boolean: 'eq neq',
    select: 'eq neq in not_in',
    country: 'eq neq in not_in',
    timezone: 'eq neq in not_in',
  }).map(([name, operators]) => [name, [...operators.split(' '), 'is_set', 'is_not_set']]),
);

export const notSortable: readonly string[] = ['long_text', 'phone'];
export const foldedTypes: readonly string[] = ['text', 'long_text', 'email', 'url', 'domain'];

/** In units of 10^-26, the smallest difference that two totals of deals can have; numbers have 12 decimals. */
function decimal(text: string): bigint {
  const [whole = '', part = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + part.padEnd(26, '0'));
  return text.startsWith('-') ? -size : size;
}

/** Microseconds since 1970 in UTC. */
export function moment(text: string): bigint {
  const match = /^(.{19})(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text);
  if (match === null) throw new Error(`${text} is not a moment.`);
  const [, clock, part = '', sign, hours = '0', minutes = '0'] = match;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return BigInt(Date.parse(`${clock}Z`) - offset) * 1_000n + BigInt(part.padEnd(6, '0'));
}

/** UTF-8 has the order of code points; JavaScript's own comparison has that of UTF-16. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function order<T extends bigint | number | string>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Which of two values comes first. Values of a type without an order are only distinguished. */
export function compareValues(property: ModelProperty, left: unknown, right: unknown): number {
  switch (property.field_type) {
    case 'number':
      return order(decimal(left as string), decimal(right as string));
    case 'currency': {
      const [one, two] = [left as Money, right as Money];
      return byCodePoint(one.unit, two.unit) || order(decimal(one.amount), decimal(two.amount));
    }
    case 'datetime':
      return order(moment(left as string), moment(right as string));
    case 'boolean':
      return order(Number(left), Number(right));
    case 'select': {
      const place = (value: unknown) => (property.options ?? []).findIndex((option) => option.value === value);
      return order(place(left), place(right));
    }
    case 'phone': {
      const [one, two] = [left as Phone, right as Phone];
      return order(one.country_code, two.country_code) || order(one.national_number, two.national_number);
    }
    case 'date':
    case 'country':
    case 'timezone':
      return byCodePoint(left as string, right as string);
    default:
      return byCodePoint((left as string).toLowerCase(), (right as string).toLowerCase());
  }
}

/** Amounts of two units are not comparable: no operator but neq holds between them. */
function comparable({ field_type }: ModelProperty, value: unknown, argument: unknown): boolean {
  return field_type !== 'currency' || (value as Money).unit === (argument as Money).unit;
}

/** Whether one value satisfies one of the operators that are not complements. */
export function satisfies(property: ModelProperty, operator: string, value: unknown, argument: unknown): boolean {
  const against = (other: unknown, wanted: (compared: number) => boolean) =>
    comparable(property, value, other) && wanted(compareValues(property, value, other));
  const lower = (text: unknown) => (text as string).toLowerCase();
  switch (operator) {
    case 'eq':
      return against(argument, (compared) => compared === 0);
    case 'in':
      return (argument as readonly unknown[]).some((each) => against(each, (compared) => compared === 0));
    case 'gt':
      return against(argument, (compared) => compared > 0);
    case 'gte':
      return against(argument, (compared) => compared >= 0);
    case 'lt':
      return against(argument, (compared) => compared < 0);
    case 'lte':
      return against(argument, (compared) => compared <= 0);
    case 'between': {
      const [low, high] = argument as readonly [unknown, unknown];
      return against(low, (compared) => compared >= 0) && against(high, (compared) => compared <= 0);
    }
    case 'contains':
      return property.field_type === 'phone'
        ? (value as Phone).national_number.includes(argument as string)
        : lower(value).includes(lower(argument));
    case 'starts_with':
      return lower(value).startsWith(lower(argument));
    case 'ends_with':
      return lower(value).endsWith(lower(argument));
    default:
      throw new Error(`The model does not know the operator ${operator}.`);
  }
}
