// Every field type publishes its shape as JSON Schema, and its check must mean exactly the same. Values that fit, that
// do not, and that are one mistake away from fitting are generated for each of the 14 types; a failure prints its seed.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkValues } from '../check-values.ts';
import { builtinCatalog } from '../custom/build-catalog.ts';
import type { FieldType } from '../field-type.ts';
import type { ObjectType, Property } from '../object-type.ts';
import { fieldTypes } from './all.ts';

type Json = fc.Arbitrary<unknown>;
interface Sample {
  readonly valid: Json;
  /** Values that are wrong by construction, besides those that are wrong for every type. */
  readonly invalid: Json;
}

const options = ['warm', 'Warm', 'très chaud', '😀', '0', 'constructor', '__proto__'].map((value) => ({
  value,
  label: `The ${value} one`,
}));

/** A string of exactly this many characters out of the given ones, filled with one of them. */
function filled(characters: readonly string[], counts: readonly number[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...characters), fc.constantFrom(...counts))
    .map(([character, count]) => character.repeat(count));
}

function words(characters: readonly string[], minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
}

const digits = (min: number, max: number) => words('0123456789'.split(''), min, max);
const wide = ['a', 'é', '字', '😀', '\u{10ffff}'];
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((text) => text.replaceAll('\0', 'x'));

const mailCharacters = ['a', 'Z', '7', '.', '+', "'", 'ü', '字', '😀'];
const email = fc
  .tuple(words(mailCharacters, 1, 40), words(mailCharacters, 1, 40))
  .map(([local, host]) => `${local}@${host}`);
const scheme = fc.constantFrom('http://', 'https://', 'HTTPS://', 'hTTp://');
const user = fc.constantFrom('', '', 'ada@', 'ada:secret@', ':@', '😀@');
const host = fc.oneof(
  words(['a', 'Z', '7', '.', '-', '_', 'ü', '字', '😀'], 1, 30),
  fc.constantFrom('[::1]', '127.0.0.1'),
);
const path = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('/', '?', '#'), words(['a', '/', '?', '#', '=', '@', ':', '[', '%', '字', '😀'], 0, 30))
    .map((parts) => parts.join('')),
);
const label = fc
  .tuple(words(['a', 'z', '0', 'ü', '字', 'é'], 1, 1), words(['a', '9', '-', 'é'], 0, 61), words(['b', '1'], 1, 1))
  .map((parts) => parts.join(''));
const number = fc
  .tuple(fc.constantFrom('', '-'), digits(1, 18), fc.option(digits(1, 12), { nil: undefined }))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === undefined ? '' : `.${fraction}`));
const notNumber = fc.oneof(
  digits(19, 40),
  fc.tuple(digits(1, 18), digits(13, 30)).map(([whole, fraction]) => `${whole}.${fraction}`),
  number.map((text) => `+${text}`),
  number.map((text) => `${text} `),
  number.map((text) => `${text}e3`),
  fc.constantFrom('1,5', '1.', '.5', '-', '٣', '1_000', 'NaN', 'Infinity', '0x10', '-'),
);
// From 0001-01-01 to 9999-12-31, as days since 1970.
const day = fc
  .integer({ min: -719_162, max: 2_932_896 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
const notDay = fc.constantFrom(
  ...['0000-01-01', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-1-1'],
  ...['20260101', '2026-01-01Z', '2026-01-01T00:00:00Z', '+02026-01-01', '26-01-01', '-2026-01-01', '2026-01-32'],
);
const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
const time = fc
  .tuple(two(23), two(59), two(59), fc.option(digits(1, 6), { nil: undefined }))
  .map(([hour, minute, second, part]) => `${hour}:${minute}:${second}${part === undefined ? '' : `.${part}`}`);
const offset = fc.oneof(
  fc.constant('Z'),
  fc.tuple(fc.constantFrom('+', '-'), two(15), two(59)).map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
const moment = fc.tuple(day, time, offset).map(([date, clock, zone]) => `${date}T${clock}${zone}`);
const notMoment = fc.oneof(
  fc.tuple(notDay, time, offset).map(([date, clock, zone]) => `${date}T${clock}${zone}`),
  fc.tuple(day, time).map(([date, clock]) => `${date}T${clock}`),
  day,
  fc
    .tuple(
      day,
      fc.constantFrom('24:00:00', '23:60:00', '23:59:60', '1:00:00', '10:00', '10:00:00.', '10:00:00.1234567'),
    )
    .map(([date, clock]) => `${date}T${clock}Z`),
  fc
    .tuple(day, time, fc.constantFrom('z', '+16:00', '-16:00', '+02', '+0200', '+2:00', '+15:60', ' Z', 'UTC', '+'))
    .map(([date, clock, zone]) => `${date}T${clock}${zone}`),
  moment.map((text) => text.replace('T', ' ')),
  moment.map((text) => text.replace('T', 't')),
);
const country = fc.constantFrom('GB', 'DE', 'US', 'CI', 'TW');
const unit = fc.constantFrom('EUR', 'USD', 'JPY', 'CHF', 'KWD', 'CLF');
const foreign = (...codes: readonly string[]) => fc.constantFrom(...codes, 'toString', '__proto__', ' ', 'ÄÖ');

const samples: Readonly<Record<string, Sample>> = {
  text: { valid: fc.oneof(anyText, filled(wide, [1, 1_023, 1_024])), invalid: filled(wide, [1_025, 3_000]) },
  long_text: { valid: fc.oneof(anyText, filled(wide, [1, 65_536])), invalid: filled(wide, [65_537]) },
  email: {
    valid: fc.oneof(
      email,
      filled(['a', '😀'], [252]).map((text) => `${text}@b`),
    ),
    invalid: fc.oneof(
      filled(['a', '😀'], [253, 400]).map((text) => `${text}@b`),
      words(mailCharacters, 1, 40),
      email.map((text) => `${text}@`),
      email.map((text) => `@${text}`),
      fc.tuple(email, fc.constantFrom(' ', '\n', '\t', '\u00a0', '\u2003')).map(([text, space]) => text + space),
      email.map((text) => text.replace('@', ' @')),
      fc.constantFrom('@', 'a@', '@b'),
    ),
  },
  url: {
    valid: fc.oneof(
      fc.tuple(scheme, user, host, fc.constantFrom('', ':', ':8080'), path).map((parts) => parts.join('')),
      filled(['a', '😀'], [2_040]).map((text) => `https://${text}`),
    ),
    invalid: fc.oneof(
      filled(['a', '😀'], [2_041, 5_000]).map((text) => `https://${text}`),
      fc.oneof(host, scheme),
      fc.tuple(scheme, host, fc.constantFrom(':a', ':123456', '[', '^', ':80:80')).map((parts) => parts.join('')),
      fc.tuple(scheme, fc.constantFrom('/', '?', '#', ' ', '\n')).map(([start, end]) => `${start}${end}a`),
      fc.constantFrom('ftp://a.example', 'javascript:alert(1)', '//a.example', '/path', 'www.example.com', 'http:/a'),
      fc.constantFrom('https://a.example/a b', ' https://a.example', 'https://a.example\n', 'https:\\\\a.example'),
    ),
  },
  domain: {
    valid: fc
      .oneof(
        fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.').slice(-253)),
        filled(['a', '字'], [63]).map((text) => `${text}.${text}.${text}.${text.slice(0, 61)}`),
      )
      .filter((text) => !/^[-.]/.test(text)),
    invalid: fc.oneof(
      label,
      fc.tuple(label, label).map((labels) => `A${labels.join('.')}`),
      fc
        .tuple(label, fc.constantFrom('.', '-', '.-b', '-.b', '..b', '.b.', '.b/c', '.b:80', '. b', '.b_c'))
        .map((parts) => parts.join('')),
      filled(['a', '字'], [64]).map((text) => `${text}.com`),
      filled(['a', '字'], [63]).map((text) => `${text}.${text}.${text}.${text.slice(0, 62)}`),
    ),
  },
  phone: {
    valid: fc.record({ country_code: country, national_number: digits(1, 15) }),
    invalid: fc.oneof(
      fc.record({ country_code: foreign('gb', 'GBR', 'XX', 'UK', '44'), national_number: digits(1, 15) }),
      fc.record({
        country_code: country,
        national_number: fc.oneof(digits(16, 30), fc.constantFrom('', '+44', '1 2', '٣')),
      }),
      fc.record({ country_code: country, national_number: fc.nat() }),
      fc.constantFrom('+442079460958', '2079460958'),
    ),
  },
  number: { valid: number, invalid: fc.oneof(notNumber, fc.integer(), fc.double()) },
  currency: {
    valid: fc.record({ amount: number, unit }),
    invalid: fc.oneof(
      fc.record({ amount: notNumber, unit }),
      fc.record({ amount: fc.double(), unit }),
      fc.record({ amount: number, unit: foreign('eur', '€', 'DEM', 'EURO', 'XXY', 'BTC') }),
      number,
    ),
  },
  date: { valid: day, invalid: fc.oneof(notDay, moment) },
  datetime: { valid: moment, invalid: notMoment },
  boolean: { valid: fc.boolean(), invalid: fc.constantFrom('true', 'false', 0, 1, 'yes', null) },
  select: {
    valid: fc.constantFrom(...options.map((option) => option.value)),
    invalid: fc.constantFrom(...options.map((option) => option.label), 'WARM', ' warm', 'toString', 'hot', 0),
  },
  country: { valid: country, invalid: foreign('gb', 'GBR', 'UK', 'XX', 'EU', 'AN', 'Germany') },
  timezone: {
    valid: fc.constantFrom(
      'Europe/Berlin',
      'UTC',
      'America/Argentina/Buenos_Aires',
      'Asia/Kolkata',
      'Pacific/Auckland',
    ),
    invalid: foreign('europe/berlin', 'Europe/Berlin ', 'Europe', 'Berlin', '+02:00', 'Mars/Olympus', 'local', 'Z'),
  },
};

/** Wrong for every type: nothing, and texts that PostgreSQL cannot store. */
const neverValid = fc.oneof(
  fc.constantFrom('', null, [], {}, 0, -0, 1e308, 5e-324, '\0', '\ud800', '\udc00', 'a\0', 'a\ud800'),
  fc.constantFrom(JSON.parse('{"__proto__": {"amount": "1", "unit": "EUR"}}'), [[]], ['a'], [null], { value: 'a' }),
);

/** Characters that matter to rules: separators, digits of other scripts, spaces of all kinds, lone surrogates. */
const telling = [
  ...[
    '\0',
    '\ud800',
    '\udc00',
    '😀',
    ' ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u007f',
    '\u200b',
  ],
  ...[
    '@',
    '.',
    '-',
    '+',
    '/',
    ':',
    '?',
    '#',
    '_',
    '%',
    'T',
    't',
    'Z',
    'z',
    'A',
    'a',
    'ß',
    'İ',
    'ı',
    'ſ',
    'K',
    'é',
    'e\u0301',
  ],
  ...['0', '1', '2', '3', '5', '6', '9', '٣', '３', '', '00', '0000'],
];
const slip = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(0, 0, 1, 1, 2),
  put: fc.constantFrom(...telling),
});

/** The value with a mistake in one of its strings, one member more or one member less. */
function near(valid: Json): Json {
  const slipped = fc.tuple(valid, fc.array(slip, { minLength: 1, maxLength: 3 })).map(([value, slips]) => {
    const spoil = (part: unknown) => (typeof part === 'string' ? slips.reduce(applySlip, part) : part);
    if (typeof value !== 'object' || value === null) return spoil(value);
    const members = Object.entries(value);
    const chosen = (slips[0]?.at ?? 0) % members.length;
    return Object.fromEntries(members.map(([name, part], index) => [name, index === chosen ? spoil(part) : part]));
  });
  const member = fc.constantFrom('__proto__', 'constructor', 'amount', 'unit', 'national_number', 'extra', '');
  const reshaped = fc.tuple(valid, member, fc.jsonValue(), fc.nat()).map(([value, name, more, at]) => {
    if (typeof value !== 'object' || value === null) return at % 2 === 0 ? [value] : { [name]: value };
    const members = Object.entries(value);
    return Object.fromEntries(at % 3 === 0 ? members.slice(1) : [...members, [name, more]]);
  });
  return fc.oneof({ weight: 4, arbitrary: slipped }, reshaped);
}

function applySlip(text: string, { at, removed, put }: { at: number; removed: number; put: string }): string {
  const index = at % (text.length + 1);
  return text.slice(0, index) + put + text.slice(index + removed);
}

/** A type with the property twice, single- and multi-valued, the one under a name that every object inherits. */
function typeWith(fieldType: FieldType): ObjectType {
  const deal = builtinCatalog.objectTypes.get('svc_deal');
  const name = deal?.properties.get('svc_name');
  if (deal === undefined || name === undefined) throw new Error('There is no svc_deal.');
  const single: Property = { ...name, name: 'constructor', key: 'constructor', fieldType, options };
  return deal.with({
    properties: new Map([
      ['constructor', single],
      ['list', { ...single, name: 'list', key: 'list', multiValued: true }],
    ]),
  });
}

const ajv = new Ajv2020({ strict: true });
formats.default(ajv);

for (const fieldType of fieldTypes.values()) {
  const sample = samples[fieldType.name];
  if (sample === undefined) throw new Error(`There is no sample of ${fieldType.name}.`);
  const admits = ajv.compile(fieldType.shapeFor?.(options) ?? fieldType.shape);
  const fits = (value: unknown) => fieldType.check(value, options) === undefined;

  test(`${fieldType.name}: a valid value passes, and the published shape admits it`, () => {
    fc.assert(fc.property(sample.valid, (value) => fits(value) && admits(value)));
  });

  test(`${fieldType.name}: an invalid value is refused, and the published shape refuses it`, () => {
    fc.assert(fc.property(fc.oneof(sample.invalid, neverValid), (value) => !fits(value) && !admits(value)));
  });

  test(`${fieldType.name}: in a record, alone and in a list, a value is accepted or refused by the same rule`, () => {
    const type = typeWith(fieldType);
    fc.assert(
      fc.property(fc.oneof(sample.valid, sample.invalid, near(sample.valid), neverValid), (value) => {
        // Sent alone, null clears.
        fc.pre(value !== null);
        const sent = { constructor: value, list: [value, value] };
        const { changes, faults } = checkValues(type, sent, '/operations/3');
        expect(Object.fromEntries(changes)).toEqual(sent);
        const at = '/operations/3/properties';
        const places = fits(value) ? [] : [`${at}/constructor`, `${at}/list/0`, `${at}/list/1`];
        expect(faults.map(({ pointer }, index) => `${pointer}/`.startsWith(`${places[index]}/`))).toEqual(
          places.map(() => true),
        );
        const shape = fieldType.shapeFor?.(options) ?? fieldType.shape;
        const members = (shape['properties'] ?? {}) as Record<string, unknown>;
        for (const fault of faults) {
          // An error inside an object shows the shape of the member.
          const member = fault.pointer?.split('/').at(-1) ?? '';
          expect(fault.expected).toEqual(Object.hasOwn(members, member) ? members[member] : shape);
          expect(fault.detail.length).toBeLessThan(400);
        }
      }),
    );
  });

  test(`${fieldType.name}: the check and the published shape agree on everything near and far`, () => {
    const seen = { right: 0, wrong: 0 };
    const values = fc.oneof(
      { weight: 6, arbitrary: near(sample.valid) },
      near(sample.invalid),
      sample.valid,
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(values, (value) => {
        const fault = fieldType.check(value, options);
        seen[fault === undefined ? 'right' : 'wrong']++;
        expect(fault === undefined, fault?.detail ?? 'the check admits it').toBe(admits(value));
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(10);
  });
}
