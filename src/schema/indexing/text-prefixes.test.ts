import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textAfter } from './text-prefixes.ts';

/** In the order of code points, as PostgreSQL compares with the collation "C". */
function before(left: string, right: string): boolean {
  return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
}

test('it comes after every text with that beginning, and before or at every other that is greater', () => {
  const text = fc.string({ unit: 'binary', maxLength: 6 });
  fc.assert(
    fc.property(text, text, text, (start, rest, other) => {
      const end = textAfter(start);
      if (end === undefined) return;
      expect(before(start + rest, end)).toBe(true);
      if (before(start, other) && !other.startsWith(start)) expect(before(other, end)).toBe(false);
    }),
  );
});

test('surrogates are skipped, and the last character of all carries to the one before it', () => {
  expect(textAfter('a\ud7ff')).toBe('a\ue000');
  expect(textAfter('a\u{10ffff}')).toBe('b');
  expect(textAfter('\u{10ffff}\u{10ffff}')).toBeUndefined();
  expect(textAfter('')).toBeUndefined();
});
