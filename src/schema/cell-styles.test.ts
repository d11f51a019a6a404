// Cells as people and other programs write them: dates, numbers, amounts and phone numbers, each in a known style.
import { expect, test } from 'vitest';
import type { CellStyle } from '../../client/import/cells/cell-style.ts';
import { dateFormatOf, usualFormats } from '../../client/import/cells/date-format.ts';
import { decimalEvidence, readDecimal } from '../../client/import/cells/decimal.ts';
import { timeZoneOf, utc } from '../../client/import/cells/time-zone.ts';
import { fromCell } from './csv-cell.ts';
import { builtinCatalog } from './custom/build-catalog.ts';
import { fieldTypes } from './fields/all.ts';
import type { Property } from './object-type.ts';

function read(name: string, cell: string, style: CellStyle, currency: string | undefined = 'USD'): unknown {
  const title = builtinCatalog.objectTypes.get('svc_deal')?.properties.get('svc_name') as Property;
  const fieldType = fieldTypes.get(name);
  if (fieldType === undefined) throw new Error(name);
  const reading = fromCell({ ...title, fieldType }, cell, currency, style);
  return 'fault' in reading ? reading.fault.detail : reading.value;
}

function dates(format: string): CellStyle {
  const found = dateFormatOf(format);
  if (found === undefined) throw new Error(format);
  return { dates: found, timeZone: utc };
}

test('a format says the order of day, month and year, and any time may follow', () => {
  const rows = [
    ['DD/MM/YYYY', '3/1/2026', '2026-01-03'],
    ['M/D/YYYY', '3/1/2026', '2026-03-01'],
    ['MM/DD/YYYY', '12/31/2026 11:59 PM', '2026-12-31'],
    ['DD.MM.YYYY HH:mm', '31.12.2026, 23:59', '2026-12-31'],
    ['DD/MM/YY', '31/12/69', '2069-12-31'],
    ['DD/MM/YY', '31/12/70', '1970-12-31'],
    ['D MMM YYYY', '9 September 2026', '2026-09-09'],
    ['MMM D, YYYY h:mm A', 'Sep. 9, 2026 at 1:05 pm', '2026-09-09'],
    ['YYYYMMDD', '20260909', '2026-09-09'],
    ['excel', '46112', '2026-03-31'],
    // A day as the API takes it means one thing in every column.
    ['DD/MM/YYYY', '2026-03-31', '2026-03-31'],
    ['DD/MM/YYYY', '2026-03-31 15:02', '2026-03-31'],
  ] as const;
  for (const [format, cell, day] of rows) expect(read('date', cell, dates(format)), `${format} ${cell}`).toBe(day);
  for (const cell of ['12/31/2026', '31/02/2026', '31-12-2026', '31/12/26', '31/12/2026 25:00', '46112', '']) {
    expect(usualFormats[0]?.read(cell), cell).toBeUndefined();
  }
  expect(read('date', '12/31/2026', dates('DD/MM/YYYY'))).toBe(
    'Expected an existing day as DD/MM/YYYY or YYYY-MM-DD; got the string "12/31/2026".',
  );
});

test('what is not a format of a day is refused', () => {
  for (const name of [
    '',
    'DD/MM',
    'DD/DD/YYYY',
    'HH:mm',
    'YYYYY-MM-DD',
    'D/M/Y',
    'DD/MM/YYYY x',
    'constructor',
    'HH:mm DD/MM/YYYY',
  ]) {
    expect(dateFormatOf(name), name).toBeUndefined();
  }
  expect(dateFormatOf(' YYYY-MM-DD HH:mm:ss ')?.name).toBe('YYYY-MM-DD HH:mm:ss');
});

test('a time keeps its offset, and one without an offset is in the time zone of the column', () => {
  const berlin = { ...dates('DD/MM/YYYY'), timeZone: timeZoneOf('Europe/Berlin') };
  const rows = [
    ['2026-03-31 15:02', '2026-03-31T15:02:00+02:00'],
    ['2026-03-31T15:02', '2026-03-31T15:02:00+02:00'],
    ['31/12/2026 3:02:07 PM', '2026-12-31T15:02:07+01:00'],
    ['31/12/2026', '2026-12-31T00:00:00+01:00'],
    ['2026-03-31 15:02:07.1234567 UTC', '2026-03-31T15:02:07.123456Z'],
    ['2026-03-31 15:02:07 +0530', '2026-03-31T15:02:07+05:30'],
    ['2026-03-31T15:02:07.123Z', '2026-03-31T15:02:07.123Z'],
    // The clocks skip an hour, and repeat one.
    ['2026-03-29 02:30', '2026-03-29T02:30:00+01:00'],
    ['2026-03-29 03:30', '2026-03-29T03:30:00+02:00'],
    ['2026-10-25 02:30', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25 03:30', '2026-10-25T03:30:00+01:00'],
  ] as const;
  for (const [cell, value] of rows) expect(read('datetime', cell, berlin), cell).toBe(value);
  expect(read('datetime', '46112.5', dates('excel'))).toBe('2026-03-31T12:00:00Z');
  expect(read('datetime', '12:30 AM', dates('DD/MM/YYYY'))).toBe('12:30 AM');
});

test('the decimal mark decides what a number is, and what fits neither is left as it is', () => {
  const rows = [
    ['1,000.50', '1000.50', undefined],
    ['1.000,50', undefined, '1000.50'],
    ['1,000', '1000', '1.000'],
    ['1.000', '1.000', '1000'],
    ['0,125', undefined, '0.125'],
    ['0.125', '0.125', undefined],
    ['1 234 567', '1234567', '1234567'],
    ["1'234'567.8", '1234567.8', undefined],
    ['1\u202f234,5', undefined, '1234.5'],
    ['12,34,567.8', '1234567.8', undefined],
    ['-5', '-5', '-5'],
    ['\u22121,000', '-1000', '-1.000'],
    ['1,00,00', undefined, undefined],
    ['1,000 000', undefined, undefined],
    ['1.2.3', undefined, undefined],
    ['x', undefined, undefined],
  ] as const;
  for (const [cell, point, comma] of rows) {
    expect([readDecimal(cell, '.'), readDecimal(cell, ',')], cell).toEqual([point, comma]);
  }
  expect(['kr. 1.234,50', '1.234,50 kr.', '0,125', '{"amount":"1.000","unit":"EUR"}'].map(decimalEvidence)).toEqual([
    ',',
    ',',
    ',',
    undefined,
  ]);
  const evidence = ['1,000', '1.000', '1,5', '1.5', '1,000.00', '1.000.000', '12', '1,00,00'].map(decimalEvidence);
  expect(evidence).toEqual(['either', 'either', ',', '.', '.', ',', undefined, undefined]);
  expect([read('number', '1,000', { decimal: '.' }), read('number', '1,000', {})]).toEqual(['1000', '1,000']);
});

test('a sign is read as the currency that it means, or that the org has', () => {
  const point: CellStyle = { decimal: '.' };
  const money = (amount: string, unit: string) => ({ amount, unit });
  const rows = [
    ['$1,000.00', money('1000.00', 'USD')],
    ['-$5', money('-5', 'USD')],
    ['$ -5', money('-5', 'USD')],
    ['€1,200', money('1200', 'EUR')],
    ['1,200 €', money('1200', 'EUR')],
    ['CA$ 7', money('7', 'CAD')],
    ['7 CHF', money('7', 'CHF')],
    ['1,000', money('1000', 'USD')],
  ] as const;
  for (const [cell, value] of rows) expect(read('currency', cell, point), cell).toEqual(value);
  expect(read('currency', '1.234,56 €', { decimal: ',' })).toEqual(money('1234.56', 'EUR'));
  expect(read('currency', 'kr. 1.234,50', { decimal: ',' }, 'DKK')).toEqual(money('1234.50', 'DKK'));
  expect(read('currency', '1.234,50 kr.', { decimal: ',' }, 'DKK')).toEqual(money('1234.50', 'DKK'));
  expect(read('currency', '$5', point, 'CAD')).toEqual(money('5', 'CAD'));
  expect(read('currency', '$5', point, 'EUR')).toMatch(
    /^Expected an amount with its currency; .* "\$" may be USD, AUD/,
  );
  expect(read('currency', 'kr 5', point, 'EUR')).toMatch(/"kr" may be SEK, NOK, DKK, ISK\.$/);
  for (const cell of ['$5 USD', 'about 5', '5 apples', '(5)', '5%']) {
    expect(read('currency', cell, point), cell).toMatch(/^Expected an amount with or without a currency/);
  }
});

test('a hostile amount is refused without delay', () => {
  for (const cell of [
    `1${' '.repeat(50_000)}x1`,
    `${' '.repeat(50_000)}x`,
    `1${',000'.repeat(20_000)}x`,
    `$${'-'.repeat(50_000)}1`,
  ]) {
    const began = performance.now();
    expect(read('currency', cell, { decimal: '.' })).toMatch(/^Expected an amount/);
    expect(decimalEvidence(cell)).not.toBe(',');
    expect(performance.now() - began).toBeLessThan(2_000);
  }
});

test('an amount without a currency, where none is known, has none', () => {
  const fault = 'Expected an amount with its currency; got the string "5".';
  const property = builtinCatalog.objectTypes.get('svc_deal')?.properties.get('svc_amount') as Property;
  expect(fromCell(property, '5', undefined, { decimal: '.' })).toMatchObject({ fault: { detail: fault } });
  expect(fromCell(property, '5 EUR', undefined, { decimal: '.' })).toEqual({ value: { amount: '5', unit: 'EUR' } });
});

test('a phone number without a calling code belongs to the country of the column', () => {
  const number = (country_code: string, national_number: string) => ({ country_code, national_number });
  const rows = [
    ['GB', '020 7946 0958', number('GB', '2079460958')],
    ['US', '(415) 555-0123', number('US', '4155550123')],
    ['US', '1-415-555-0123', number('US', '4155550123')],
    ['IT', '06 1234 567', number('IT', '061234567')],
    ['ES', '912 345 678', number('ES', '912345678')],
    ['HU', '06 1 234 5678', number('HU', '12345678')],
    ['SA', '055 123 4567', number('SA', '551234567')],
    ['TT', '1-868-555-1234', number('TT', '8685551234')],
    ['RU', '8 (495) 123-45-67', number('RU', '4951234567')],
    ['RU', '800 555 35 35', number('RU', '8005553535')],
    ['BY', '80 29 123 45 67', number('BY', '291234567')],
    ['CG', '06 612 3456', number('CG', '066123456')],
    ['DE', '0049 30 901820', number('DE', '30901820')],
    ['DE', '+44 20 7946 0958', number('GB', '2079460958')],
  ] as const;
  for (const [country, cell, value] of rows) expect(read('phone', cell, { country }), cell).toEqual(value);
  expect(read('phone', '020 7946 0958', {})).toMatch(/^Expected an international number/);
  expect(read('phone', '555-0123 x12', { country: 'US' })).toMatch(/, or one as dialled in US; got/);
});
