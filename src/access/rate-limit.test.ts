// The arithmetic of rate limits against contract 9.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRate, unspentMax } from './rate-limit.ts';

const quota = fc.oneof(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: 1, max: 1_000 }));

test('unspent units are never more than a twentieth, so that 0.95 of the quota is served', () => {
  fc.assert(fc.property(quota, (units) => unspentMax(units) * 20 <= units && unspentMax(units) >= 0));
});

test('a quota up to 200 is served completely: no units are leased ahead', () => {
  for (let units = 1; units <= 200; units++) expect(unspentMax(units)).toBe(0);
  expect(unspentMax(201)).toBe(10);
});

test('a larger quota never leases less ahead, and with the default of 6,000 not every request asks the database', () => {
  fc.assert(
    fc.property(quota, fc.nat({ max: 10_000 }), (units, more) => unspentMax(units + more) >= unspentMax(units)),
  );
  expect(unspentMax(6_000)).toBe(300);
});

test('a rate is written as requests and seconds', () => {
  expect(parseRate('6000/60')).toEqual({ quota: 6_000, windowSeconds: 60 });
  expect(parseRate('1/1')).toEqual({ quota: 1, windowSeconds: 1 });
  expect(parseRate('999999999/99999')).toEqual({ quota: 999_999_999, windowSeconds: 99_999 });
});

test.each([
  '',
  '/',
  '6000',
  '6000/',
  '/60',
  '0/60',
  '60/0',
  '-1/60',
  '06/60',
  '6/060',
  '1.5/60',
  '1e3/60',
  '6000/60/1',
  ' 6000/60',
  '6000/60\n',
  '6 000/60',
  '1000000000/60',
  '6000/100000',
  '٣/60',
  'Infinity/60',
])('a text that is not a rate, or is out of bounds, is refused: %j', (text) => {
  expect(parseRate(text)).toBeUndefined();
});
