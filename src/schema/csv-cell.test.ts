// CSV cells: every value of a record is read back from its cell, and from the CSV text around it. Cells that people
// wrote are read if they mean one thing; others are refused with what was expected.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsvLine } from '../../client/import/files/to-csv-line.ts';
import { samples } from '../../test/support/field-values.ts';
import type { Json } from '../base/json.ts';
import { checkValues } from './check-values.ts';
import { countryCodes } from './codes/countries.ts';
import { fromCell, toCell } from './csv-cell.ts';
import { builtinCatalog } from './custom/build-catalog.ts';
import type { FieldType } from './field-type.ts';
import { fieldTypes } from './fields/all.ts';
import type { ObjectType, Property } from './object-type.ts';

const options = [
  ...['warm', 'Warm', 'très chaud', '😀', '0', 'constructor', '__proto__', ' '].map((value) => ({
    value,
    label: value,
  })),
  ...['=1', "'=1", "''=1", '-', ' both '].map((value) => ({ value, label: `The ${value}` })),
  { value: 'h', label: 'Very hot' },
  { value: 'c', label: 'Ice cold' },
  { value: 'i', label: 'ice COLD' },
];

/** Beginnings that a spreadsheet would run as a formula, or that look like the guard against it. */
const hostile = fc
  .tuple(
    fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      '\n',
      '＝',
      "'",
      "'=",
      "''=",
      "'''-",
      "'x",
      ' =',
      '"',
      '[',
      '{',
      ';',
    ),
    fc.constantFrom('', '1', "cmd|' /C calc'!A0", 'HYPERLINK("http://a.b")', ';a', '\r\nb', '"', ',', '=', ' '),
  )
  .map((parts) => parts.join(''));
const values: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  text: hostile,
  long_text: hostile,
  email: fc.constantFrom('=a@b', '+a@b', '-1@b', "'=a@b", "''=a@b", 'a;b@c', '[a]@b', '{a@b', '"a"@b,c'),
  select: fc.constantFrom(...options.map(({ value }) => value)),
  number: fc.constantFrom('-1', '-0.5', '-0'),
};

function property(name: string): Property {
  const title = builtinCatalog.objectTypes.get('svc_deal')?.properties.get('svc_name');
  if (title === undefined) throw new Error('There is no svc_deal.');
  return { ...title, name: 'p', fieldType: typeOf(name), options: name === 'select' ? options : [] };
}

function listOf(name: string): Property {
  return { ...property(name), multiValued: true };
}

function typeOf(name: string): FieldType {
  const fieldType = fieldTypes.get(name);
  if (fieldType === undefined) throw new Error(`There is no field type ${name}.`);
  return fieldType;
}

function read(name: string, cell: string): unknown {
  const reading = fromCell(property(name), cell, 'USD');
  return 'fault' in reading ? reading.fault.detail : reading.value;
}

function readList(name: string, cell: string): unknown {
  const reading = fromCell(listOf(name), cell, 'USD');
  return 'fault' in reading ? reading.fault : reading.value;
}

test.each([...fieldTypes.keys()])(
  '%s: every value comes back from its cell, alone and in lists, and from CSV',
  (name) => {
    const sample = samples[name];
    if (sample === undefined) throw new Error(`There is no sample of ${name}.`);
    const valid = values[name] === undefined ? sample.valid : fc.oneof(sample.valid, values[name]);
    const single = property(name);
    const list = listOf(name);
    const line = fc.tuple(valid, fc.array(valid, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(line, ([one, several]) => {
        const cells = [toCell(single, one), toCell(list, several)];
        expect(fromCell(single, cells[0] ?? '', 'USD')).toEqual({ value: one });
        expect(fromCell(list, cells[1] ?? '', 'USD')).toEqual({ value: several });
        expect(parse(toCsvLine(cells))).toEqual([cells]);
        // No spreadsheet takes the cell for a formula: a number with its sign is a number.
        if (name !== 'number') expect(cells[0]).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }),
      { numRuns: 200 },
    );
  },
);

test('an unset property is an empty cell, and an empty cell is not a value', () => {
  for (const name of fieldTypes.keys()) {
    expect([toCell(property(name), undefined), toCell(listOf(name), null)]).toEqual(['', '']);
    expect([read(name, ''), readList(name, ''), readList(name, ' \t')]).toEqual([null, null, null]);
  }
  expect([read('email', '  '), read('phone', ' '), read('text', '  ')]).toEqual([null, null, '  ']);
});

test('spaces around a value are trimmed where the value cannot have them', () => {
  const padded = ['email', 'url', 'domain', 'number', 'date', 'datetime', 'country', 'timezone'];
  for (const name of padded) {
    const example = typeOf(name).example as string;
    expect(read(name, `\u00a0 ${example} \n`)).toBe(example);
  }
  expect([read('text', ' a '), read('long_text', '\na\n')]).toEqual([' a ', '\na\n']);
});

test('a list is JSON, or values separated by semicolons, or one value', () => {
  expect(readList('email', ' ["a@b", "c@d"] ')).toEqual(['a@b', 'c@d']);
  expect(readList('email', 'a@b; c@d;')).toEqual(['a@b', 'c@d']);
  expect(readList('email', 'a@b')).toEqual(['a@b']);
  expect(readList('boolean', 'yes;NO')).toEqual([true, false]);
  expect(readList('currency', '12 EUR; 5')).toEqual([
    { amount: '12', unit: 'EUR' },
    { amount: '5', unit: 'USD' },
  ]);
  expect(readList('text', '[]')).toEqual([]);
  const expected = 'Expected a JSON array such as ["a", "b"], values separated by semicolons, or one value';
  const refused = { reason: 'wrong_shape', at: '' };
  const draft = `${expected}; this begins like JSON but is not valid JSON: the string "[draft] a".`;
  expect(readList('text', '[draft] a')).toEqual({ ...refused, detail: draft });
  expect(readList('currency', '[{"amount":"1","unit":"EUR","amount":"2"}]')).toEqual({
    ...refused,
    detail: `${expected}; this JSON repeats the member "amount".`,
  });
  expect(readList('text', ' ; ')).toEqual({ ...refused, detail: `${expected}; got the string ";".` });
  expect(readList('boolean', 'yes;perhaps')).toMatchObject({ at: '/1', detail: expect.stringContaining('"perhaps"') });
});

test('yes and no are read as people and spreadsheets write them', () => {
  for (const cell of ['true', 'TRUE', 'Yes', '1', ' yes ']) expect(read('boolean', cell)).toBe(true);
  for (const cell of ['false', 'False', 'NO', '0']) expect(read('boolean', cell)).toBe(false);
  const expected = 'Expected true or false, yes or no, 1 or 0; got the string';
  for (const cell of ['ja', 'constructor', '2', 'on']) expect(read('boolean', cell)).toBe(`${expected} "${cell}".`);
});

test('an option is found by its value, then by value or label in upper or lower case, if only one is meant', () => {
  expect([read('select', 'warm'), read('select', 'Warm'), read('select', 'très CHAUD ')]).toEqual([
    'warm',
    'Warm',
    'très chaud',
  ]);
  expect([read('select', 'very hot'), read('select', ' H '), read('select', ' ')]).toEqual(['h', 'h', ' ']);
  expect(read('select', 'WARM')).toBe(
    'Expected one option; the string "WARM" could mean "warm" or "Warm". Write the exact value.',
  );
  expect(read('select', 'ice cold')).toMatch(/ could mean "c" or "i"\./);
  // The check of values refuses a text that is not an option, and lists all options.
  expect(read('select', 'toString')).toBe('toString');
});

test('an amount is read with its currency before or after it, and alone in the currency of the org', () => {
  const money = (amount: string, unit: string) => ({ amount, unit });
  expect([read('currency', '1200'), read('currency', '-1200.50')]).toEqual([
    money('1200', 'USD'),
    money('-1200.50', 'USD'),
  ]);
  expect([read('currency', '1200 EUR'), read('currency', 'eur1200.5')]).toEqual([
    money('1200', 'EUR'),
    money('1200.5', 'EUR'),
  ]);
  expect(read('currency', ' {"amount": "7", "unit": "JPY"} ')).toEqual(money('7', 'JPY'));
  const expected =
    'Expected an amount with or without a currency, such as 1200.50, 1200.50 EUR or EUR 1200.50, or JSON';
  for (const cell of ['1,200', '€1200', '1 200 EUR', 'EUR 5 USD', 'twelve', '(12)']) {
    expect(read('currency', cell)).toBe(`${expected}; got the string "${cell}".`);
  }
  expect(read('currency', '{"amount"')).toMatch(/this begins like JSON but is not valid JSON/);
});

test('a phone number is read in its international form', () => {
  const number = (country_code: string, national_number: string) => ({ country_code, national_number });
  const written = [
    ['+44 20 7946 0958', number('GB', '2079460958')],
    ['+44 1534 610123', number('JE', '1534610123')],
    ['+1 (415) 555-0123', number('US', '4155550123')],
    ['+1.416.555.0123', number('CA', '4165550123')],
    ['+1 809 555 0123', number('DO', '8095550123')],
    ['+49/30/901820', number('DE', '30901820')],
    ['+39 06 1234', number('IT', '061234')],
    ['+7 701 123 4567', number('KZ', '7011234567')],
    ['{"country_code":"DE","national_number":"30"}', number('DE', '30')],
  ] as const;
  for (const [cell, value] of written) expect(read('phone', cell)).toEqual(value);
  const expected = 'Expected an international number such as +44 20 7946 0958, or JSON; got the string';
  for (const cell of [
    '020 7946 0958',
    '0044 20 7946',
    '+49 (0)30 1',
    '+999 1',
    '+44 20 x5',
    '+',
    '++49 30',
    'GB 20 7946',
    'call me',
  ]) {
    expect(read('phone', cell)).toBe(`${expected} "${cell}".`);
  }
});

test('every calling code leads to a country that a phone number can have', () => {
  const seen = new Set<string>();
  for (let code = 1; code < 10_000; code++) {
    const reading = fromCell(property('phone'), `+${code}000`, 'USD');
    if ('value' in reading) seen.add((reading.value as { country_code: string }).country_code);
  }
  expect(seen.size).toBeGreaterThan(220);
  expect([...seen].filter((country) => !countryCodes.includes(country))).toEqual([]);
});

test('numbers, dates and times are never guessed: the check says what is expected', () => {
  for (const [name, cell] of [
    ['number', '1,200.50'],
    ['number', '1.200,50'],
    ['number', '1e3'],
    ['date', '31.03.2026'],
    ['date', '03/31/2026'],
    ['datetime', '2026-03-31 09:30'],
  ] as const) {
    const deal = builtinCatalog.objectTypes.get('svc_deal') as ObjectType;
    const properties = new Map([['p', property(name)]]);
    const { faults } = checkValues(deal.with({ properties }), { p: read(name, cell) }, '');
    expect(faults.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^Expected .*such as/)]);
  }
});

test('domains and countries are read in upper or lower case', () => {
  expect([read('domain', 'Example.COM'), read('country', 'gb')]).toEqual(['example.com', 'GB']);
});
