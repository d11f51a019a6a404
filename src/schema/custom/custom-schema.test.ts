// The shape of a schema file: names, lengths, members. References between names are checked elsewhere.
import { expect, test } from 'vitest';
import { schemaFileShape } from './custom-schema.ts';

function pointers(file: unknown): readonly string[] {
  return schemaFileShape.check(file).map((fault) => fault.pointer ?? '');
}

const text = { label: 'A', field_type: 'text' };
const type = { label: 'A', properties: [] };
const association = { source: 'svc_deal', target: 'svc_deal', cardinality: 'many_to_many' };

test('the file of the contract is accepted, with every member and with none', () => {
  expect(pointers({})).toEqual([]);
  expect(
    pointers({
      object_types: [
        {
          name: 'vessel',
          label: 'Vessel',
          plural_label: 'Vessels',
          kind: 'asset',
          title_property: 'svc_created_at',
          properties: [
            { name: 'imo', label: 'IMO', field_type: 'text', multi_valued: false, required: true, unique: true },
            { name: 'flag', label: 'Flag', field_type: 'select', options: [{ value: 'a', label: 'A' }] },
          ],
        },
      ],
      properties: { svc_contact: [{ name: 'tier', label: 'Tier', field_type: 'number' }] },
      labels: { svc_deal: { label: 'Fixture', plural_label: 'Fixtures', properties: { svc_name: 'Voyage' } } },
      association_types: [
        { name: 'owns', label: 'Owns', source: { kind: 'person' }, target: 'vessel', cardinality: 'many_to_many' },
        { name: 'in_port', source: 'vessel', target: 'port', cardinality: 'many_to_one', stage: true },
      ],
    }),
  ).toEqual([]);
});

test.each(['a', 'z9', 'constructor', 'to_string', 'svc', 'svcx', 'a__b', 'x_svc_', `a${'b'.repeat(62)}`])(
  'a custom name is accepted: %s',
  (name) => {
    expect(
      pointers({
        object_types: [{ ...type, name }],
        properties: { svc_contact: [{ ...text, name }] },
        association_types: [{ ...association, name }],
      }),
    ).toEqual([]);
  },
);

test.each([
  '',
  'svc_',
  'svc_vessel',
  'Vessel',
  'veSsel',
  'VESSEL',
  '9lives',
  '_vessel',
  '__proto__',
  'my-vessel',
  'my vessel',
  'vessel\n',
  'vesselé',
  'vessel\u0000',
  `a${'b'.repeat(63)}`,
  5,
  null,
])('a name that is built-in, too long or of another form is refused everywhere: %j', (name) => {
  expect(
    pointers({
      object_types: [{ ...type, name, properties: [{ ...text, name }] }],
      properties: { svc_contact: [{ ...text, name }] },
      association_types: [{ ...association, name }],
    }).toSorted(),
  ).toEqual([
    '/association_types/0/name',
    '/object_types/0/name',
    '/object_types/0/properties/0/name',
    '/properties/svc_contact/0/name',
  ]);
});

test('a type under properties or labels that is called __proto__ is a fault, and pollutes nothing', () => {
  const file = JSON.parse(`{
    "__proto__": {"polluted": true},
    "properties": {"__proto__": []},
    "labels": {"__proto__": {"label": "A"}, "svc_deal": {"properties": {"__proto__": "A"}}}
  }`);
  expect(pointers(file).toSorted()).toEqual([
    '/__proto__',
    '/labels/__proto__',
    '/labels/svc_deal/properties/__proto__',
    '/properties/__proto__',
  ]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('labels have 1 to 128 characters of any script, counted in code points', () => {
  const label = (value: unknown) => pointers({ object_types: [{ name: 'a', label: value, properties: [] }] });
  for (const value of ['A', '字', '😀'.repeat(128), 'a\nb']) expect(label(value)).toEqual([]);
  for (const value of ['', '😀'.repeat(129), 'a\u0000', '\ud800', 5, null]) {
    expect(label(value), JSON.stringify(value)).toEqual(['/object_types/0/label']);
  }
});

test('options have a value and a label, and there is at least one', () => {
  const options = (value: unknown) =>
    pointers({ properties: { svc_deal: [{ name: 'a', label: 'A', field_type: 'select', options: value }] } });
  const at = '/properties/svc_deal/0/options';
  expect(options([{ value: '😀'.repeat(128), label: 'A' }])).toEqual([]);
  expect(options([])).toEqual([at]);
  expect(options(['a'])).toEqual([`${at}/0`]);
  expect(options([{ value: 'a' }])).toEqual([`${at}/0/label`]);
  expect(options([{ value: '', label: 'A' }])).toEqual([`${at}/0/value`]);
  expect(options([{ value: 'a'.repeat(129), label: 'A' }])).toEqual([`${at}/0/value`]);
  expect(options([{ value: 'a\u0000', label: 'A' }])).toEqual([`${at}/0/value`]);
  expect(options([{ value: 'a', label: 'A', color: 'red' }])).toEqual([`${at}/0/color`]);
  const many = Array.from({ length: 501 }, (_, index) => ({ value: `${index}`, label: 'A' }));
  expect(options(many)).toEqual([at]);
  expect(options(many.slice(1))).toEqual([]);
});

test('an end is the name of a type or a kind, and nothing else', () => {
  const end = (source: unknown) => pointers({ association_types: [{ ...association, name: 'a', source }] });
  expect(end('svc_deal')).toEqual([]);
  expect(end({ kind: 'person' })).toEqual([]);
  for (const source of ['', 'Deal', '*', 5, null, [], {}, { type: 'svc_deal' }, { kind: 'person', type: 'a' }]) {
    expect(end(source), JSON.stringify(source)).toEqual(['/association_types/0/source']);
  }
});

test('an unknown member anywhere is refused, with the nearest known one', () => {
  const faults = schemaFileShape.check({
    object_type: [],
    object_types: [{ ...type, name: 'a', plural_labels: 'As' }],
    properties: { svc_deal: [{ ...text, name: 'a', multivalued: true }] },
    labels: { svc_deal: { lable: 'A' } },
    association_types: [{ ...association, name: 'a', stages: true }],
  });
  expect(faults.map((fault) => [fault.pointer, fault.nearest])).toEqual(
    expect.arrayContaining([
      ['/object_type', 'object_types'],
      ['/object_types/0/plural_labels', 'plural_label'],
      ['/properties/svc_deal/0/multivalued', 'multi_valued'],
      ['/labels/svc_deal/lable', 'label'],
      ['/association_types/0/stages', 'stage'],
    ]),
  );
  expect(faults).toHaveLength(5);
});

test('all faults of the shape are reported together', () => {
  expect(
    pointers({
      object_types: [{ name: 'A', label: '', properties: {} }, {}],
      properties: { svc_deal: [{ name: 'a', label: 'A', field_type: 'string', required: 'yes' }] },
      association_types: [{ name: 'a', source: 'a', target: 'b', cardinality: 'one_to_one', stage: 1 }],
    }).toSorted(),
  ).toEqual(
    [
      '/object_types/0/name',
      '/object_types/0/label',
      '/object_types/0/properties',
      '/object_types/1/name',
      '/object_types/1/label',
      '/object_types/1/properties',
      '/properties/svc_deal/0/field_type',
      '/properties/svc_deal/0/required',
      '/association_types/0/cardinality',
      '/association_types/0/stage',
    ].toSorted(),
  );
});

test.each([[null], [[]], ['text'], [5]])('a file that is not an object is one fault: %j', (file) => {
  expect(pointers(file)).toEqual(['']);
  expect(schemaFileShape.admits(file)).toBe(false);
});
