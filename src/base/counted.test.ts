// Numbers for people.
import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test('thousands have a comma, as in English texts', () => {
  for (const count of [
    0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1, -999, -1_234, 1.5, 999.9, 1_234.5,
  ]) {
    expect(counted(count)).toBe(count.toLocaleString('en-US'));
  }
});
