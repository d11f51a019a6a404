// Which form of a document is sent, and when none is.
import { expect, test } from 'vitest';
import { chooseCoding, isKnown } from './content-coding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br ; q=1.0 , gzip', 'br'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity, br;q=0.5', undefined],
  ['br;q=nonsense', undefined],
  ['deflate', undefined],
] as const)('Accept-Encoding %j gets %j', (accepted, coding) => {
  expect(chooseCoding(accepted, ['br', 'gzip'])).toBe(coding);
});

test('a document that has no smaller form is sent as it is', () => {
  expect(chooseCoding('br, gzip', [])).toBeUndefined();
});

test.each([
  [undefined, false],
  ['"one"', true],
  ['W/"one"', true],
  ['"two", "one"', true],
  ['*', true],
  ['one', false],
  ['"two"', false],
])('If-None-Match %j knows the tag: %j', (header, known) => {
  expect(isKnown(header, '"one"')).toBe(known);
});
