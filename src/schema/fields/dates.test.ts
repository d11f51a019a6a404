// The edges of dates and datetimes: the calendar, the clock and the offset.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDate, isDatetime } from '../../../client/import/cells/calendar.ts';
import { date } from './date.ts';
import { datetime } from './datetime.ts';

test('a year has a leap day exactly when the calendar gives it one', () => {
  for (let year = 1; year <= 9_999; year++) {
    const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const text = `${String(year).padStart(4, '0')}-02-29`;
    if (isDate(text) !== leap) expect.fail(text);
  }
});

test('each month has its own last day', () => {
  const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (const [index, length] of lengths.entries()) {
    for (let day = 0; day <= 32; day++) {
      const text = `2026-${String(index + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      expect(isDate(text), text).toBe(day >= 1 && day <= length);
    }
  }
});

test('dates run from the year 0001 to the year 9999, and there is no year 0000', () => {
  expect(isDate('0001-01-01')).toBe(true);
  expect(isDate('0099-12-31')).toBe(true);
  expect(isDate('9999-12-31')).toBe(true);
  expect(isDate('0000-01-01')).toBe(false);
  expect(isDate('0000-02-29')).toBe(false);
  expect(isDate('10000-01-01')).toBe(false);
  expect(isDate('-0001-01-01')).toBe(false);
});

test('a date is refused with the form that it should have', () => {
  for (const value of ['2026-02-30', '31.03.2026', '2026-03-31T00:00:00Z', '2026-3-31', '２０２６-03-31', 20260331]) {
    expect(date.check(value, [])).toMatchObject({ reason: 'wrong_shape', at: '' });
    expect(date.check(value, [])?.detail).toContain('YYYY-MM-DD');
  }
});

test.each([
  '2026-03-31T09:30:00Z',
  '2026-03-31T09:30:00.1Z',
  '2026-03-31T09:30:00.123456Z',
  '2024-02-29T23:59:59.999999+02:00',
  '2026-03-31T00:00:00+00:00',
  '2026-03-31T00:00:00-00:00',
  '2026-03-31T00:00:00+15:59',
  '2026-03-31T00:00:00-15:59',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
])('a moment with seconds and an offset is accepted: %s', (moment) => {
  expect(datetime.check(moment, [])).toBeUndefined();
});

test.each([
  '2026-03-31T23:59:60Z',
  '2016-12-31T23:59:60Z',
  '2026-03-31T24:00:00Z',
  '2026-03-31T09:60:00Z',
  '2026-03-31T00:00:00+16:00',
  '2026-03-31T00:00:00-16:00',
  '2026-03-31T00:00:00+15:60',
  '2026-03-31T00:00:00+23:59',
  '2026-03-31T00:00:00+02',
  '2026-03-31T00:00:00+0200',
  '2026-03-31T00:00:00',
  '2026-03-31T00:00Z',
  '2026-03-31T00:00:00.Z',
  '2026-03-31T00:00:00.1234567Z',
  '2026-03-31T00:00:00,5Z',
  '2026-03-31 00:00:00Z',
  '2026-03-31t00:00:00z',
  '2026-03-31T00:00:00z',
  '2026-03-31T00:00:00Z\n',
  '2026-02-29T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-03-31',
  '2026-03-31T00:00:00[Europe/Berlin]',
  '2026-03-31T00:00:00Z[UTC]',
])('a moment that is not whole, or that PostgreSQL does not know, is refused: %j', (moment) => {
  expect(datetime.check(moment, [])).toMatchObject({ reason: 'wrong_shape', at: '' });
});

test('every accepted moment is one that a program can read', () => {
  const parts = fc.tuple(
    fc.integer({ min: 1, max: 9_999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
    fc.integer({ min: 0, max: 25 }),
    fc.integer({ min: 0, max: 61 }),
    fc.integer({ min: 0, max: 61 }),
    fc.constantFrom('Z', '+15:59', '-15:59', '+16:00', '+00:60'),
  );
  const two = (value: number) => String(value).padStart(2, '0');
  fc.assert(
    fc.property(parts, ([year, month, day, hour, minute, second, offset]) => {
      const dayText = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      const clock = `${two(hour)}:${two(minute)}:${two(second)}`;
      const onClock = hour <= 23 && minute <= 59 && second <= 59;
      expect(isDatetime(`${dayText}T${clock}${offset}`)).toBe(
        isDate(dayText) && onClock && !['+16:00', '+00:60'].includes(offset),
      );
      if (isDatetime(`${dayText}T${clock}${offset}`)) {
        expect(Number.isNaN(Date.parse(`${dayText}T${clock}${offset}`))).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});
