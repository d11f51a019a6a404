// The parts that the pages of the documentation are made of: highlighted code, literals, tables of members, and the order
// in which the search shows what it finds.
import { expect, test } from 'vitest';
import { rank, type SearchEntry } from '../../scripts/site/browser/rank.ts';
import { partsOf } from '../../scripts/site/highlight.ts';
import { javascriptLiteral, jsonLiteral, pythonLiteral } from '../../scripts/site/reference/literals.ts';
import { MemberTables } from '../../scripts/site/reference/members.ts';
import type { Schema } from '../../scripts/site/reference/openapi.ts';

test.each([
  [
    'json',
    '{"a": "b\\"c", "d": -1.5e3, "e": null}',
    ['name "a"', 'string "b\\"c"', 'name "d"', 'number -1.5e3', 'name "e"', 'word null'],
  ],
  [
    'sh',
    `curl -X PUT "$URL/a" -d '{"a": 1}' # why`,
    ['word curl', 'name -X', 'string "$URL/a"', 'name -d', `string '{"a": 1}'`, 'comment # why'],
  ],
  ['js', "const a = { b: 'c' }; // d", ['word const', 'name b', "string 'c'", 'comment // d']],
  ['ts', 'await a(1_000);', ['word await', 'number 1_000']],
  ['python', 'print(f("a", b=None)) # c', ['word print', 'string "a"', 'name b', 'word None', 'comment # c']],
  ['unknown', 'const a = 1;', []],
])('code is highlighted and stays as it is: %s', (language, code, marked) => {
  const parts = partsOf(code, language);
  expect(parts.map(({ text }) => text).join('')).toBe(code);
  expect(parts.flatMap(({ kind, text }) => (kind === undefined ? [] : [`${kind} ${text}`]))).toEqual(marked);
});

test('values are printed as the literals of each language, on one line if they fit', () => {
  const value = { text: `it's "so"\n`, 'a-b': [true, null, 1.5], none: {}, empty: [] };
  expect(jsonLiteral(value).replaceAll(/\s+/g, ' ')).toBe(
    '{ "text": "it\'s \\"so\\"\\n", "a-b": [true, null, 1.5], "none": {}, "empty": [] }',
  );
  expect(pythonLiteral({ a: [true, false, null] })).toBe('{"a": [True, False, None]}');
  expect(javascriptLiteral(value).replaceAll(/\s+/g, ' ')).toBe(
    `{ text: 'it\\'s "so"\\n', 'a-b': [true, null, 1.5], none: {}, empty: [], }`,
  );
  expect(JSON.parse(jsonLiteral(value))).toEqual(value);
  expect(javascriptLiteral({ long: 'x'.repeat(80), short: [1, 2] })).toBe(
    `{\n  long: '${'x'.repeat(80)}',\n  short: [1, 2],\n}`,
  );
});

test('a schema that contains itself ends, and every row has its own id', () => {
  const tree: Schema = {
    description: 'a tree of conditions',
    anyOf: [
      {
        type: 'object',
        required: ['and'],
        properties: { and: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      },
      { type: 'object', properties: { leaf: { type: 'string', enum: ['a', '<b>'], description: 'a `leaf`' } } },
    ],
  };
  const tables = new MemberTables({ Tree: tree });
  const html = tables.printSchema('body', 'Body', {
    type: 'object',
    required: ['tree'],
    properties: {
      tree: { $ref: '#/components/schemas/Tree' },
      list: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    },
  });
  expect(tables.places.map(({ id }) => id)).toEqual(['body-tree', 'body-tree-1-and', 'body-tree-2-leaf', 'body-list']);
  expect(html).toContain('array of Tree');
  expect(html.split('A tree of conditions.')).toHaveLength(2);
  expect(html).toContain('At most 3 entries.');
  expect(html).toContain('One of <code>a</code>, <code>&lt;b&gt;</code>.');
  expect(html).toContain('A <code>leaf</code>.');
  const map = { type: 'object', additionalProperties: { type: 'object', properties: { old: {}, new: {} } } };
  const mapped = tables.printSchema('answer', 'Answer', { type: 'object', properties: { changed: map } });
  expect(mapped).toContain('<span class="facts">map</span>');
  expect(mapped).toContain('id="answer-changed-old"');
  expect(() => tables.printSchema('other', 'Other', { $ref: '#/components/schemas/Absent' })).toThrow('Absent');
});

test('the search shows whole titles first, then beginnings, then parts, then texts, and nothing without every word', () => {
  const entry = (kind: string, title: string, text = ''): SearchEntry => [kind, title, `/${title}`, text];
  const entries = [
    entry('Member', 'limit', 'how many records'),
    entry('Guide', 'Rate limits'),
    entry('Operation', 'List records', 'with a limit'),
    entry('Guide', 'Limits'),
    entry('Property', 'unlimited'),
  ];
  const found = (search: string) => rank(entries, search).map(([, title]) => title);
  expect(found('limit')).toEqual(['limit', 'Limits', 'Rate limits', 'unlimited', 'List records']);
  expect(found('LIMIT records')).toEqual(['limit', 'List records']);
  expect(found('limit nothing')).toEqual([]);
  expect(found('  ')).toEqual([]);
});
