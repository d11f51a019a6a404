// The few things that every room does with JSON: counting characters, pointing at places, describing values.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describe } from '../../client/import/described.ts';
import { characterCount, compactParts, isObject, isStorable, pointerStep } from './json.ts';

/** Arbitrary strings, including lone surrogates and control characters. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('\u0000', '\ud800', '\udc00', '😀', '"', '\\', '\u001f', 'a'), { maxLength: 200 })
    .map((all) => all.join('')),
);

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  ['', 'an empty string'],
  [[], 'an empty array'],
  [[1], 'an array'],
  [{}, 'an object'],
  [{ toString: 1, toJSON: 2 }, 'an object'],
  [Object.create(null), 'an object'],
  [12.5, 'the number 12.5'],
  [1e300, 'the number 1e+300'],
  [true, 'the boolean true'],
  ['abc', 'the string "abc"'],
  ['a"b\n', 'the string "a\\"b\\n"'],
])('a value is described in words: %j is %s', (value, words) => {
  expect(describe(value)).toBe(words);
});

test('a long string is cut with an ellipsis, between characters and never inside one', () => {
  expect(describe('a'.repeat(40))).toBe(`the string "${'a'.repeat(40)}"`);
  expect(describe('a'.repeat(41))).toBe(`the string "${'a'.repeat(40)}…"`);
  expect(describe('😀'.repeat(90))).toBe(`the string "${'😀'.repeat(40)}…"`);
  expect(describe(`${'a'.repeat(99)}😀`).isWellFormed()).toBe(true);
});

test('the description is short and well-formed text, whatever the value', () => {
  for (const hostile of ['\u0000'.repeat(1_000), '\ud800'.repeat(1_000), '"'.repeat(1_000), 'x'.repeat(1_000_000)]) {
    expect(describe(hostile).length).toBeLessThanOrEqual(120);
  }
  fc.assert(
    fc.property(fc.oneof(anyText, fc.anything({ withBigInt: true, withNullPrototype: true })), (value) => {
      const words = describe(value);
      expect(words.length).toBeLessThanOrEqual(120);
      expect(words.isWellFormed()).toBe(true);
    }),
  );
});

test('an object with traps is described without touching them', () => {
  const trap = {
    get message(): string {
      throw new Error('touched');
    },
    toString(): string {
      throw new Error('touched');
    },
    toJSON(): string {
      throw new Error('touched');
    },
  };
  expect(describe(trap)).toBe('an object');
});

test('characters are counted as code points, a lone surrogate as one', () => {
  expect(characterCount('')).toBe(0);
  expect(characterCount('héllo')).toBe(5);
  expect(characterCount('😀😀')).toBe(2);
  expect(characterCount('\ud83d')).toBe(1);
  expect(characterCount('\ude00\ud83d')).toBe(2);
  expect(characterCount('\ud83d\ud83d\ude00')).toBe(2);
  fc.assert(fc.property(anyText, (text) => characterCount(text) === Array.from(text).length));
});

test('text is storable unless it has U+0000 or a lone surrogate', () => {
  expect(isStorable('')).toBe(true);
  expect(isStorable('a\u0001\uffff😀')).toBe(true);
  expect(isStorable('a\u0000')).toBe(false);
  expect(isStorable('\ud83d')).toBe(false);
  expect(isStorable('\ude00\ud83d')).toBe(false);
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = Buffer.from(text, 'utf8');
      expect(isStorable(text)).toBe(bytes.toString('utf8') === text && !bytes.includes(0));
    }),
  );
});

test('a pointer step escapes tilde and slash, in the order that RFC 6901 requires', () => {
  expect(pointerStep('svc_email')).toBe('/svc_email');
  expect(pointerStep(0)).toBe('/0');
  expect(pointerStep('a/b')).toBe('/a~1b');
  expect(pointerStep('~1')).toBe('/~01');
  expect(pointerStep('')).toBe('/');
  fc.assert(
    fc.property(fc.oneof(anyText, fc.stringMatching(/^[~/01]*$/)), (name) => {
      const step = pointerStep(name);
      expect(step.indexOf('/', 1)).toBe(-1);
      expect(step.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')).toBe(name);
    }),
  );
});

test('an object is neither null nor an array', () => {
  expect(isObject({})).toBe(true);
  expect(isObject(JSON.parse('{"__proto__": 1}'))).toBe(true);
  expect(isObject(null)).toBe(false);
  expect(isObject([])).toBe(false);
  expect(isObject('x')).toBe(false);
});

test('parts become few without a change of the text', () => {
  const bytes = Buffer.from('bytes');
  expect(compactParts(['a', 'b', bytes, bytes, 'c', 'd'])).toEqual(['ab', bytes, bytes, 'cd']);
  expect(compactParts([bytes])).toEqual([bytes]);
  expect(compactParts(['a', 'b'])).toEqual(['ab']);
  expect(compactParts([])).toEqual([]);
});
