// A text that is parsed piece by piece has the outcome of `JSON.parse`: the same value, the same repeated member, or an
// error at the same place. Tiny pieces cut texts everywhere.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRepeated } from '../../../client/import/cells/repeated-member.ts';
import { type ParsedText, parsePieces } from './pieces.ts';
import { JsonScan } from './scan.ts';

type Outcome = ParsedText | { readonly failedAt: string | undefined };

function outcomeOf(parse: () => ParsedText): Outcome {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { failedAt: / position ([0-9]+)/.exec(error.message)?.[1] };
  }
}

const whole = (text: string) => outcomeOf(() => ({ value: JSON.parse(text), repeated: findRepeated(text) }));

function inPieces(text: string, values: number, bytes: number, stringBytes: number): Outcome {
  return outcomeOf(() => {
    const steps = parsePieces(Buffer.from(text), new Map(), { values, bytes, stringBytes });
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  });
}

function expectSame(text: string): void {
  const expected = whole(text);
  for (const [values, bytes, stringBytes] of [
    [1, 1_000_000, 1_000_000],
    [3, 1_000_000, 1_000_000],
    [1_000, 4, 1_000_000],
    [1_000, 1_000_000, 1],
    [1_000, 1_000_000, 7],
    [2, 4, 3],
    [1_000, 1_000_000, 1_000_000],
  ] as const) {
    const outcome = inPieces(text, values, bytes, stringBytes);
    expect(outcome, `${values} ${bytes} ${stringBytes}: ${text}`).toEqual(expected);
    // The order of members is the same as well.
    expect(JSON.stringify(outcome)).toBe(JSON.stringify(expected));
  }
}

const names = fc.oneof(fc.constantFrom('a', 'b', '', '7', '07', '__proto__', 'constructor', 'é"\\'), fc.string());
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 0, -1.5e-7, '', 'text', '[{,:"}]\\', 'é😀\u2028', '\\\\"\n\u0007\ud83d'),
    fc.string({ unit: fc.constantFrom('a', '"', '\\', 'u', '\u0001', 'é', '😀', '\udc00'), maxLength: 30 }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map((members) => new Members(members)),
  ),
}));

/** An object whose names may be repeated. */
class Members {
  readonly list: readonly (readonly [string, unknown])[];

  constructor(list: readonly (readonly [string, unknown])[]) {
    this.list = list;
  }
}

function print(each: unknown, blank: string): string {
  const between = `${blank},${blank}`;
  if (Array.isArray(each)) return `[${blank}${each.map((one) => print(one, blank)).join(between)}${blank}]`;
  if (!(each instanceof Members)) return JSON.stringify(each);
  const members = each.list.map(([name, one]) => `${JSON.stringify(name)}${blank}:${blank}${print(one, blank)}`);
  return `{${blank}${members.join(between)}${blank}}`;
}

const text = fc
  .tuple(value, fc.constantFrom('', ' ', '\n\t'))
  .map(([each, blank]) => blank + print(each, blank) + blank);

test('a well-formed text gives the same value, and the same repeated member', () => {
  fc.assert(fc.property(text, expectSame), { numRuns: 500 });
});

test('a text with a few characters changed gives the same value or fails at the same place', () => {
  const character = fc.oneof(
    fc.constantFrom('null', '[]', '{}', '""', '\\u00', 'é', '\ufeff'),
    fc.string({
      unit: fc.constantFrom(...Array.from('{}[],:"\\ \n\t01-.eEtrufalsn\u0000')),
      minLength: 1,
      maxLength: 1,
    }),
  );
  const change = fc.record({ at: fc.nat(), removed: fc.nat({ max: 3 }), added: fc.oneof(fc.constant(''), character) });
  fc.assert(
    fc.property(text, fc.array(change, { minLength: 1, maxLength: 3 }), (original, changes) => {
      let changed = original;
      for (const { at, removed, added } of changes) {
        const place = at % (changed.length + 1);
        changed = changed.slice(0, place) + added + changed.slice(place + removed);
      }
      // Half of a surrogate pair has no bytes of its own.
      expectSame(changed.toWellFormed());
    }),
    { numRuns: 1_500 },
  );
});

test('a text that ends early fails at the same place, wherever it ends', () => {
  const long = JSON.stringify({ a: [1, { b: ['x', {}, []], é: '"\\' }, [[[]]]], c: { d: null, e: [true, -1.5e3] } });
  for (let end = 0; end <= long.length; end++) expectSame(long.slice(0, end));
});

test.each([
  '[1,]',
  '[,1]',
  '[,]',
  '[1,,2]',
  '{"a":1,}',
  '{,"a":1}',
  '[[1,2]',
  '[1,2]]',
  '[1,2}',
  '{"a":[1,2]]',
  '[1 [2,3,4]]',
  '[1[2,3,4],5]',
  '[[2,3,4]5]',
  '{"a":1[2,3,4]}',
  '{"a" [2,3,4]}',
  '{[2,3,4]}',
  '{"a":[2,3,4]"b":1}',
  '{"a":[1,2,3],"a":[1,2,3]}',
  '{"a":1,"b":2,"c":3,"a":{"x":1,"x":2,"y":3}}',
  '[1,2,3] x',
  '[][][][]',
  '[] , []',
  ']',
  '"a',
  '',
  ' ',
  '1',
  '{"a":[1,2,3,"b]}',
  '"a long text"',
  '"a long text" "and another"',
  '["a long text" 1]',
  '{"a long name":"a long text" "b"}',
  '{"a long name" "a long text"}',
  '{"a long name":nul}',
  '{"a long name":1 2}',
  '{"a long name"',
  '{"a long name":',
  '["a long text", "\\x long"]',
  '["a long text\\u12", 1]',
  '["\\ud83d\\ude00\\ud83d\\ude00\\ud83d"]',
  '["\\\\\\\\\\\\\\"\\\\"]',
  '["a long text\nin two lines"]',
])('%s is like the whole', (each) => {
  expectSame(each);
});

/** In pieces of the usual size, after the scan of what has arrived at once. */
function parseLong(text: string) {
  const infinite = Number.POSITIVE_INFINITY;
  const scan = new JsonScan({ depth: infinite, values: infinite, members: infinite, run: infinite });
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 65_536) scan.feed(bytes.subarray(from, from + 65_536));
  return parsePieces(bytes, scan.longStrings);
}

test('a long text is parsed in many pieces, and none of its members is lost', () => {
  const object = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, index]));
  const list = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'é'.repeat(index % 50) }));
  const sent = { object, list, deep: [[[list.slice(0, 5_000)]]], last: 'x' };
  const steps = parseLong(JSON.stringify(sent));
  let pieces = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pieces++;
  expect(step.value).toEqual({ value: sent, repeated: undefined });
  expect(pieces).toBeGreaterThan(50);
});

test('a string of escapes only is parsed in many pieces', () => {
  const steps = parseLong(`{"${'\\u00e9'.repeat(100_000)}":["${'\\ud83d\\ude00'.repeat(100_000)}"]}`);
  let pieces = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pieces++;
  expect(step.value.value).toEqual({ ['é'.repeat(100_000)]: ['😀'.repeat(100_000)] });
  expect(pieces).toBeGreaterThan(12);
});
