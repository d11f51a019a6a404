// The edges of the field types whose value is an object, a number or a code: members, lists of codes, reasons.
import { expect, test } from 'vitest';
import { isCurrencyCode } from '../../../../client/import/cells/amount-cell.ts';
import { boolean } from '../boolean.ts';
import { country } from '../country.ts';
import { currency } from '../currency.ts';
import { number } from '../number.ts';
import { phone } from '../phone.ts';
import { select } from '../select.ts';
import { timezone } from '../timezone.ts';

const whole = '9'.repeat(18);
const fraction = '9'.repeat(12);

test('a number has up to 18 digits before the point and 12 after it', () => {
  for (const value of ['0', '-0', '007', whole, `-${whole}.${fraction}`, '0.000000000001', '12.50']) {
    expect(number.check(value, []), value).toBeUndefined();
  }
  for (const value of [
    `${whole}9`,
    `1.${fraction}9`,
    '1.',
    '.5',
    '+1',
    '1e3',
    ' 1',
    '1 ',
    '1,5',
    '--1',
    '٣',
    '１',
    '1\n',
  ]) {
    expect(number.check(value, []), value).toMatchObject({ reason: 'wrong_shape', at: '' });
  }
});

test('a JSON number is refused with the advice to put it in quotes, however large', () => {
  for (const value of [0, 12.5, -1, 1e308, Number.MAX_SAFE_INTEGER, 5e-324]) {
    expect(number.check(value, [])?.detail).toContain('quotes');
  }
});

test('an amount of money has amount and unit and nothing else', () => {
  expect(currency.check({ amount: '1200.50', unit: 'EUR' }, [])).toBeUndefined();
  expect(currency.check({ unit: 'EUR', amount: '-0.01' }, [])).toBeUndefined();
  const faults = [
    [{ amount: 1200.5, unit: 'EUR' }, '/amount'],
    [{ amount: '1200.50', unit: 'eur' }, '/unit'],
    [{ amount: '1200.50', unit: '' }, '/unit'],
    [{ amount: '', unit: 'EUR' }, '/amount'],
    [{ unit: 'EUR' }, '/amount'],
    [{ amount: '1' }, '/unit'],
    [{ amount: null, unit: null }, '/amount'],
    [{ amount: '1', unit: 'EUR', rate: '1' }, ''],
    [{ value: '1', currency: 'EUR' }, ''],
    [['1', 'EUR'], ''],
    ['1 EUR', ''],
    [null, ''],
  ] as const;
  for (const [value, at] of faults) {
    expect(currency.check(value, []), JSON.stringify(value)).toMatchObject({ reason: 'wrong_shape', at });
  }
});

test('a phone number has a country and up to 15 digits and nothing else', () => {
  expect(phone.check({ country_code: 'GB', national_number: '2079460958' }, [])).toBeUndefined();
  expect(phone.check({ country_code: 'GB', national_number: '1'.repeat(15) }, [])).toBeUndefined();
  const faults = [
    [{ country_code: 'GB', national_number: '1'.repeat(16) }, '/national_number'],
    [{ country_code: 'GB', national_number: '+442079460958' }, '/national_number'],
    [{ country_code: 'GB', national_number: '020 7946' }, '/national_number'],
    [{ country_code: 'GB', national_number: 2079460958 }, '/national_number'],
    [{ country_code: '44', national_number: '2079460958' }, '/country_code'],
    [{ country_code: 'gb', national_number: '2079460958' }, '/country_code'],
    [{ national_number: '2079460958' }, '/country_code'],
    [{ country_code: 'GB', national_number: '1', extension: '2' }, ''],
    ['+442079460958', ''],
  ] as const;
  for (const [value, at] of faults) {
    expect(phone.check(value, []), JSON.stringify(value)).toMatchObject({ reason: 'wrong_shape', at });
  }
});

test('members that a value only inherits, or that are called __proto__, do not count', () => {
  for (const text of [
    '{"__proto__": {"amount": "1", "unit": "EUR"}}',
    '{"amount": "1", "unit": "EUR", "__proto__": {}}',
    '{"amount": "1", "unit": "EUR", "__proto__": null}',
    '{"amount": "1", "unit": "EUR", "constructor": 1}',
    '{"amount": "1", "__proto__": {"unit": "EUR"}}',
  ]) {
    expect(currency.check(JSON.parse(text), []), text).toMatchObject({ reason: 'wrong_shape' });
  }
  expect(currency.check(Object.create({ amount: '1', unit: 'EUR' }), [])).toMatchObject({ reason: 'wrong_shape' });
});

test('an unknown member of any length is named in a short text', () => {
  const fault = currency.check({ amount: '1', unit: 'EUR', ['x'.repeat(100_000)]: 1 }, []);
  expect(fault?.detail.length).toBeLessThan(200);
});

test('true and false are the only booleans', () => {
  expect(boolean.check(true, [])).toBeUndefined();
  expect(boolean.check(false, [])).toBeUndefined();
  for (const value of ['true', '', 0, 1, null, [], {}, undefined]) {
    expect(boolean.check(value, [])).toMatchObject({ reason: 'wrong_shape', at: '' });
  }
});

const leadScore = [
  { value: 'warm', label: 'Warm lead' },
  { value: 'hot', label: 'warm' },
  { value: '1', label: 'One' },
];

test('a select takes the exact value of an option', () => {
  for (const { value } of leadScore) expect(select.check(value, leadScore)).toBeUndefined();
  for (const value of ['Warm', 'cold', ' warm', 'toString', '__proto__', 'w'.repeat(10_000)]) {
    expect(select.check(value, leadScore), value).toMatchObject({ reason: 'unknown_option', at: '' });
  }
  expect(select.check('warm', [])).toMatchObject({ reason: 'unknown_option' });
  for (const value of [1, true, null, ['warm'], { value: 'warm' }]) {
    expect(select.check(value, leadScore)).toMatchObject({ reason: 'wrong_shape', at: '' });
  }
});

test('a label sent for a value is answered with the value to send', () => {
  expect(select.check('Warm lead', leadScore)?.detail).toContain('"warm"');
  expect(select.check('Warm lead', leadScore)?.detail).toContain('label');
  expect(select.check('One', leadScore)?.detail).toContain('"1"');
  expect(select.check('cold', leadScore)?.detail).not.toContain('label');
});

test('the shape of a select property is the list of its option values', () => {
  expect(select.shapeFor?.(leadScore)).toEqual({ type: 'string', enum: ['warm', 'hot', '1'] });
});

test('the countries are the 249 of ISO 3166-1, in capitals', () => {
  const codes = country.shape['enum'] as readonly string[];
  expect(new Set(codes).size).toBe(249);
  expect(codes).toHaveLength(249);
  expect(codes.every((code) => /^[A-Z]{2}$/.test(code))).toBe(true);
  expect(codes).toEqual(expect.arrayContaining(['AD', 'AX', 'BQ', 'CW', 'GB', 'PS', 'SS', 'SX', 'TW', 'VA', 'ZW']));
  for (const code of ['gb', 'UK', 'EU', 'AN', 'CS', 'SU', 'XK', 'ZZ', 'GBR', '']) {
    expect(country.check(code, []), code).toMatchObject({ reason: 'wrong_shape' });
  }
});

test('the currencies are active ISO 4217 codes, in capitals', () => {
  for (const code of ['AED', 'CHF', 'EUR', 'GBP', 'JPY', 'KWD', 'SLE', 'USD', 'VED', 'ZAR']) {
    expect(isCurrencyCode(code), code).toBe(true);
  }
  for (const code of ['eur', 'DEM', 'FRF', 'BTC', 'EURO', 'EU', '€', '', '__proto__', 'constructor']) {
    expect(isCurrencyCode(code), code).toBe(false);
  }
});

test('time zones are IANA names that the platform knows, and no offsets', () => {
  const names = timezone.shape['enum'] as readonly string[];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([
      'UTC',
      'Europe/London',
      'America/New_York',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'Europe/Kyiv',
    ]),
  );
  for (const name of names) expect(() => new Intl.DateTimeFormat('en', { timeZone: name }), name).not.toThrow();
  for (const name of ['utc', 'EUROPE/LONDON', '+02:00', 'Europe', 'GMT+25', 'localtime', 'posixrules', '']) {
    expect(timezone.check(name, []), name).toMatchObject({ reason: 'wrong_shape' });
  }
});
