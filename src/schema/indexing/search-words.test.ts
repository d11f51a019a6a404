// The words of texts and of records: folding, what a word is, and the bounds that keep every record storable.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applySchema } from '../custom/apply-schema.ts';
import { emptyCustomSchema } from '../custom/custom-schema.ts';
import type { ObjectType } from '../object-type.ts';
import { foldWords, searchWords, wordCharactersMax } from './search-words.ts';

const { catalog } = applySchema(emptyCustomSchema, {
  properties: {
    svc_contact: [
      { name: 'constructor', label: 'Builder', field_type: 'text' },
      { name: 'essays', label: 'Essays', field_type: 'long_text', multi_valued: true },
      { name: 'host', label: 'Host', field_type: 'domain' },
    ],
  },
});
const contact = catalog.objectTypes.get('svc_contact') as ObjectType;

test.each([
  ['Ada Lovelace', ['ada', 'lovelace']],
  ['ada@Example.com', ['ada', 'example', 'com']],
  ["O'Hara-Smith_2nd, 007", ['o', 'hara', 'smith', '2nd', '007']],
  ['Zoë ÉCOLE e\u0301cole Łódź', ['zoe', 'ecole', 'ecole', 'łodz']],
  ['İstanbul ISTANBUL ıspanak', ['istanbul', 'istanbul', 'ıspanak']],
  ['ﬁne ① ＡＢＣ x² ½', ['fine', '1', 'abc', 'x2', '1', '2']],
  ['Straße ẞ', ['straße', 'ß']],
  ['Привет, ЁЛКА', ['привет', 'елка']],
  ['東京都 ٣٤', ['東京都', '٣٤']],
  ['𐐀𐐨 a😀b', ['𐐨𐐨', 'a', 'b']],
  ['ΟΔΟΣ οδοσ ΟΔΟΣ.ΑΒ', ['οδοσ', 'οδοσ', 'οδοσ', 'αβ']],
  ['', []],
  [' -_.@\n\0', []],
  ['😀', []],
])('%j has the words %j', (text, words) => {
  expect(foldWords(text)).toEqual(words);
});

test('the fast path for ASCII and the general path agree', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(foldWords(`${text} é`)).toEqual([...foldWords(text), 'e']);
    }),
  );
});

test('a folded word folds to itself, in any text', () => {
  const text = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(' ', '.', 'Σ', 'İ')),
  });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const words = foldWords(left);
      for (const word of words) expect(foldWords(word)).toEqual([word]);
      expect(foldWords(`${left} ${right}`)).toEqual([...words, ...foldWords(right)]);
    }),
    { numRuns: 300 },
  );
});

test.each(['a', 'é', '字', '𐐨'])('a word of %s is cut at 256 characters', (letter) => {
  const [word = '', ...others] = foldWords(letter.repeat(1_000));
  expect(others).toEqual([]);
  expect(Array.from(word)).toHaveLength(wordCharactersMax);
  expect(word.isWellFormed()).toBe(true);
});

test('a record has the distinct words of its text, long text, email addresses and domains', () => {
  const words = searchWords(contact, {
    svc_first_name: 'Ada',
    svc_email: ['ada@example.com', 'countess@example.org'],
    svc_summary: 'Wrote the first program.',
    essays: ['Ada again', 'Notes'],
    host: 'a.example',
    svc_network_url: 'https://network.example/ada',
    svc_phone_number: [{ country_code: 'GB', national_number: '2079460958' }],
    svc_timezone: 'Europe/London',
    svc_lead_score: 'hot',
    svc_job_start_date: '1843-09-01',
    svc_created_at: '2026-03-31T09:30:00.000Z',
    elsewhere: 'unknown',
  });
  const expected = 'ada example com countess org wrote the first program again notes a';
  expect([...words].sort()).toEqual(expected.split(' ').sort());
});

test('a property that every object inherits is unset until the record has it', () => {
  expect(searchWords(contact, {})).toEqual([]);
  expect(searchWords(contact, { constructor: 'Yard' })).toEqual(['yard']);
});

test('a repeated word takes no room', () => {
  expect(searchWords(contact, { essays: [...Array(4).fill('again '.repeat(10_000)), 'last'] })).toEqual([
    'again',
    'last',
  ]);
});

test('the words of a record stay within what a tsvector can hold', () => {
  const numbered = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(' ');
  const sizeOf = (words: readonly string[]) => words.reduce((sum, word) => sum + Buffer.byteLength(word) + 24, 0);
  const few = searchWords(contact, { essays: [numbered('a', 9_000), numbered('b', 9_000)] });
  expect(few).toHaveLength(18_000);
  for (const letter of ['', '字', '𐐨'.repeat(200)]) {
    const words = searchWords(contact, { essays: ['a', 'b', 'c'].map((each) => numbered(each + letter, 20_000)) });
    expect(sizeOf(words)).toBeLessThanOrEqual(600_000);
    expect(sizeOf(words)).toBeGreaterThan(598_000);
  }
});
