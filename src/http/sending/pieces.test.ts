// The pieces of a body: together they are the body, and none of them is longer than the bound or splits a character.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { type Body, bodyBytes, piecesOf } from './pieces.ts';

const most = bounds.http.pieceBytes;

function all(body: Body): readonly Buffer[] {
  const next = piecesOf(body);
  const pieces: Buffer[] = [];
  for (let piece = next(); piece !== undefined; piece = next()) pieces.push(piece.bytes);
  return pieces;
}

test.each([
  ['nothing', [''], 0],
  ['no parts', [], 0],
  ['a short text', ['{"data":[]}'], 1],
  ['many short parts', Array.from({ length: 1_000 }, (_, index) => `part ${index}, `), 1],
  ['parts that fill a piece exactly', ['a'.repeat(most - 1), 'b', 'c'], 2],
  ['one long part', ['a'.repeat(3 * most + 5)], 4],
  ['long and short parts in turn', ['[', 'a'.repeat(2 * most), ',', 'b'.repeat(most), ']'], 4],
])('%s', (_, parts, count) => {
  const pieces = all(parts);
  expect(Buffer.concat(pieces).toString()).toBe(parts.join(''));
  expect(pieces).toHaveLength(count);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
});

test.each([0, 1])('a character of two units is never cut in half, wherever it is (%i)', (shift) => {
  const text = 'a'.repeat(shift) + '😀'.repeat(2 * most);
  const pieces = all([text]);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
  const bytes = Buffer.concat(pieces);
  expect(bytes.equals(Buffer.from(text))).toBe(true);
  expect(bodyBytes([text])).toBe(bytes.length);
});

test('parts in every script are cut where they have to be', () => {
  const parts = ['ä'.repeat(most), '', '漢'.repeat(most), 'a😀'.repeat(most), 'z'];
  const pieces = all(parts);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
  expect(Buffer.concat(pieces).equals(Buffer.from(parts.join('')))).toBe(true);
});

test('the memory of a piece is used again once it has left, and not before', () => {
  const next = piecesOf(['a'.repeat(most), 'b'.repeat(most), 'c'.repeat(most)]);
  const [first, second] = [next(), next()];
  expect(first?.bytes.toString()).toBe('a'.repeat(most));
  first?.left();
  const third = next();
  expect(third?.bytes.buffer).toBe(first?.bytes.buffer);
  expect(second?.bytes.toString()).toBe('b'.repeat(most));
  expect(third?.bytes.toString()).toBe('c'.repeat(most));
});

test('bytes are cut without being copied', () => {
  const bytes = Buffer.alloc(2 * most + 1, 'x');
  const pieces = all(bytes);
  expect(pieces.map(({ length }) => length)).toEqual([most, most, 1]);
  expect(pieces[1]?.buffer).toBe(bytes.buffer);
});

test('the length in bytes is that of the whole text', () => {
  expect(bodyBytes('äöü')).toBe(6);
  expect(bodyBytes(['ä', 'ö', '😀', 'a'])).toBe(9);
  expect(bodyBytes(Buffer.from('äöü'))).toBe(6);
});
