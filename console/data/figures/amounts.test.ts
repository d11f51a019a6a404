// Sums of amounts.
import { expect, test } from 'vitest';
import { addAmounts, addNumbers, unitsOf } from './amounts.ts';

test('numbers are added exactly, whatever their size, sign and decimals', () => {
  expect(addNumbers('0.1', '0.2')).toBe('0.3');
  expect(addNumbers('999999999999999999.000000000001', '1')).toBe('1000000000000000000.000000000001');
  expect(addNumbers('-1.5', '1')).toBe('-0.5');
  expect(addNumbers('-0.05', '-0.95')).toBe('-1.00');
  expect(addNumbers('12', '30')).toBe('42');
});

test('currencies are never added up, and that of the most amounts comes first', () => {
  const amounts = [
    { amount: '1', unit: 'EUR' },
    { amount: '2', unit: 'USD' },
    { amount: '900', unit: 'CHF' },
    { amount: '3.5', unit: 'USD' },
  ];
  expect(addAmounts(amounts)).toEqual([
    { amount: '1', unit: 'EUR' },
    { amount: '5.5', unit: 'USD' },
    { amount: '900', unit: 'CHF' },
  ]);
  expect(unitsOf(amounts)).toEqual(['USD', 'CHF', 'EUR']);
});
