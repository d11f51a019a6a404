// The choice of a document's content coding, of a 304, and of a page for a browser.
import { expect, test } from 'vitest';
import { acceptsHtml, chooseCoding, isKnown } from './content-coding.ts';

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

test('a document without a compressed form is sent uncompressed', () => {
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

test.each([
  [undefined, false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['Text/HTML ; q=0.5', true],
  ['text/html;q=0', false],
  ['application/json, text/html', true],
  ['application/problem+json, text/html;q=0.9', false],
])('Accept %j wants a page: %j', (accept, wanted) => {
  expect(acceptsHtml(accept)).toBe(wanted);
});
