// A file with errors of shape: the errors that do not depend on them are reported with them, and no others.
import { expect, test } from 'vitest';
import { isObject, type Json, pointerStep } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { applyFile } from './apply-file.ts';
import { emptyCustomSchema, schemaFileShape } from './custom-schema.ts';

/** The pointers of all errors, in the order of the alphabet. */
function pointers(file: unknown, current = emptyCustomSchema): readonly string[] {
  return applyFile(current, file)
    .faults.map(({ pointer = '' }) => pointer)
    .sort();
}

test('errors of shape and errors of meaning are reported together', () => {
  const file = {
    object_types: [
      {
        name: 'vessel',
        title_property: 'nmae',
        colour: 1,
        properties: [
          { name: 'name', label: 'Name', field_type: 'txt', options: [] },
          { name: 'flag', label: 5, field_type: 'select' },
          { name: 'draft', label: 'Draft', field_type: 'number', options: [{ value: 'a' }], unique: 'yes' },
        ],
      },
    ],
    properties: { svc_contcat: 5, svc_deal: [{ name: 'a', label: 'A', field_type: 'text', options: 3 }] },
    labels: { Bad: {}, svc_dael: null, svc_deal: { properties: { svc_nmae: 7, svc_name: 'Voyage' } } },
    association_types: [
      { name: 'owns', source: 'svc_compny', target: { kind: 7 }, cardinality: 'many_to_many', stage: true },
      { name: 'Owns', source: 'vessel', target: 'vesel' },
    ],
  };
  expect(pointers(file)).toEqual(
    [
      ...['/object_types/0/label', '/object_types/0/colour', '/object_types/0/title_property'],
      ...['/object_types/0/properties/0/field_type', '/object_types/0/properties/0/options'],
      ...['/object_types/0/properties/1/label', '/object_types/0/properties/1/options'],
      ...['/object_types/0/properties/2/options/0/label', '/object_types/0/properties/2/unique'],
      '/object_types/0/properties/2/options',
      ...['/properties/svc_contcat', '/properties/svc_deal/0/options', '/labels/Bad'],
      ...['/labels/svc_dael', '/labels/svc_deal/properties/svc_nmae'],
      ...['/association_types/0/source', '/association_types/0/target', '/association_types/0/cardinality'],
      ...['/association_types/1/name', '/association_types/1/cardinality', '/association_types/1/target'],
    ].sort(),
  );
});

test('names that an error of shape may hide are not reported as missing', () => {
  const target = { label: 'A', cardinality: 'many_to_one', target: 'svc_deal' };
  const uses = {
    properties: { vessel: [] },
    labels: { vessel: { properties: { imo: 'IMO' } }, svc_deal: { properties: { ship: 'Ship' } } },
    association_types: [
      { ...target, name: 'a', source: 'vessel' },
      { ...target, name: 'b', source: { kind: 'asset' } },
    ],
  };
  expect(pointers({ ...uses, properties: { svc_deal: [{ name: 'Ship' }] }, object_types: 'vessel' })).toEqual([
    '/object_types',
    '/properties/svc_deal/0/field_type',
    '/properties/svc_deal/0/label',
    '/properties/svc_deal/0/name',
  ]);
  expect(pointers({ ...uses, object_types: ['vessel'] })).toEqual(['/object_types/0']);
  expect(pointers({ labels: uses.labels, properties: { Svc_deal: [] } })).toEqual([
    '/labels/vessel',
    '/properties/Svc_deal',
  ]);
});

test('a file that is not an object, or has more errors of shape than are reported, has no others', () => {
  for (const file of [null, 5, 'schema', []]) expect(pointers(file)).toEqual(['']);
  const labels = Object.fromEntries(
    Array.from({ length: bounds.base.faultsReported + 1 }, (_, index) => [`Type ${index}`, {}]),
  );
  const file = { labels, properties: { svc_contcat: [] } };
  expect(pointers(file)).toEqual(pointers({ labels }));
});

/** A file with every member, in which every name is used. */
const whole = {
  object_types: [
    {
      name: 'vessel',
      label: 'Vessel',
      plural_label: 'Vessels',
      description: 'A ship',
      kind: 'asset',
      title_property: 'imo',
      properties: [
        { name: 'imo', label: 'IMO', description: 'Its number', field_type: 'number', unique: true, required: true },
        { name: 'flag', label: 'Flag', field_type: 'select', options: [{ value: 'no', label: 'Norway' }] },
        { name: 'crew', label: 'Crew', field_type: 'text', multi_valued: true },
      ],
    },
  ],
  properties: { svc_deal: [{ name: 'ship', label: 'Ship', field_type: 'number' }], vessel: [] },
  labels: {
    svc_deal: { label: 'Fixture', plural_label: 'Fixtures', properties: { ship: 'Vessel', svc_name: 'Voyage' } },
    vessel: { properties: { imo: 'Number', flag: 'State' } },
  },
  association_types: [
    { name: 'owns', label: 'Owns', source: { kind: 'asset' }, target: 'vessel', cardinality: 'many_to_many' },
    { name: 'in_port', source: 'vessel', target: 'svc_deal', cardinality: 'many_to_one', stage: true },
  ],
};

/** The file with an error in one place: a member is missing, is unknown, or has a value that fits nowhere. */
function broken(value: Json, at = ''): readonly (readonly [what: string, file: Json])[] {
  const below = (name: string | number, each: Json, put: (changed: Json) => Json) =>
    broken(each, at + pointerStep(name)).map(([what, changed]) => [what, put(changed)] as const);
  const self = [`${at} is wrong`, -1] as const;
  if (Array.isArray(value)) {
    return [self, ...value.flatMap((each: Json, index) => below(index, each, (changed) => value.with(index, changed)))];
  }
  if (!isObject(value)) return [self];
  const members = value as Readonly<Record<string, Json>>;
  return [
    self,
    [`${at} has another member`, { ...members, 'No name': 1 }],
    ...Object.keys(members).map(
      (name) =>
        [`${at} lacks ${name}`, Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))] as const,
    ),
    ...Object.entries(members).flatMap(([name, each]) =>
      below(name, each, (changed) => ({ ...members, [name]: changed })),
    ),
  ];
}

test('an error of shape in a file that is right otherwise is the only one, wherever it is', () => {
  const { schema, faults } = applyFile(emptyCustomSchema, whole);
  expect(faults).toEqual([]);
  const files = broken(whole).filter(([, file]) => !schemaFileShape.admits(file));
  expect(files.length).toBeGreaterThan(100);
  for (const current of [emptyCustomSchema, schema]) {
    for (const [what, file] of files) {
      expect([what, pointers(file, current)]).toEqual([
        what,
        schemaFileShape.check(file).map(({ pointer }) => pointer),
      ]);
    }
  }
});
