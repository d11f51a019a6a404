// The keys of a record's values in index tables and in the table of unique values.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { applySchema } from '../custom/apply-schema.ts';
import { builtinCatalog } from '../custom/build-catalog.ts';
import { emptyCustomSchema } from '../custom/custom-schema.ts';
import { fieldTypes } from '../fields/all.ts';
import type { ObjectType } from '../object-type.ts';
import { boundedKey, indexKeys, uniqueKeys } from './record-keys.ts';

const typeNamed = (name: string, catalog = builtinCatalog) => catalog.objectTypes.get(name) as ObjectType;
const deal = typeNamed('svc_deal');
const contact = typeNamed('svc_contact');

/** The properties of every field type, single- and multi-valued, all unique; in `indexed` also all indexed. */
const { catalog } = applySchema(emptyCustomSchema, {
  object_types: [
    {
      name: 'anything',
      label: 'Anything',
      properties: [...fieldTypes.values()].flatMap(({ name, example }) => {
        const options = name === 'select' ? { options: [{ value: example as string, label: 'A' }] } : {};
        const shared = { label: name, field_type: name, unique: true, ...options };
        return [
          { name: `one_${name}`, ...shared },
          { name: `many_${name}`, multi_valued: true, ...shared },
        ];
      }),
    },
  ],
});
const anything = typeNamed('anything', catalog);
const indexed = anything.with({
  properties: new Map([...anything.properties].map(([name, each]) => [name, { ...each, index: 'ready' as const }])),
});

test('every indexed property has a key, unset ones too', () => {
  const amount = { amount: '-1.5', unit: 'EUR' };
  const value = fieldTypes.get('currency')?.key(amount);
  expect(
    indexKeys(deal, { svc_name: 'Pilot', svc_amount: amount, svc_last_activity_at: '2026-03-31T00:00:00Z' }),
  ).toEqual([
    { propertyId: 3, kind: 'text', value: 'pilot' },
    { propertyId: 4, kind: 'text', value },
    { propertyId: 5, kind: 'time', value: null },
    { propertyId: 6, kind: 'time', value: '2026-03-31T00:00:00Z' },
  ]);
  expect(indexKeys(typeNamed('svc_file'), { svc_name: 'a' })).toEqual([]);
});

test('a multi-valued property has one key for each distinct value', () => {
  const valuesOf = (name: string, values: readonly Json[]) =>
    indexKeys(indexed, { [name]: values })
      .filter(({ propertyId }) => propertyId === indexed.properties.get(name)?.id)
      .map(({ value }) => value);
  expect(valuesOf('many_text', ['b', 'A', 'a', 'B'])).toEqual(['b', 'a']);
  expect(valuesOf('many_number', ['1', '01.0', '-0', '0'])).toEqual(['1', '0']);
  const moments = ['2026-03-31T09:30:00Z', '2026-03-31T11:30:00+02:00', '2026-03-31T09:30:00.000001Z'];
  expect(valuesOf('many_datetime', moments)).toHaveLength(2);
});

test('an index has no keys of field types whose operators would not use it', () => {
  const ids = new Set(indexKeys(indexed, {}).map(({ propertyId }) => propertyId));
  const missing = [...indexed.properties.values()]
    .filter(({ id }) => !ids.has(id))
    .map(({ fieldType }) => fieldType.name);
  expect([...new Set(missing)].sort()).toEqual(['long_text']);
});

test('a unique property has one key for each distinct value, and none while it is unset', () => {
  expect(uniqueKeys(contact, { svc_last_name: 'Lovelace', svc_email: ['Ada@b', 'ada@B', 'c@d'] })).toEqual([
    { propertyId: 5, property: 'svc_email', key: 'svc_email', value: 'ada@b' },
    { propertyId: 5, property: 'svc_email', key: 'svc_email', value: 'c@d' },
  ]);
  expect(uniqueKeys(contact, {})).toEqual([]);
  expect(uniqueKeys(contact, { svc_email: null })).toEqual([]);
  expect(uniqueKeys(deal, { svc_name: 'Pilot' })).toEqual([]);
});

test('every field type can be unique, alone and in lists', () => {
  for (const fieldType of fieldTypes.values()) {
    const { name, example } = fieldType;
    const keys = uniqueKeys(anything, { [`one_${name}`]: example, [`many_${name}`]: [example, example] });
    expect(keys.map(({ property, value }) => [property, value])).toEqual([
      [`one_${name}`, fieldType.key(example)],
      [`many_${name}`, fieldType.key(example)],
    ]);
  }
});

test('a property that every object inherits is unset until the record has it', () => {
  const grown = applySchema(emptyCustomSchema, {
    properties: { svc_deal: [{ name: 'constructor', label: 'Builder', field_type: 'text', unique: true }] },
  });
  const type = typeNamed('svc_deal', grown.catalog);
  expect(uniqueKeys(type, {})).toEqual([]);
  expect(uniqueKeys(type, { constructor: 'Yard' })).toMatchObject([{ property: 'constructor', value: 'yard' }]);
});

test('a long key is its first 2,400 bytes and the digest of the whole', () => {
  for (const letter of ['a', '字', '😀']) {
    const longest = letter.repeat(2_400 / Buffer.byteLength(letter));
    expect(boundedKey(longest)).toBe(longest);
    const digest = createHash('sha256').update(`${longest}${letter}`).digest('hex');
    expect(boundedKey(longest + letter)).toBe(longest + digest);
  }
  const name = 'İ'.repeat(1_024);
  expect(indexKeys(deal, { svc_name: name })[0]?.value).toBe(boundedKey(name.toLowerCase()));
  expect(uniqueKeys(anything, { one_long_text: 'a'.repeat(65_536) })[0]?.value).toHaveLength(2_400 + 64);
});

test('bounded keys are short, whole and as distinct as the keys', () => {
  const key = fc
    .tuple(
      fc.constantFrom('a', '字', '😀'),
      fc.integer({ min: 2_380, max: 2_500 }),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    )
    .map(([letter, bytes, end]) => letter.repeat(bytes / Buffer.byteLength(letter)) + end);
  fc.assert(
    fc.property(key, fc.oneof(key, key.map(boundedKey)), (left, right) => {
      const bounded = boundedKey(left);
      expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(2_400 + 64);
      expect(bounded.isWellFormed()).toBe(true);
      expect(bounded === boundedKey(right)).toBe(left === right);
    }),
  );
});
