// The key of a value against its meaning, for each of the 14 field types: two spellings have the same key if and only
// if they mean the same, and keys that are sorted as text are in the order of meanings. Meanings are generated first
// and spelled afterwards, by rules that share nothing with the code under test.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { fieldTypes } from './all.ts';

type Meaning = string | bigint;
interface Sample {
  readonly meaning: fc.Arbitrary<Meaning>;
  readonly spell: (meaning: never) => fc.Arbitrary<Json>;
  readonly ordered?: true;
}

const lettersOf = (...texts: readonly string[]) => fc.string({ unit: fc.constantFrom(...texts), minLength: 1 });
const exactly = (meaning: string) => fc.constant(meaning);
const anyCase = (meaning: string) =>
  fc
    .array(fc.boolean(), { minLength: meaning.length, maxLength: meaning.length })
    .map((capitals) =>
      Array.from(meaning, (character, index) => (capitals[index] ? character.toUpperCase() : character)).join(''),
    );

const trillion = 10n ** 12n;
const quantity = fc.oneof(
  fc.bigInt({ min: 1n - 10n ** 30n, max: 10n ** 30n - 1n }),
  fc.bigInt({ min: -30n, max: 30n }).map((whole) => whole * trillion),
  fc.bigInt({ min: -30n, max: 30n }),
  fc.constantFrom(0n, 10n ** 30n - 1n, 1n - 10n ** 30n, 10n ** 29n, -(10n ** 29n)),
);

/** A decimal with as many needless zeros as the shape allows, or fewer; zero also with a sign. */
function decimal(trillionths: bigint): fc.Arbitrary<string> {
  const size = trillionths < 0n ? -trillionths : trillionths;
  const whole = String(size / trillion);
  const fraction = String(size % trillion)
    .padStart(12, '0')
    .replace(/0+$/, '');
  return fc
    .record({
      sign: trillionths < 0n ? fc.constant('-') : trillionths > 0n ? fc.constant('') : fc.constantFrom('', '-'),
      before: fc.integer({ min: whole.length, max: 18 }),
      after: fc.integer({ min: fraction.length, max: 12 }),
    })
    .map(({ sign, before, after }) => {
      const digits = fraction.padEnd(after, '0');
      return sign + whole.padStart(before, '0') + (digits === '' ? '' : `.${digits}`);
    });
}

const dayOne = -719_162;
const lastDay = 2_932_896;
const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const second = 1_000_000n;
const earliest = BigInt(dayOne) * 86_400n * second;
const latest = BigInt(lastDay + 1) * 86_400n * second - 1n;
const offsetMost = 959n * 60n * second;
const instant = fc.oneof(
  fc.bigInt({ min: earliest, max: latest }),
  fc.bigInt({ min: 0n, max: 5n }).map((micros) => 1_774_945_800n * second + micros),
  // Moments that only an offset reaches: in the year before 0001 and in the year after 9999.
  fc.bigInt({ min: earliest - offsetMost, max: earliest }),
  fc.bigInt({ min: latest, max: latest + offsetMost }),
);

/** The instant on the clocks of some offset, with as many digits of a second as it needs, or more. */
function clock(micros: bigint): fc.Arbitrary<string> {
  const minute = 60n * second;
  const least = micros < earliest ? Number((earliest - micros + minute - 1n) / minute) : -959;
  const most = micros > latest ? -Number((micros - latest + minute - 1n) / minute) : 959;
  return fc.record({ offset: fc.integer({ min: least, max: most }), digits: fc.nat(6) }).map(({ offset, digits }) => {
    const local = micros + BigInt(offset) * minute;
    if (local < earliest || local > latest) return clockText(micros, 0, digits);
    return clockText(local, offset, digits);
  });
}

function clockText(local: bigint, offset: number, digits: number): string {
  const day = Number(local / 86_400n / second) - (local % (86_400n * second) < 0n ? 1 : 0);
  const inDay = local - BigInt(day) * 86_400n * second;
  const two = (value: number) => JSON.stringify(value).padStart(2, '0');
  const seconds = Number(inDay / second);
  const time = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part))).join(':');
  const fraction = String(inDay % second)
    .padStart(6, '0')
    .replace(/0+$/, '')
    .padEnd(digits, '0');
  const [sign, size] = offset < 0 ? ['-', -offset] : ['+', offset];
  const zone = offset === 0 && digits % 2 === 0 ? 'Z' : `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${dayText(day)}T${time}${fraction === '' ? '' : `.${fraction}`}${zone}`;
}

const samples: Readonly<Record<string, Sample>> = {
  text: { meaning: lettersOf('a', 'é', 'ж', '字', '😀', 'e\u0301', ' ', '𐐨'), spell: anyCase },
  long_text: { meaning: lettersOf('a', 'A', 'é', 'É', '\n'), spell: exactly },
  email: { meaning: lettersOf('a', 'ü', '.').map((name) => `${name}@b`), spell: anyCase },
  url: { meaning: lettersOf('a', 'é', '/').map((path) => `https://a.example/${path}`), spell: anyCase },
  domain: { meaning: lettersOf('a', 'b').map((name) => `${name}.example`), spell: exactly },
  phone: {
    meaning: fc
      .tuple(
        fc.constantFrom('GB', 'DE'),
        lettersOf('0', '1').map((digits) => digits.slice(0, 3)),
      )
      .map((parts) => parts.join(' ')),
    spell: (meaning: string) => {
      const [country_code = '', national_number = ''] = meaning.split(' ');
      return fc.constantFrom({ country_code, national_number }, { national_number, country_code });
    },
  },
  number: { meaning: quantity, spell: decimal },
  currency: {
    meaning: quantity,
    spell: (meaning: bigint) => decimal(meaning).map((amount) => ({ amount, unit: 'EUR' })),
    ordered: true,
  },
  date: {
    meaning: fc.integer({ min: dayOne, max: lastDay }).map(BigInt),
    spell: (day: bigint) => exactly(dayText(Number(day))),
    ordered: true,
  },
  datetime: { meaning: instant, spell: clock, ordered: true },
  boolean: { meaning: fc.constantFrom('true', 'false'), spell: (meaning: string) => fc.constant(meaning === 'true') },
  select: { meaning: lettersOf('a', 'A', '😀'), spell: exactly },
  country: { meaning: fc.constantFrom('GB', 'DE', 'FR'), spell: exactly },
  timezone: { meaning: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kolkata', 'Asia/Calcutta'), spell: exactly },
};

const sign = <T extends Meaning>(left: T, right: T) => (left < right ? -1 : left > right ? 1 : 0);

test.each([...fieldTypes.values()])(
  '$name: two values have the same key exactly when they mean the same',
  (fieldType) => {
    const { meaning, spell, ordered } = samples[fieldType.name] as Sample;
    const spelled = (each: Meaning) => (spell as (meaning: Meaning) => fc.Arbitrary<Json>)(each);
    const pair = meaning.chain((left) =>
      fc
        .oneof(fc.constant(left), meaning)
        .chain((right) => fc.tuple(fc.constant([left, right]), spelled(left), spelled(right))),
    );
    const options = (value: Json) => (fieldType.name === 'select' ? [{ value: value as string, label: '' }] : []);
    fc.assert(
      fc.property(pair, ([[left, right], one, other]) => {
        expect([fieldType.check(one, options(one)), fieldType.check(other, options(other))]).toEqual([
          undefined,
          undefined,
        ]);
        const keys = [fieldType.key(one), fieldType.key(other)] as const;
        expect(keys[0] === keys[1]).toBe(left === right);
        if (ordered) expect(sign(...keys)).toBe(sign(left, right));
      }),
      { numRuns: 400 },
    );
  },
);

test('the key of a number is its shortest decimal', () => {
  const keys = {
    '0': '0',
    '-0': '0',
    '-0.00': '0',
    '007': '7',
    '12.50': '12.5',
    '-0.10': '-0.1',
    '100': '100',
    '10.0': '10',
  };
  for (const [value, key] of Object.entries(keys)) expect(fieldTypes.get('number')?.key(value), value).toBe(key);
});

test('amounts are ordered by unit first', () => {
  const key = (amount: string, unit: string) => fieldTypes.get('currency')?.key({ amount, unit }) ?? '';
  const ordered = [
    key('-2', 'CHF'),
    key('10', 'CHF'),
    key('-10', 'EUR'),
    key('-9', 'EUR'),
    key('9', 'EUR'),
    key('10', 'EUR'),
  ];
  expect([...ordered].sort()).toEqual(ordered);
});

test('the text in an index means what the value means', () => {
  const given = (name: string, value: Json) => fieldTypes.get(name)?.index?.key(value);
  expect(given('text', 'ÀB')).toBe('àb');
  expect(given('number', '-01.50')).toBe('-1.5');
  expect(given('date', '0001-01-01')).toBe('0001-01-01');
  expect(given('datetime', '2026-03-31T09:30:00.5+02:00')).toBe('2026-03-31T09:30:00.5+02:00');
  expect([given('boolean', false), given('boolean', true)]).toEqual(['false', 'true']);
  expect(given('country', 'GB')).toBe('GB');
});
