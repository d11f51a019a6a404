import { expect, test } from 'vitest';
import { sized } from './text.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_250, '1.3 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [999_950_000_000, '1 TB'],
  [12_345_600_000_000_000, '12,345.6 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sized(bytes)).toBe(text);
});
