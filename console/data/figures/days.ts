// Days and months as the API writes them, in the reader's time zone.
import { localInputText, withOffset } from '../../text/locale.ts';

/** `2026-11-19` */
export function today(): string {
  return dayOf(new Date().toISOString());
}

/** The day of a moment. */
export function dayOf(moment: string): string {
  return localInputText(moment).slice(0, 10);
}

export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

/** The first day of the month. */
export function monthOf(day: string): string {
  return `${day.slice(0, 8)}01`;
}

export function addMonths(month: string, count: number): string {
  const date = new Date(`${month}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.toISOString().slice(0, 10);
}

export function lastDayOf(month: string): string {
  return addDays(addMonths(month, 1), -1);
}

/** The moment at which the day begins. */
export function startOf(day: string): string {
  return withOffset(`${day}T00:00`);
}

/** The last moment of the day that the service can store. */
export function endOf(day: string): string {
  return withOffset(`${day}T23:59:59.999999`);
}

export function timeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
