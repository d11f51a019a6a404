// The measures of a JSON text do not depend on how its bytes are cut, and a text that passes a bound is refused at once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countMembers } from '../../../client/import/cells/repeated-member.ts';
import { endOfString, JsonScan } from './scan.ts';

const unbounded = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
  run: Number.POSITIVE_INFINITY,
};

function scanned(text: string, cuts: readonly number[] = []): JsonScan {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(unbounded);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  for (const [index, from] of places.slice(0, -1).entries()) scan.feed(bytes.subarray(from, places[index + 1]));
  return scan;
}

/** The members and elements of a value, and one more for each empty object or array. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return Math.max(1, parts.length) + parts.reduce<number>((sum, part) => sum + countValues(part), 0);
}

const awkward = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '\n'),
  maxLength: 80,
});
const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' });

test('values and names are counted, whatever the strings hold and wherever the bytes are cut', () => {
  const value = fc.oneof(json, fc.dictionary(awkward, fc.oneof(awkward, fc.array(awkward))));
  fc.assert(
    fc.property(
      value,
      fc.constantFrom(undefined, 1, '\t'),
      fc.array(fc.nat(), { maxLength: 8 }),
      (each, indent, cuts) => {
        const { values, names } = scanned(JSON.stringify(each, null, indent), cuts);
        expect({ values, names }).toEqual({ values: countValues(each), names: countMembers(each) });
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a text that is cut between any two bytes has the same measures', () => {
  const text = JSON.stringify({ 'a"\\': ['\\\\', '\\"', { 'b\\': '"}{' }, []], long: `${'\\"'.repeat(30)}é` });
  const { values, names } = scanned(text);
  expect(names).toBe(3);
  for (let cut = 0; cut <= Buffer.byteLength(text); cut++) {
    const parts = scanned(text, [cut]);
    expect([parts.values, parts.names], `cut at ${cut}`).toEqual([values, names]);
  }
});

test('a string ends at the first quote that is not escaped', () => {
  fc.assert(
    fc.property(awkward, awkward, (content, rest) => {
      const string = JSON.stringify(content);
      expect(endOfString(Buffer.from(string + rest), 1)).toBe(Buffer.byteLength(string));
      expect(endOfString(Buffer.from(string.slice(0, -1)), 1)).toBeLessThan(0);
    }),
  );
});

test('a text that nests too deep is refused where it does, even if it never ends', () => {
  const deep = (levels: number) => Buffer.from('[{"a":'.repeat(levels / 2));
  expect(new JsonScan({ ...unbounded, depth: 32 }).feed(deep(32))).toBeUndefined();
  expect(new JsonScan({ ...unbounded, depth: 32 }).feed(deep(34))).toBe('too_deep');
  const beside = Buffer.from(`[${'[[]],'.repeat(1_000)}0]`);
  expect(new JsonScan({ ...unbounded, depth: 3 }).feed(beside)).toBeUndefined();
  expect(new JsonScan({ ...unbounded, depth: 3 }).feed(Buffer.from(JSON.stringify('['.repeat(100))))).toBeUndefined();
});

test('a text with too many values is refused, whatever the values are', () => {
  const bounded = () => new JsonScan({ ...unbounded, values: 100 });
  for (const each of ['{}', '[]', '1', '"a,b"', '{"a":1}', '[1,2]']) {
    expect(bounded().feed(Buffer.from(`[${Array(30).fill(each).join()}]`)), each).toBeUndefined();
    expect(bounded().feed(Buffer.from(`[${Array(102).fill(each).join()}]`)), each).toBe('body_values');
  }
  expect(bounded().feed(Buffer.from(JSON.stringify(',['.repeat(200))))).toBeUndefined();
});

test('an object with too many members is refused, but not many objects or long arrays', () => {
  const fed = (text: string, cut: number) => {
    const scan = new JsonScan({ ...unbounded, members: 3 });
    return scan.feed(Buffer.from(text.slice(0, cut))) ?? scan.feed(Buffer.from(text.slice(cut)));
  };
  const three = '{"a":{"x":1,"y":[1,2,3,4,5],"z":{}},"b":[{},{},{},{},"}"],"c":"{,,,"}';
  const four = '{"a":1,"b":{"x":1,"y":2},"c":[1,2,3,{"z":0}],"d":4}';
  for (let cut = 0; cut < three.length; cut++) {
    expect(fed(three, cut), three.slice(0, cut)).toBeUndefined();
    expect(fed(`[${three},${three}]`, cut)).toBeUndefined();
    expect(fed(`[${three},${four}]`, cut)).toBe('too_many_members');
    // Brackets that do not match are for the parser to refuse.
    expect(fed(`]]}${three}`, cut)).toBeUndefined();
  }
});

test('a long run of blanks or digits is refused wherever it is and however it is cut, but not a long string', () => {
  const fed = (text: string, cut: number) => {
    const scan = new JsonScan({ ...unbounded, run: 10 });
    return scan.feed(Buffer.from(text.slice(0, cut))) ?? scan.feed(Buffer.from(text.slice(cut)));
  };
  const [few, eleven, long] = [' '.repeat(8), ' '.repeat(11), JSON.stringify(' '.repeat(50))];
  const places = (run: string) => [`${run}{}`, `{}${run}`, `{${run}"a":1}`, `{"a"${run}:1}`, `[${run}1]`, `[${run},0]`];
  for (const text of [...places(few), `[${long},${few}${long}${few}]`, '[123456789]']) {
    for (let cut = 0; cut <= text.length; cut++) expect(fed(text, cut), `${text} cut at ${cut}`).toBeUndefined();
  }
  for (const text of [...places(eleven), `[${long}${eleven},1]`, '[12345678901]']) {
    for (let cut = 0; cut <= text.length; cut++)
      expect(fed(text, cut), `${text} cut at ${cut}`).toBe('too_many_blanks');
  }
});

test('the scan finds the long strings, however the text arrives', () => {
  const long = '\\"é'.repeat(50_000);
  const bytes = Buffer.from(`["short", "${long}", {"${long}": "${'x'.repeat(131_069)}"}, "${'x'.repeat(131_071)}"]`);
  const expected: [number, number][] = [];
  for (let open = bytes.indexOf('"\\"'); open >= 0; open = bytes.indexOf('"\\"', open + 200_000)) {
    expected.push([open, open + 200_002]);
  }
  expected.push([bytes.length - 131_074, bytes.length - 1]);
  for (const step of [1, 7, 65_536, bytes.length]) {
    const infinite = Number.POSITIVE_INFINITY;
    const scan = new JsonScan({ depth: infinite, values: infinite, members: infinite, run: infinite });
    for (let from = 0; from < bytes.length; from += step) scan.feed(bytes.subarray(from, from + step));
    expect([...scan.longStrings]).toEqual(expected);
  }
});
