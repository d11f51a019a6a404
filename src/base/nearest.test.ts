// "Did you mean": the nearest known name, if it is near enough for a typing error.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { nearest } from './nearest.ts';

const known = ['svc_contact', 'svc_company', 'svc_deal', 'svc_deal_pipeline', 'svc_note'];

test('a typing error of one letter finds the intended name', () => {
  expect(nearest('svc_contcat', known)).toBe('svc_contact');
  expect(nearest('svc_contacts', known)).toBe('svc_contact');
  expect(nearest('svc_comapny', known)).toBe('svc_company');
  expect(nearest('svcdeal', known)).toBe('svc_deal');
});

test('capitals do not count, on either side', () => {
  expect(nearest('SVC_NOTE', known)).toBe('svc_note');
  expect(nearest('next_cursor', ['Next_Cursor'])).toBe('Next_Cursor');
});

test('a name that is similar to none finds nothing', () => {
  expect(nearest('invoice_line_item', known)).toBeUndefined();
  expect(nearest('completely_different_name', known)).toBeUndefined();
  expect(nearest('svc_deal', [])).toBeUndefined();
});

test('the nearest of several near names wins, and the first of equals', () => {
  expect(nearest('svc_deal_pipelin', known)).toBe('svc_deal_pipeline');
  expect(nearest('cat', ['hat', 'cut', 'cats'])).toBe('hat');
  expect(nearest('cat', ['coat', 'cat'])).toBe('cat');
});

test('a name of any length, with any characters, is answered from the known names or not at all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 0xffff }), { maxLength: 300 }),
      fc.array(fc.string({ maxLength: 80 }), { maxLength: 5 }),
      (units, names) => {
        const found = nearest(String.fromCharCode(...units), names);
        expect(found === undefined || names.includes(found)).toBe(true);
      },
    ),
  );
});

test('every known name is found, as it is and with any one character dropped', () => {
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(), (name, place) => {
      const at = place % name.length;
      expect(nearest(name, known)).toBe(name);
      expect(nearest(name.slice(0, at) + name.slice(at + 1), known)).toBe(name);
    }),
  );
});

test('a name of a million characters costs no more than a short one', async () => {
  const tookMs = await cpuMsOf(() => {
    nearest(
      'x'.repeat(1_000_000),
      Array.from({ length: 500 }, (_, index) => `property_${index}`),
    );
  });
  expect(tookMs).toBeLessThan(2_000);
});
