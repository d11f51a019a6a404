// Errors of a schema file that its shape does not show: names that refer to nothing, options, stages, limits.
import { expect, test } from 'vitest';
import { fieldTypes } from '../fields/all.ts';
import { applySchema } from './apply-schema.ts';
import {
  type AssociationTypeDeclaration,
  type CustomSchema,
  emptyCustomSchema,
  type ObjectTypeDeclaration,
  type PropertyDeclaration,
  type SchemaFile,
  schemaFileShape,
} from './custom-schema.ts';

/** `pointer` and `nearest` of every error. The file has the right shape, so nothing else refuses it. */
function faultsOf(file: SchemaFile, current: CustomSchema = emptyCustomSchema) {
  expect(schemaFileShape.check(file)).toEqual([]);
  return applySchema(current, file).faults.map((fault) => {
    expect(fault.reason).toBe('invalid_member');
    expect(fault.detail).toMatch(/^\S.*\.$/);
    return [fault.pointer ?? '', ...(fault.nearest === undefined ? [] : [fault.nearest])];
  });
}

function type(name: string, more: Partial<ObjectTypeDeclaration> = {}): ObjectTypeDeclaration {
  return { name, label: 'A type', properties: [], ...more };
}

function property(name: string, more: Partial<PropertyDeclaration> = {}): PropertyDeclaration {
  return { name, label: 'A property', field_type: 'text', ...more };
}

function link(name: string, more: Partial<AssociationTypeDeclaration> = {}): AssociationTypeDeclaration {
  return { name, source: 'svc_deal', target: 'svc_company', cardinality: 'many_to_many', ...more };
}

const options = [{ value: 'a', label: 'A' }];

test('an unknown type is named with the nearest one, in any place', () => {
  expect(
    faultsOf({
      properties: { svc_contacts: [property('tier')] },
      labels: { svc_dael: { label: 'Deal' }, something_quite_different: {} },
      association_types: [link('a', { source: 'svc_compny', target: 'vesel' }), link('b')],
      object_types: [type('vessel')],
    }),
  ).toEqual([
    ['/properties/svc_contacts', 'svc_contact'],
    ['/labels/svc_dael', 'svc_deal'],
    ['/labels/something_quite_different'],
    ['/association_types/0/source', 'svc_company'],
    ['/association_types/0/target', 'vessel'],
  ]);
});

test('a type of the same file is known, whatever the order', () => {
  expect(
    faultsOf({
      association_types: [link('owned_by', { source: 'vessel', target: { kind: 'asset' } })],
      labels: { vessel: { label: 'Ship', properties: { imo: 'IMO', hull: 'Hull' } } },
      properties: { vessel: [property('hull')] },
      object_types: [type('vessel', { kind: 'asset', properties: [property('imo')], title_property: 'hull' })],
    }),
  ).toEqual([]);
});

test('users and the org are not types that a file can name', () => {
  expect(
    faultsOf({
      properties: { svc_user: [property('a')] },
      labels: { svc_org: {} },
      association_types: [link('a', { target: 'svc_user' })],
    }).map(([pointer]) => pointer),
  ).toEqual(['/properties/svc_user', '/labels/svc_org', '/association_types/0/target']);
});

test('an unknown kind is named with the nearest one', () => {
  expect(
    faultsOf({ association_types: [link('a', { source: { kind: 'persons' }, target: { kind: 'svc_deal' } })] }),
  ).toEqual([['/association_types/0/source/kind', 'person'], ['/association_types/0/target/kind']]);
});

test('a title is a single-valued property of the type', () => {
  const title = (title_property: string) =>
    faultsOf({
      object_types: [
        type('vessel', { title_property, properties: [property('imo'), property('aliases', { multi_valued: true })] }),
      ],
    });
  expect(title('imo')).toEqual([]);
  expect(title('svc_created_at')).toEqual([]);
  expect(title('imoo')).toEqual([['/object_types/0/title_property', 'imo']]);
  expect(title('aliases')).toEqual([['/object_types/0/title_property']]);
  expect(title('svc_name')).toEqual([['/object_types/0/title_property']]);
});

test('a labelled property is one that the type has', () => {
  expect(
    faultsOf({
      labels: { svc_deal: { properties: { svc_amout: 'Value', svc_name: 'Name', tier: 'Tier', constructor: 'C' } } },
      properties: { svc_deal: [property('tier')] },
    }),
  ).toEqual([['/labels/svc_deal/properties/svc_amout', 'svc_amount'], ['/labels/svc_deal/properties/constructor']]);
});

test('a select needs options, and no other field type takes any', () => {
  for (const field_type of fieldTypes.keys()) {
    const bare = faultsOf({ properties: { svc_deal: [property('a', { field_type })] } });
    const withOptions = faultsOf({ properties: { svc_deal: [property('a', { field_type, options })] } });
    const fault = [['/properties/svc_deal/0/options']];
    expect(bare, field_type).toEqual(field_type === 'select' ? fault : []);
    expect(withOptions, field_type).toEqual(field_type === 'select' ? [] : fault);
  }
});

test('an option value cannot be repeated', () => {
  const twice = [...options, { value: 'b', label: 'B' }, { value: 'a', label: 'Again' }];
  expect(faultsOf({ properties: { svc_deal: [property('a', { field_type: 'select', options: twice })] } })).toEqual([
    ['/properties/svc_deal/0/options'],
  ]);
});

test('a property whose values cannot be compared cannot be unique', () => {
  const unique = (field_type: string) =>
    faultsOf({ properties: { svc_deal: [property('a', { field_type, unique: true })] } });
  expect(unique('long_text')).toEqual([['/properties/svc_deal/0/unique']]);
  expect(unique('text')).toEqual([]);
  expect(unique('email')).toEqual([]);
});

test('a stage association type is many_to_one', () => {
  const stage = (cardinality: 'many_to_many' | 'many_to_one', value: boolean) =>
    faultsOf({ association_types: [link('a', { cardinality, stage: value })] });
  expect(stage('many_to_one', true)).toEqual([]);
  expect(stage('many_to_many', false)).toEqual([]);
  expect(stage('many_to_many', true)).toEqual([['/association_types/0/cardinality']]);
});

test('a name cannot be repeated in a list', () => {
  expect(
    faultsOf({
      object_types: [type('a', { properties: [property('p'), property('q'), property('p')] }), type('b'), type('a')],
      properties: { svc_deal: [property('p'), property('p')] },
      association_types: [link('l'), link('l')],
    }),
  ).toEqual([
    ['/object_types/2/name'],
    ['/object_types/0/properties/2/name'],
    ['/properties/svc_deal/1/name'],
    ['/association_types/1/name'],
  ]);
});

test('all faults of a file, of every kind, are reported together', () => {
  const current = applySchema(emptyCustomSchema, { properties: { svc_deal: [property('tier')] } }).schema;
  expect(
    faultsOf(
      {
        object_types: [
          type('a', { title_property: 'nothing_here', properties: [property('s', { field_type: 'select' })] }),
        ],
        properties: { svc_deal: [property('tier', { field_type: 'number', options })], svc_deals: [] },
        labels: { svc_note: { properties: { svc_titel: 'T' } } },
        association_types: [link('l', { source: { kind: 'persn' }, target: 'svc_nothing_of_ours', stage: true })],
      },
      current,
    )
      .map(([pointer = '']) => pointer)
      .toSorted(),
  ).toEqual(
    [
      '/object_types/0/properties/0/options',
      '/object_types/0/title_property',
      '/properties/svc_deal/0/options',
      '/properties/svc_deal/0/field_type',
      '/properties/svc_deals',
      '/labels/svc_note/properties/svc_titel',
      '/association_types/0/source/kind',
      '/association_types/0/target',
      '/association_types/0/cardinality',
    ].toSorted(),
  );
});

const many = <T>(count: number, make: (name: string) => T, prefix = 'n') =>
  Array.from({ length: count }, (_, index) => make(`${prefix}${index}`));

test('a type has at most 500 properties, those of the service among them, over all files', () => {
  // Every type has two dates; a deal has four more of its own.
  expect(faultsOf({ object_types: [type('vessel', { properties: many(498, property) })] })).toEqual([]);
  expect(faultsOf({ object_types: [type('vessel', { properties: many(499, property) })] })).toEqual([['']]);
  const deal = (count: number, prefix: string): SchemaFile => ({
    properties: { svc_deal: many(count, property, prefix) },
  });
  const current = applySchema(emptyCustomSchema, deal(400, 'a')).schema;
  expect(faultsOf(deal(94, 'b'), current)).toEqual([]);
  expect(faultsOf(deal(95, 'b'), current)).toEqual([['']]);
});

test('an org has at most 200 custom types, over all files', () => {
  const current = applySchema(emptyCustomSchema, { object_types: many(150, type) }).schema;
  expect(faultsOf({ object_types: many(50, type, 'm') }, current)).toEqual([]);
  expect(faultsOf({ object_types: many(51, type, 'm') }, current)).toEqual([['/object_types']]);
  expect(schemaFileShape.check({ object_types: many(201, type) })).toHaveLength(1);
});

test('an org has at most 500 custom association types, over all files', () => {
  const current = applySchema(emptyCustomSchema, { association_types: many(400, link) }).schema;
  expect(faultsOf({ association_types: many(100, link, 'm') }, current)).toEqual([]);
  expect(faultsOf({ association_types: many(101, link, 'm') }, current)).toEqual([['/association_types']]);
  expect(schemaFileShape.check({ association_types: many(501, link) })).toHaveLength(1);
});
