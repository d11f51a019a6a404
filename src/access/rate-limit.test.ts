// The arithmetic of rate limits against contract 9.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leaseAhead, parseRate, unspentMax } from './rate-limit.ts';

const quota = fc.oneof(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: 1, max: 1_000 }));

test('what lies unspent is never above a twentieth, so that 0.95 of the quota is served', () => {
  fc.assert(fc.property(quota, (units) => unspentMax(units) * 20 <= units && unspentMax(units) >= 0));
});

test('of a quota up to 200 nothing is held back: all of it is served', () => {
  for (let units = 1; units <= 200; units++) {
    expect(unspentMax(units)).toBe(0);
    expect(leaseAhead(units)).toBe(0);
  }
  expect(unspentMax(201)).toBe(10);
});

test('a process leases whole units, never more ahead than all processes may hold', () => {
  fc.assert(
    fc.property(quota, (units) => {
      const ahead = leaseAhead(units);
      return Number.isInteger(ahead) && ahead >= 0 && ahead <= unspentMax(units);
    }),
  );
});

test('under the default of 6,000 a process leases ahead, so that not every request asks the database', () => {
  expect(unspentMax(6_000)).toBe(300);
  expect(leaseAhead(6_000)).toBe(75);
});

test('a larger quota never leases less', () => {
  fc.assert(
    fc.property(quota, fc.nat({ max: 10_000 }), (units, more) => {
      return leaseAhead(units + more) >= leaseAhead(units) && unspentMax(units + more) >= unspentMax(units);
    }),
  );
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
])('what is no rate, or out of bounds, is refused: %j', (text) => {
  expect(parseRate(text)).toBeUndefined();
});
