// A column asks only what its cells leave open, with an example of what each answer would make of them.
import { expect, test, vi } from 'vitest';
import type { PlannedColumn } from '../../../data/import/messages.ts';
import type { KnownProperty } from '../../../fields/field.ts';

// The locale of the reader is that of the browser.
vi.stubGlobal('navigator', { languages: ['en-GB'] });
const { askedOf } = await import('./written-as.ts');

function asked(fieldType: string, samples: readonly string[], use: object = {}, choose?: object | string) {
  const column = {
    header: 'Column',
    use: { kind: 'property', property: 'p', ...use },
    decidedBy: 'header',
    samples,
  } as PlannedColumn;
  const faults = choose === undefined ? [] : [{ column: 0, detail: 'It is open.', choose: choose as 'decimal' }];
  return askedOf(column, { name: 'p', field_type: fieldType } as KnownProperty, faults);
}

test('dates that say their year first ask nothing; others name each format that fits, with an example', () => {
  expect(asked('date', ['2019-01-03'])).toEqual({});
  expect(asked('date', ['3/1/2019', '4/2/2019'])).toEqual({
    dates: [
      { value: 'DD/MM/YYYY', example: '3/1/2019 is 3 Jan 2019' },
      { value: 'MM/DD/YYYY', example: '3/1/2019 is 1 Mar 2019' },
    ],
  });
  expect(asked('date', ['31/1/2019']).dates?.map(({ value }) => value)).toEqual(['DD/MM/YYYY']);
  expect(asked('date', ['some day'])).toEqual({});
});

test('formats that only other rows rule out are offered as the plan names them', () => {
  expect(asked('date', [], {}, { dates: ['DD/MM/YY', 'MM/DD/YY'] }).dates).toEqual([
    { value: 'DD/MM/YY' },
    { value: 'MM/DD/YY' },
  ]);
});

test('a time without an offset asks for its zone', () => {
  expect(asked('datetime', ['2019-01-03 09:30']).timeZone).toBe(true);
  expect(asked('datetime', ['2019-01-03T09:30:00Z', '2019-01-03'])).toEqual({});
});

test('a number that could be two asks which, and one that could not does not', () => {
  expect(asked('number', ['1,000.50', '12'])).toEqual({});
  expect(asked('number', ['1.000']).decimal).toEqual([
    { value: '.', example: '1.000 is 1' },
    { value: ',', example: '1.000 is 1,000' },
  ]);
  expect(asked('number', ['12'], {}, 'decimal').decimal?.length).toBe(2);
});

test('amounts and phone numbers ask for what they do not say', () => {
  expect(asked('currency', ['€12', '12 NOK'])).toEqual({});
  expect(asked('currency', ['12'])).toEqual({ currency: true });
  expect(asked('phone', ['+47 22 86 44 00'])).toEqual({});
  expect(asked('phone', ['22 86 44 00'])).toEqual({ country: true });
  expect(asked('text', ['3/1/2019'])).toEqual({});
});
