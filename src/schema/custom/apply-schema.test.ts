// Applying a schema file: what it adds, what it may change, and what it may not.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applySchema } from './apply-schema.ts';
import {
  type AssociationTypeDeclaration,
  type CustomSchema,
  emptyCustomSchema,
  type PropertyDeclaration,
  type SchemaFile,
  schemaFileShape,
} from './custom-schema.ts';

/** The schema after these files, none of which may have an error. */
function grown(...files: readonly SchemaFile[]): CustomSchema {
  return files.reduce((schema, file) => {
    expect(schemaFileShape.check(file)).toEqual([]);
    const applied = applySchema(schema, file);
    expect(applied.faults).toEqual([]);
    return applied.schema;
  }, emptyCustomSchema);
}

function pointers(current: CustomSchema, file: SchemaFile): readonly (string | undefined)[] {
  return applySchema(current, file).faults.map((fault) => fault.pointer);
}

function text(name: string, more: Partial<PropertyDeclaration> = {}): PropertyDeclaration {
  return { name, label: `The ${name}`, field_type: 'text', ...more };
}

const vesselFile: SchemaFile = {
  object_types: [
    {
      name: 'vessel',
      label: 'Vessel',
      kind: 'asset',
      title_property: 'imo',
      properties: [
        text('imo', { unique: true, required: true }),
        text('flag', { field_type: 'select', options: [{ value: 'no', label: 'Norway' }] }),
        text('aliases', { multi_valued: true }),
      ],
    },
    { name: 'port', label: 'Port', properties: [] },
  ],
  properties: { svc_contact: [text('tier')], vessel: [text('built')] },
  labels: { svc_deal: { label: 'Fixture', properties: { svc_name: 'Voyage' } } },
  association_types: [
    { name: 'owns', source: { kind: 'person' }, target: 'vessel', cardinality: 'many_to_many' },
    { name: 'in_port', source: 'vessel', target: 'port', cardinality: 'many_to_one', stage: true },
  ],
};
const vessels = grown(vesselFile);

test('an empty file changes nothing', () => {
  expect(grown({})).toEqual(emptyCustomSchema);
  expect(grown(vesselFile, {})).toEqual(vessels);
  expect(grown(vesselFile, { object_types: [], properties: {}, labels: {}, association_types: [] })).toEqual(vessels);
});

test('applying the same file twice changes nothing, ids included', () => {
  expect(grown(vesselFile, vesselFile)).toEqual(vessels);
});

test('a schema that was stored and read back as JSON grows just the same', () => {
  const stored: CustomSchema = JSON.parse(JSON.stringify(vessels));
  expect(applySchema(stored, vesselFile)).toMatchObject({ schema: vessels, faults: [] });
});

test('the current schema is not changed, so that a refused file leaves no trace', () => {
  const before = structuredClone(vessels);
  applySchema(vessels, { object_types: [{ name: 'vessel', label: 'Ship', kind: 'other', properties: [text('imo')] }] });
  applySchema(vessels, { properties: { vessel: [text('draft')], svc_contact: [text('rank')] } });
  expect(vessels).toEqual(before);
});

test('custom ids start at 1000 and go up in the order of the file', () => {
  expect(vessels.object_types.map((type) => [type.name, type.id])).toEqual([
    ['vessel', 1000],
    ['port', 1001],
  ]);
  expect(vessels.object_types[0]?.properties.map((property) => [property.name, property.id])).toEqual([
    ['imo', 1000],
    ['flag', 1001],
    ['aliases', 1002],
    ['built', 1003],
  ]);
  expect(vessels.properties['svc_contact']?.map((property) => property.id)).toEqual([1000]);
  expect(vessels.association_types.map((type) => type.id)).toEqual([1000, 1001]);
});

const names = fc.constantFrom('a', 'b', 'c', 'd', 'constructor');
const property = names.map((name) => text(name));
const lists = fc.uniqueArray(property, { selector: (each) => each.name, maxLength: 4 });
const types = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('x', 'y', 'constructor'), label: fc.constant('L'), properties: lists }),
  { selector: (each) => each.name, maxLength: 3 },
);
const laterLists = fc.dictionary(fc.constantFrom('svc_contact', 'svc_deal', 'x', 'y', 'constructor'), lists);
const randomFile = fc.record({ object_types: types, properties: laterLists });

test('ids never collide within a type and never change, in whatever order properties come', () => {
  fc.assert(
    fc.property(fc.array(randomFile, { minLength: 1, maxLength: 5 }), (files) => {
      let schema = emptyCustomSchema;
      for (const file of files) {
        const { schema: next, catalog, faults } = applySchema(schema, file);
        for (const type of catalog.objectTypes.values()) {
          const ids = [...type.properties.values()].map((each) => each.id);
          expect(new Set(ids).size).toBe(ids.length);
        }
        if (faults.length > 0) continue;
        for (const [name, list] of propertiesOf(schema)) {
          const later = propertiesOf(next).get(name);
          for (const [each, id] of list) expect(later?.get(each)).toBe(id);
        }
        for (const type of schema.object_types) {
          expect(next.object_types.find((each) => each.name === type.name)?.id).toBe(type.id);
        }
        expect(applySchema(next, file).schema).toEqual(next);
        schema = next;
      }
    }),
    { numRuns: 50 },
  );
});

test('a property that comes under "properties" joins the custom type that declares it', () => {
  const schema = grown(
    vesselFile,
    { properties: { vessel: [text('draft')] } },
    { properties: { port: [text('code')] } },
  );
  expect(schema.properties['vessel']).toBeUndefined();
  expect(propertiesOf(schema).get('vessel')?.get('draft')).toBe(1004);
  expect(propertiesOf(schema).get('port')?.get('code')).toBe(1000);
});

test('labels, descriptions, requirement and title may change; what is not mentioned stays', () => {
  const schema = grown(vesselFile, {
    object_types: [
      {
        name: 'vessel',
        label: 'Ship',
        plural_label: 'Ships',
        title_property: 'built',
        properties: [text('imo', { label: 'IMO number', required: false })],
      },
    ],
  });
  const [vessel] = schema.object_types;
  expect(vessel).toMatchObject({
    id: 1000,
    label: 'Ship',
    plural_label: 'Ships',
    kind: 'asset',
    title_property: 'built',
  });
  expect(vessel?.properties.map((each) => each.name)).toEqual(['imo', 'flag', 'aliases', 'built']);
  expect(vessel?.properties[0]).toMatchObject({ label: 'IMO number', required: false, unique: true });
});

test('options are added and relabelled, and none is ever lost', () => {
  const flag = (...values: readonly string[]): SchemaFile => ({
    properties: {
      vessel: [text('flag', { field_type: 'select', options: values.map((value) => ({ value, label: `${value}!` })) })],
    },
  });
  const options = grown(vesselFile, flag('se', 'dk'), flag('dk', 'no')).object_types[0]?.properties[1]?.options;
  expect(options).toEqual([
    { value: 'no', label: 'no!' },
    { value: 'se', label: 'se!' },
    { value: 'dk', label: 'dk!' },
  ]);
});

test('a property never gets more than 500 options, not even over several files', () => {
  const options = (first: number, count: number): SchemaFile => ({
    properties: {
      svc_deal: [
        text('route', {
          field_type: 'select',
          options: Array.from({ length: count }, (_, index) => ({ value: `r${first + index}`, label: 'Route' })),
        }),
      ],
    },
  });
  const full = grown(options(0, 300), options(300, 200));
  expect(full.properties['svc_deal']?.[0]?.options).toHaveLength(500);
  expect(pointers(full, options(0, 500))).toEqual([]);
  expect(pointers(full, options(500, 1))).toEqual(['/properties/svc_deal/0/options']);
});

test.each([
  ['field_type', { field_type: 'number' }],
  ['multi_valued', { multi_valued: true }],
  ['unique', { unique: false }],
] as const)('the %s of a property cannot change', (member, change) => {
  const file = { object_types: [{ name: 'vessel', label: 'Vessel', properties: [text('imo', change)] }] };
  expect(pointers(vessels, file)).toEqual([`/object_types/0/properties/0/${member}`]);
  expect(pointers(vessels, { properties: { vessel: [text('imo', change)] } })).toEqual([
    `/properties/vessel/0/${member}`,
  ]);
});

test('a property that is not multi-valued or unique may say so again', () => {
  expect(
    pointers(vessels, { properties: { vessel: [text('built', { multi_valued: false, unique: false })] } }),
  ).toEqual([]);
  expect(pointers(vessels, { properties: { vessel: [text('built', { unique: true })] } })).toHaveLength(1);
  expect(pointers(vessels, { properties: { svc_contact: [text('tier', { multi_valued: true })] } })).toHaveLength(1);
});

test('the kind of a type cannot change, and cannot be added later', () => {
  const kind = (name: string, value: string) =>
    pointers(vessels, { object_types: [{ name, label: 'A', kind: value, properties: [] }] });
  expect(kind('vessel', 'asset')).toEqual([]);
  expect(kind('vessel', 'person')).toEqual(['/object_types/0/kind']);
  expect(kind('port', 'asset')).toEqual(['/object_types/0/kind']);
});

test.each([
  ['source', { source: { kind: 'organization' } }],
  ['source', { source: 'svc_contact' }],
  ['target', { target: 'port' }],
  ['cardinality', { cardinality: 'many_to_one' }],
] as const)('the %s of an association type cannot change', (member, change) => {
  const owns: AssociationTypeDeclaration = {
    name: 'owns',
    source: { kind: 'person' },
    target: 'vessel',
    cardinality: 'many_to_many',
  };
  expect(pointers(vessels, { association_types: [owns] })).toEqual([]);
  expect(pointers(vessels, { association_types: [{ ...owns, ...change }] })).toEqual([
    `/association_types/0/${member}`,
  ]);
});

test('an association type neither becomes a stage nor ceases to be one, but its label may change', () => {
  const inPort: AssociationTypeDeclaration = {
    name: 'in_port',
    label: 'Lies in',
    source: 'vessel',
    target: 'port',
    cardinality: 'many_to_one',
    stage: true,
  };
  expect(grown(vesselFile, { association_types: [inPort] }).association_types[1]).toMatchObject({
    label: 'Lies in',
    id: 1001,
  });
  expect(pointers(vessels, { association_types: [{ ...inPort, stage: false }] })).toEqual([
    '/association_types/0/stage',
  ]);
  const plain = grown(vesselFile, { association_types: [{ ...inPort, name: 'calls_at', stage: false }] });
  expect(pointers(plain, { association_types: [{ ...inPort, name: 'calls_at' }] })).toEqual([
    '/association_types/0/stage',
  ]);
});

/** Type → property → id, wherever the schema has it. */
function propertiesOf(schema: CustomSchema): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const lists = [
    ...schema.object_types.map((type) => [type.name, type.properties] as const),
    ...Object.entries(schema.properties),
  ];
  return new Map(lists.map(([name, list]) => [name, new Map(list.map((each) => [each.name, each.id]))]));
}

test('kinds with so many types that their pairs could not be served are refused before they are expanded', () => {
  const object_types = Array.from({ length: 150 }, (_, index) => ({
    name: `thing_${index}`,
    label: 'Thing',
    kind: 'thing',
    properties: [],
  }));
  const ends = { source: { kind: 'thing' }, target: { kind: 'thing' }, cardinality: 'many_to_many' as const };
  const { faults } = applySchema(emptyCustomSchema, { object_types, association_types: [{ name: 'near', ...ends }] });
  expect(faults).toEqual([expect.objectContaining({ pointer: '/association_types' })]);
});
