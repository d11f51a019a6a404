// The days of a line: those between records that have none, and the last ones of too many.
import { expect, test, vi } from 'vitest';

// The locale of the reader is that of the browser.
vi.stubGlobal('navigator', { languages: ['en-GB'] });
const { bucketsOf, compareDays } = await import('./buckets.ts');

const rowsOn = (...days: readonly (string | undefined)[]) => days.map((day) => ({ day }));

test('buckets without records are between those that have some, in the order of time', () => {
  const rows = rowsOn('2026-03-01', undefined, '2025-12-01');
  const days = ['2025-12-01', '2026-01-01', '2026-02-01', '2026-03-01'];
  expect(bucketsOf(rows, 'month')).toEqual({ days, isCut: false });
  expect(bucketsOf(rowsOn('2026-02-28', '2026-03-02'), 'day').days).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
  expect(bucketsOf(rowsOn(undefined), 'month')).toEqual({ days: [], isCut: false });
});

test('of more buckets than a picture has room for, the last ones are drawn, and it is known that some are missing', () => {
  const { days, isCut } = bucketsOf(rowsOn('1990-01-01', '2026-11-19'), 'day');
  expect([days.length, days.at(-1), isCut]).toEqual([1_000, '2026-11-19', true]);
  expect(days[0]).toBe('2024-02-24');
});

test('days are in their order, and what has none comes last', () => {
  const days = [undefined, '2026-02-01', '2025-12-01', undefined, '2026-01-01'];
  expect(days.map((day) => ({ day })).toSorted((one, other) => compareDays(one.day, other.day))).toEqual(
    ['2025-12-01', '2026-01-01', '2026-02-01', undefined, undefined].map((day) => ({ day })),
  );
});
