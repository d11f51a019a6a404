// Numbers, amounts, dates and names in the reader's own locale. Values of the API are exact texts: none becomes a float on the
// way to the eye.
import { callingCodes } from './calling-codes.ts';

const locales = navigator.languages;

/** Formats are expensive to make, and few are needed. */
function kept<T>(make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** The same for one format: made when it is first used. */
function later<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const plainNumbers = later(() => new Intl.NumberFormat(locales, { maximumFractionDigits: 12 }));
const money = kept((key) => {
  const [unit = 'USD', digits = '0'] = key.split(' ');
  return new Intl.NumberFormat(locales, {
    style: 'currency',
    currency: unit,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: Number(digits),
    maximumFractionDigits: Number(digits),
  });
});

/** Formats take texts as exact numbers; the types of TypeScript call that a literal. */
type NumberText = Intl.StringNumericLiteral;

export function numberText(value: string): string {
  return plainNumbers().format(value as NumberText);
}

/** Whole amounts have no decimals, others as many as they were written with, and at least two. */
export function moneyText(amount: string, unit: string): string {
  const decimals = amount.split('.')[1] ?? '';
  const digits = /^0*$/.test(decimals) ? 0 : Math.max(2, decimals.length);
  try {
    return money(`${unit} ${digits}`).format(amount as NumberText);
  } catch {
    // A currency that this browser does not know.
    return `${numberText(amount)} ${unit}`;
  }
}

const dayThisYear = later(() => new Intl.DateTimeFormat(locales, { day: 'numeric', month: 'short', timeZone: 'UTC' }));
const dayOfYear = later(
  () =>
    new Intl.DateTimeFormat(locales, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }),
);
const momentThisYear = later(
  () =>
    new Intl.DateTimeFormat(locales, {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }),
);
const momentOfYear = later(
  () =>
    new Intl.DateTimeFormat(locales, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    }),
);
const wholeMoment = later(() => new Intl.DateTimeFormat(locales, { dateStyle: 'full', timeStyle: 'long' }));

/** A day as it was written; it has no time zone. */
export function dateText(value: string): string {
  const day = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return value;
  return (value.startsWith(`${new Date().getFullYear()}-`) ? dayThisYear() : dayOfYear()).format(day);
}

export function momentText(value: string): string {
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return value;
  return (moment.getFullYear() === new Date().getFullYear() ? momentThisYear() : momentOfYear()).format(moment);
}

const monthShort = later(() => new Intl.DateTimeFormat(locales, { month: 'short', timeZone: 'UTC' }));
const monthLong = later(() => new Intl.DateTimeFormat(locales, { month: 'long', timeZone: 'UTC' }));
const wholeDay = later(() => new Intl.DateTimeFormat(locales, { weekday: 'long', day: 'numeric', month: 'long' }));
const clock = later(() => new Intl.DateTimeFormat(locales, { hour: '2-digit', minute: '2-digit' }));
const compact = kept(
  (digits) => new Intl.NumberFormat(locales, { notation: 'compact', maximumFractionDigits: Number(digits) }),
);

/** The name of the month in which a day is. */
export function monthText(value: string, length: 'short' | 'long'): string {
  return (length === 'short' ? monthShort() : monthLong()).format(new Date(`${value}T00:00:00Z`));
}

/** Today with its weekday. */
export function wholeDayText(): string {
  return wholeDay().format(new Date());
}

export function timeText(value: string): string {
  return clock().format(new Date(value));
}

/** The time of something today, else the day. */
export function whenText(value: string): string {
  const day = localInputText(value).slice(0, 10);
  return day === localInputText(new Date().toISOString()).slice(0, 10) ? timeText(value) : dateText(day);
}

/** Rounded, for the labels of charts: `66K`. */
export function compactText(value: number, decimals: 0 | 1 = 1): string {
  return compact(String(decimals)).format(value);
}

const percent = later(() => new Intl.NumberFormat(locales, { style: 'percent', maximumFractionDigits: 0 }));

export function percentText(share: number): string {
  return percent().format(share);
}

const exactPercent = later(() => new Intl.NumberFormat(locales, { style: 'percent', maximumFractionDigits: 2 }));

/** A number from 0 to 100 that somebody has chosen. */
export function exactPercentText(hundredths: number): string {
  return exactPercent().format(hundredths / 100);
}

/** For tooltips. */
export function wholeMomentText(value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : wholeMoment().format(moment);
}

const two = (value: number) => String(value).padStart(2, '0');

/** The moment in the form of a `datetime-local` input, in the reader's time zone. */
export function localInputText(value: string): string {
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return '';
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** A local time with the offset that the reader's time zone has on that day. */
export function withOffset(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${local.length === 16 ? `${local}:00` : local}${offset}`;
}

const regions = later(() => new Intl.DisplayNames(locales, { type: 'region', fallback: 'code' }));

export function countryText(code: string): string {
  try {
    return regions().of(code) ?? code;
  } catch {
    return code;
  }
}

/** `+351 22 555 01 42`: grouped so that it can be read. */
export function phoneText(country: string, digits: string): string {
  const code = callingCodes[country];
  const groups = digits.match(/\d{1,3}(?=(?:\d{2})*$)|\d{1,2}/g) ?? [];
  return `${code ?? country} ${groups.join(' ')}`.trim();
}

const lists = later(() => new Intl.ListFormat(locales, { type: 'conjunction', style: 'short' }));

export function listText(items: readonly string[]): string {
  return lists().format(items);
}

const day = 86_400;

/** How long something took or has taken: `12 d`, `3 h`, `5 min`. */
export function durationText(seconds: number): string {
  if (seconds >= day) return `${Math.floor(seconds / day)} d`;
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.max(0, Math.floor(seconds / 60))} min`;
}
