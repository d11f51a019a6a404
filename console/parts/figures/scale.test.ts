// The lines of charts.
import { expect, test } from 'vitest';
import { linesOf, placeOf } from './scale.ts';

test('the lines of a chart are round, go through zero and hold every value', () => {
  expect(linesOf(0, 195_000)).toEqual([0, 100_000, 200_000]);
  expect(linesOf(-51_000, 195_000)).toEqual([-100_000, 0, 100_000, 200_000]);
  expect(linesOf(3, 7)).toEqual([0, 5, 10]);
  expect(linesOf(0, 0)).toEqual([0, 1]);
  expect(linesOf(-5, -1)).toEqual([-6, -4, -2, 0]);
});

test('the most is at the top and the least at the bottom', () => {
  expect(placeOf(200, [0, 100, 200], 80)).toBe(0);
  expect(placeOf(0, [0, 100, 200], 80)).toBe(80);
  expect(placeOf(-100, [-100, 0, 100], 80)).toBe(80);
});
