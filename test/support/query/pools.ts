// Hostile values for each of the 14 field types (contract 4), few enough that records tie often: what case folding,
// patterns, decimals, offsets, code points and long keys get wrong.
import { Random } from '../random.ts';

/** Texts that are alike but for case, in pairs and triples; patterns, quotes, marks, astral characters. */
export const texts: readonly string[] = [
  ...['a', 'A', 'b', 'B', 'ab', 'AB', 'Ada', 'ADA', 'ada', 'z', 'Z'],
  ...['Straße', 'STRASSE', 'STRAẞE', 'strasse', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ΟΔΟΣΑ', 'Σίσυφος', 'ΣΊΣΥΦΟΣ', 'Σ'],
  ...['İstanbul', 'i̇stanbul', 'istanbul', 'ISTANBUL', 'Ispanak', 'ıspanak', 'ᲗᲑᲘᲚᲘᲡᲘ', 'თბილისი', 'ᲐᲑ', 'აბ'],
  ...['Café', 'CAFÉ', 'Cafe\u0301', 'CAFE\u0301', 'cafe', 'ÅNGSTRÖM', '\u212bngström', 'ångström', '\u2126', 'ω'],
  ...['\u212a', 'k', 'K', '\u01c4', '\u01c5', '\u01c6', '\u{10400}', '\u{10428}', '\u{1e900}', '\u{1e922}'],
  ...['\u13a0', '\uab70', '\u{10c80}', '\u{10cc0}', '\u{16e40}', '\u{16e60}', '\ua64a', '\u1c88', '\u2c2f', '\u2c5f'],
  ...[
    '😀',
    '😀a',
    '😀A',
    '\u{1f468}\u200d\u{1f469}',
    '\uffee',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
    '\ue000',
    'ﬁ',
    'fi',
  ],
  ...['100%', '100', '1001', '100_', '100\\', 'a%b', 'a_b', 'axb', 'a\\b', 'a\\%b', '%', '_', '\\', '\\\\', '%%', '__'],
  ...[
    "it's",
    "''",
    '"',
    '""',
    '$1',
    '{}',
    '[]',
    '*',
    '.*',
    '^',
    'null',
    'true',
    '0',
    '00',
    '-0',
    '1e3',
    '\u0001',
    '\n',
  ],
  ...[
    'constructor',
    '__proto__',
    ' a',
    'a ',
    ' ',
    '\u00a0',
    '\u0301',
    '\u0301a',
    '字',
    '日本語',
    'ไทย',
    'हिन्दी',
    'שלום',
  ],
  ...['٣', 'Élan vital', 'élan Vital', 'e\u0301lan vital', 'Ünïcödé', 'ʼn', '\u1e9e', '\u00df', 'ss', 'SS', '\u0345'],
];

const long = new Random(20_260_331);

/** A thousand characters that do not compress, on which texts differ only at their ends. */
const prefixes = [
  'x'.repeat(1_000),
  long.times(1_000, () => String.fromCodePoint(long.between(0x1f300, 0x1faff))).join(''),
  long.times(1_000, () => String.fromCodePoint(long.between(0x4e00, 0x9fff))).join(''),
  long.times(1_000, () => long.pick(Array.from('aAbBéÉßΣ7')).toString()).join(''),
];
const endings = [
  '',
  'a',
  'A',
  'b',
  '\u{10000}',
  '\uffff',
  'é',
  '%',
  'a'.repeat(23),
  `${'a'.repeat(23)}b`,
  'A'.repeat(24),
];
const longTexts: readonly string[] = prefixes.flatMap((prefix) => endings.map((ending) => prefix + ending));

const numbers: readonly string[] = [
  ...['0', '-0', '0.0', '-0.000000000000', '1', '1.0', '01', '1.000000000000', '-1', '-1.0', '2', '9', '10', '-10'],
  ...['0.1', '0.10', '0.000000000001', '-0.000000000001', '1.5', '1.50', '12.50', '12.5', '100', '99.999999999999'],
  ...['9007199254740992', '9007199254740993', '-9007199254740993', '0.3', '0.300000000001', '000000000000000003'],
  ...['999999999999999999.999999999999', '-999999999999999999.999999999999', '999999999999999999', '123456.789'],
];

const days: readonly string[] = [
  ...['0001-01-01', '0001-12-31', '0099-03-01', '1582-10-10', '1899-12-31', '1969-12-31', '1970-01-01', '2024-02-29'],
  ...['2024-03-01', '2026-03-31', '2026-03-31', '2026-04-01', '9999-01-01', '9999-12-31'],
];

/** Several of them are the same moment, and some leave the years 1 to 9999 in UTC. */
const moments: readonly string[] = [
  ...[
    '2026-03-31T09:00:00Z',
    '2026-03-31T11:00:00+02:00',
    '2026-03-31T09:00:00.000000Z',
    '2026-03-31T09:00:00.0-00:00',
  ],
  ...[
    '2026-03-31T09:00:00.000001Z',
    '2026-03-31T08:59:59.999999Z',
    '2026-03-31T09:00:00.1Z',
    '2026-03-31T09:00:00.10Z',
  ],
  ...['2026-03-31T14:44:59.999999+05:45', '2026-03-30T23:00:00-10:00', '2026-03-31T23:00:00Z'],
  ...['1969-12-31T23:59:59.999999Z', '1970-01-01T00:00:00Z', '1969-12-31T23:59:59.5Z', '1582-10-10T00:00:00Z'],
  ...['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+15:59', '0001-01-01T00:00:00.000001Z', '0001-01-01T14:00:00+14:00'],
  ...[
    '9999-12-31T23:59:59.999999Z',
    '9999-12-31T23:59:59.999999-15:59',
    '9999-12-31T23:59:59Z',
    '2024-02-29T12:00:00Z',
  ],
];

export const units: readonly string[] = ['EUR', 'USD', 'JPY'];
const countries: readonly string[] = ['GB', 'DE', 'US', 'CI', 'AX'];
const emails: readonly string[] = [
  ...['ada@example.com', 'Ada@Example.com', 'ADA@EXAMPLE.COM', 'bob@example.com', 'ΟΔΟΣ@x.gr', 'οδος@x.gr', 'İ@i.tr'],
  ...['i@i.tr', 'a%b@c.d', 'a_b@c.d', 'axb@c.d', "o'neil@c.d", 'a\\b@c.d', 'Straße@ß.de', 'strasse@ß.de', '😀@字.jp'],
  ...[`${'x'.repeat(240)}@a.b`, `${'X'.repeat(240)}@a.c`, 'ᲐᲑ@ge.ge', 'აბ@ge.ge', 'constructor@a.b', '1@2', 'É@é.fr'],
];
const urls: readonly string[] = [
  ...['https://example.com', 'HTTPS://EXAMPLE.COM', 'https://example.com/', 'http://example.com', 'https://a.b/A'],
  ...['https://a.b/a', 'https://a.b/%41', 'https://a.b/_', 'https://a.b/x', 'https://a.b/?q=É', 'https://a.b/?q=é'],
  ...['https://a.b/ΟΔΟΣ', 'https://a.b/οδος', 'https://a.b/😀', 'https://a.b/\uffff', 'https://字.jp/'],
  ...[0, 1, 2].map((index) => `https://a.b/${(prefixes[index % 2] ?? '').slice(0, 1_000)}${'aAb'.charAt(index)}`),
  ...['a', 'A', 'b'].map((ending) => `https://a.b/${prefixes[2]}${prefixes[1]}${ending}`),
];
const domains: readonly string[] = [
  ...['example.com', 'example.org', 'a.example.com', 'straße.de', 'strasse.de', 'οδος.gr', '字.jp', 'é.fr', 'a-b.c'],
  ...[
    'axb.c',
    'აბ.ge',
    'ıi.tr',
    '1.2',
    `${'a'.repeat(63)}.${'b'.repeat(63)}.c`,
    `${'a'.repeat(63)}.${'b'.repeat(63)}.d`,
  ],
];
const phoneNumbers: readonly string[] = [
  '2079460958',
  '79460',
  '0',
  '000',
  '123456789012345',
  '12345678901234',
  '07946',
];

/** For the property of a select, in an order that is not alphabetical. */
export const selectOptions: readonly string[] = [
  'warm',
  'Cold',
  '😀',
  'cold',
  '0',
  'constructor',
  '__proto__',
  'Warm',
  'é',
];

/** How many of a hundred texts are long, and how many are joined from several. */
const longShare = 8;
const joinedShare = 25;

function text(random: Random): string {
  const roll = random.between(1, 100);
  if (roll <= longShare) return random.pick(longTexts);
  if (roll > longShare + joinedShare) return random.pick(texts);
  const parts = random.times(random.between(2, 4), () => random.pick(texts));
  return parts.join(random.pick([' ', '-', ' / ']));
}

/** A value of the field type that a record may have. */
export function anyValue(random: Random, fieldType: string, options: readonly string[]): unknown {
  switch (fieldType) {
    case 'text':
      return text(random);
    case 'long_text':
      return random.times(random.between(1, 4), () => text(random)).join(random.pick([' ', '\n', ' - ']));
    case 'email':
      return random.pick(emails);
    case 'url':
      return random.pick(urls);
    case 'domain':
      return random.pick(domains);
    case 'phone':
      return { country_code: random.pick(countries), national_number: random.pick(phoneNumbers) };
    case 'number':
      return random.pick(numbers);
    case 'currency':
      return { amount: random.pick(numbers), unit: random.pick(units) };
    case 'date':
      return random.pick(days);
    case 'datetime':
      return random.pick(moments);
    case 'boolean':
      return random.chance(0.5);
    case 'select':
      return random.pick(options);
    case 'country':
      return random.pick(countries);
    case 'timezone':
      return random.pick([
        'Europe/Berlin',
        'UTC',
        'America/Argentina/Buenos_Aires',
        'Asia/Kolkata',
        'Pacific/Auckland',
      ]);
    default:
      throw new Error(`There are no values for ${fieldType}.`);
  }
}
