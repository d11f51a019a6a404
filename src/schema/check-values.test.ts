// The values that a request may set and clear, and the errors of others. The field types have their own tests; this
// file is about properties: unknown, read-only, required, multi-valued, and names that objects inherit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { bounds } from '../base/limits.ts';
import { checkRequired, checkValues } from './check-values.ts';
import { applySchema } from './custom/apply-schema.ts';
import { emptyCustomSchema } from './custom/custom-schema.ts';
import type { ObjectType } from './object-type.ts';

const options = ['crude', 'grain'].map((value) => ({ value, label: value.toUpperCase() }));
const { catalog } = applySchema(emptyCustomSchema, {
  object_types: [
    {
      name: 'vessel',
      label: 'Vessel',
      properties: [
        { name: 'imo', label: 'IMO', field_type: 'text', required: true },
        { name: 'crew', label: 'Crew', field_type: 'email', required: true, multi_valued: true },
        { name: 'cargo', label: 'Cargo', field_type: 'select', options },
        { name: 'cargos', label: 'Cargos', field_type: 'select', options, multi_valued: true },
        { name: 'flag', label: 'Flag', field_type: 'country' },
        { name: 'constructor', label: 'Builder', field_type: 'text' },
        { name: 'tostring', label: 'Rope', field_type: 'text' },
        { name: 'price', label: 'Price', field_type: 'currency' },
        { name: 'prices', label: 'Prices', field_type: 'currency', multi_valued: true },
      ],
    },
  ],
});
const vessel = catalog.objectTypes.get('vessel') as ObjectType;
const contact = catalog.objectTypes.get('svc_contact') as ObjectType;

const faultsOf = (properties: Readonly<Record<string, unknown>>, type = vessel) =>
  checkValues(type, properties, '').faults;

test('a value is set, null clears, and an empty list clears a multi-valued property', () => {
  const price = { amount: '1.50', unit: 'EUR' };
  const sent = { imo: '😀', crew: ['a@b', 'A@b'], price, flag: null, cargos: [], constructor: 'Yard', tostring: null };
  const { changes, faults } = checkValues(vessel, sent, '');
  expect(faults).toEqual([]);
  expect([...changes]).toEqual([
    ['imo', '😀'],
    ['crew', ['a@b', 'A@b']],
    ['price', price],
    ['flag', null],
    ['cargos', null],
    ['constructor', 'Yard'],
    ['tostring', null],
  ]);
  expect(checkValues(vessel, {}, '')).toEqual({ changes: new Map(), faults: [] });
});

test('members of a value are in the order in which they are stored, however they were sent', () => {
  const sent = {
    price: { amount: '1.50', unit: 'EUR' },
    prices: [
      { amount: '2', unit: 'USD' },
      { unit: 'GBP', amount: '3' },
    ],
  };
  expect(JSON.stringify([...checkValues(vessel, sent, '').changes.values()])).toBe(
    '[{"unit":"EUR","amount":"1.50"},[{"unit":"USD","amount":"2"},{"unit":"GBP","amount":"3"}]]',
  );
});

test('a fault says where it is, in which property, what was expected and what was received', () => {
  expect(checkValues(contact, { svc_email: ['ada@example.com', 5] }, '/operations/3').faults).toEqual([
    {
      pointer: '/operations/3/properties/svc_email/1',
      property: 'svc_email',
      reason: 'wrong_shape',
      detail: expect.stringContaining('got the number 5'),
      expected: contact.properties.get('svc_email')?.fieldType.shape,
    },
  ]);
});

test.each([
  ['/imo', 'wrong_shape', { imo: '' }],
  ['/imo', 'wrong_shape', { imo: [] }],
  ['/imo', 'wrong_shape', { imo: ['a'] }],
  ['/imo', 'wrong_shape', { imo: 9_074_729 }],
  ['/imo', 'wrong_shape', { imo: 'a\0' }],
  ['/imo', 'wrong_shape', { imo: '\ud800' }],
  ['/imo', 'too_long', { imo: '😀'.repeat(1_025) }],
  ['/imo', 'required_missing', { imo: null }],
  ['/crew', 'required_missing', { crew: null }],
  ['/crew', 'required_missing', { crew: [] }],
  ['/crew', 'wrong_shape', { crew: 'a@b' }],
  ['/crew', 'wrong_shape', { crew: { 0: 'a@b', length: 1 } }],
  ['/crew', 'wrong_shape', { crew: '' }],
  ['/crew', 'too_many_values', { crew: Array(101).fill('a@b') }],
  ['/crew/1', 'wrong_shape', { crew: ['a@b', null] }],
  ['/crew/0', 'wrong_shape', { crew: [[]] }],
  ['/crew/0', 'wrong_shape', { crew: [''] }],
  ['/cargo', 'unknown_option', { cargo: 'CRUDE' }],
  ['/cargo', 'wrong_shape', { cargo: 1 }],
  ['/cargos/1', 'unknown_option', { cargos: ['grain', 'coal'] }],
  ['/price', 'wrong_shape', { price: '12 EUR' }],
  ['/price/amount', 'wrong_shape', { price: { amount: 12, unit: 'EUR' } }],
  ['/prices/0/unit', 'wrong_shape', { prices: [{ amount: '12', unit: 'eur' }] }],
  ['/constructor', 'wrong_shape', { constructor: {} }],
  ['/svc_created_at', 'read_only_property', { svc_created_at: '2026-03-31T09:30:00Z' }],
  ['/svc_updated_at', 'read_only_property', { svc_updated_at: null }],
  ['/svc_name', 'unknown_property', { svc_name: 'a' }],
  ['/__proto__', 'unknown_property', JSON.parse('{"__proto__": {"imo": "a"}}')],
  ['/toString', 'unknown_property', { toString: 'a' }],
  ['/a~1b~0c', 'unknown_property', { 'a/b~c': 'a' }],
  ['/', 'unknown_property', { '': 'a' }],
])('at /properties%s: %s', (place, reason, properties) => {
  const faults = faultsOf(properties);
  expect(faults.map((fault) => [fault.pointer, fault.reason])).toEqual([[`/properties${place}`, reason]]);
  expect(faults[0]?.detail).toMatch(/^[^\n]{10,300}\.$/);
  const told = !['unknown_property', 'read_only_property'].includes(reason);
  expect(faults[0]?.expected !== undefined).toBe(told);
});

test('100 values are accepted', () => {
  expect(faultsOf({ crew: Array(100).fill('a@b') })).toEqual([]);
});

test('the expected shape of a list is a list, and that of an option has the options', () => {
  const list = { type: 'array', items: { type: 'string', enum: ['crude', 'grain'] }, minItems: 1, maxItems: 100 };
  const [whole, element] = [faultsOf({ cargos: 'grain' }), faultsOf({ cargos: ['coal'] })];
  expect(whole[0]).toMatchObject({ expected: list });
  expect(whole[0]).not.toHaveProperty('allowed');
  expect(element[0]).toMatchObject({ expected: list.items, allowed: ['crude', 'grain'] });
  expect(faultsOf({ cargos: Array(101).fill('grain') })[0]).toMatchObject({ expected: list });
  expect(faultsOf({ imo: null })[0]?.expected).toEqual(vessel.properties.get('imo')?.fieldType.shape);
});

test.each(['svc_deal_pipeline_stage', 'svc_note_pipeline_stage', 'svc_contact_lifecycle_stage'])(
  'the probability of a %s is from 0 to 100',
  (name) => {
    const stage = catalog.objectTypes.get(name) as ObjectType;
    const probability = stage.properties.get('svc_probability');
    for (const value of ['0', '-0', '0.000000000000', '12.5', '000100', '100.000000000000', null]) {
      expect(faultsOf({ svc_probability: value }, stage)).toEqual([]);
    }
    for (const value of ['-0.000000000001', '100.000000000001', '-1', '101', '999999999999999999']) {
      expect(faultsOf({ svc_probability: value }, stage)).toEqual([
        {
          pointer: '/properties/svc_probability',
          property: 'svc_probability',
          reason: 'wrong_shape',
          detail: `Expected a number from 0 to 100; got the string "${value}".`,
          expected: { ...probability?.fieldType.shape, description: 'A number from 0 to 100.' },
        },
      ]);
    }
    const [fault] = faultsOf({ svc_probability: 50 }, stage);
    expect(fault).toMatchObject({ reason: 'wrong_shape', expected: { description: 'A number from 0 to 100.' } });
    expect(faultsOf({ svc_position: '-1000' }, stage)).toEqual([]);
  },
);

test('an unknown name offers the nearest one that this type has', () => {
  expect(faultsOf({ carg0: 'grain' })[0]).toMatchObject({ property: 'carg0', nearest: 'cargo' });
  expect(faultsOf({ svc_emial: [] }, contact)[0]).toMatchObject({ nearest: 'svc_email' });
  const properties = new Map([...contact.properties].filter(([name]) => name !== 'svc_email'));
  expect(faultsOf({ svc_emial: [] }, contact.with({ properties }))[0]?.nearest).not.toBe('svc_email');
  expect(faultsOf({ entirely_different: 1 })[0]).not.toHaveProperty('nearest');
});

test('a name of any length is reported in a few words, at its true place', () => {
  const [fault] = faultsOf({ ['\0x'.repeat(50_000)]: 1 });
  expect(fault?.pointer).toHaveLength('/properties/'.length + 100_000);
  expect(fault?.property?.length).toBeLessThan(70);
  expect(fault?.detail.length).toBeLessThan(250);
});

test('all faults of a request are reported together, in the order of the properties', () => {
  const faults = faultsOf({ imo: '', x_y_z: 1, crew: [1, 'a@b', 2], svc_created_at: 1, flag: 'gb', price: {} });
  expect(faults.map(({ pointer }) => pointer?.replace('/properties/', ''))).toEqual([
    'imo',
    'x_y_z',
    'crew/0',
    'crew/2',
    'svc_created_at',
    'flag',
    'price/amount',
  ]);
});

test('faults by the hundred thousand are bounded and cost little', async () => {
  const tookMs = await cpuMsOf(() => {
    const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`svc_industri_${index}`, 1]));
    expect(faultsOf(names)).toHaveLength(bounds.base.faultsReported);
    expect(faultsOf({ crew: Array(500_000).fill(null) })).toHaveLength(bounds.base.faultsReported);
    for (let item = 0; item < 1_000; item++)
      faultsOf({ svc_frist_name: 'Ada', [`svc_last_mane_${item % 2}`]: 'L' }, contact);
  });
  expect(tookMs).toBeLessThan(2_000);
});

test('a required property that is not sent is missing; a cleared one is reported once', () => {
  const missing = (properties: Readonly<Record<string, unknown>>) =>
    checkRequired(vessel, properties, '/operations/0').map(({ pointer, property, reason }) => [
      pointer,
      property,
      reason,
    ]);
  expect(missing({})).toEqual([
    ['/operations/0/properties/imo', 'imo', 'required_missing'],
    ['/operations/0/properties/crew', 'crew', 'required_missing'],
  ]);
  expect(missing({ imo: null, crew: [] })).toEqual([]);
  expect(missing(Object.create({ imo: 'a', crew: ['a@b'] }))).toHaveLength(2);
  expect(checkRequired(contact, {}, '')).toEqual([]);
});

test('whatever is sent, every name is either in the changes or in the faults, and nothing is thrown', () => {
  const name = fc.constantFrom(...vessel.properties.keys(), '__proto__', 'valueOf', 'hasOwnProperty', 'imo ');
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(null, [], '', 'a', 'a@b', 'GB', ['a@b'], 1e308, -0));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (members) => {
      const properties = JSON.parse(
        `{${members.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join()}}`,
      );
      const { changes, faults } = checkValues(vessel, properties, '');
      const told = new Set([...changes.keys(), ...faults.map(({ property = '' }) => property)]);
      expect([...told].sort()).toEqual(Object.keys(properties).sort());
      for (const [key, each] of changes) expect(each === null || each === properties[key]).toBe(true);
    }),
    { numRuns: 300 },
  );
});
