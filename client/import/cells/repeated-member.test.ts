// Repeated members are found wherever they are, and nothing else is.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedMember } from './repeated-member.ts';

const find = (text: string) => repeatedMember(text, JSON.parse(text));

test('no member of a printed value is repeated, however it is printed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      expect(find(JSON.stringify(value, null, indent))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('a repeated member is named, at any depth and in any spelling, whatever surrounds it', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"a":1,"a":1}', 'a'],
    ['{"b":{},"a":[{"x":1,"y":"\\"x\\":", "x" : 2}]}', 'x'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"\\\\":1,"\\\\":2}', '\\'],
    ['{"a\\"b":1,"c":"}{","a\\"b":2}', 'a"b'],
    ['[{"a":1},{"a":1},{"a":1,"a":{"a":1}}]', 'a'],
    ['{"a":{"a":{"a":1}},"b":"a\\\\","b":2}', 'b'],
    ['{\n"a"\t:\r\n1 , "a" :2}', 'a'],
  ];
  for (const [text, name] of cases) expect(find(text), text).toBe(name);
});

test('texts that look like names are not names', () => {
  for (const text of [
    '"a:"',
    '["a","a"]',
    '{"a":"\\"a\\":1"}',
    '{"a":"b","b":"a"}',
    '[[[]]]',
    'null',
    '{}',
    '"\\\\"',
  ]) {
    expect(find(text), text).toBeUndefined();
  }
});

test('a deep or a long text is handled', () => {
  expect(find(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
  expect(find(`{"a":"${'\\\\'.repeat(100_000)}","b":1,"b":2}`)).toBe('b');
});
