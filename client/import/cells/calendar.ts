// The calendar: which texts name a day or a moment that exists. The year 0000 is refused, because PostgreSQL does not have it.

export const datePattern = /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;

/** Whether the text is a real day; leap years are taken into account. */
export function isDate(text: string): boolean {
  if (!datePattern.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  // Day 0 of the next month is the last day of this one; setUTCFullYear takes years below 100 as they are.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate();
}

/** Leap seconds and offsets of 16 hours and more are refused, because PostgreSQL does not support them. */
export const datetimePattern =
  /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$/;

export function isDatetime(text: string): boolean {
  return datetimePattern.test(text) && isDate(text.slice(0, 10));
}
