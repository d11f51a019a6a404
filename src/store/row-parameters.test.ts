// A list of texts is written as the driver writes it.
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { texts } from './row-parameters.ts';

const { prepareValue } = (pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => string } })
  .utils;

test('a list of texts has the same form as in the driver', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '\\', 'n', '\n', '\t', ',', '{', '}', 'é', '😀', '\u0001'),
  });
  fc.assert(
    fc.property(fc.array(text), (values) => {
      expect(texts(values)).toBe(prepareValue(values));
    }),
  );
});
