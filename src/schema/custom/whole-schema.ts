// The whole schema of an org as a file: the declarations with their numbers and records, and what is in the trash. It is written
// when an org is exported, and checked when one is brought in: what is live by the rules of a schema file, and that all numbers
// and members of values are distinct. This file does not know the records of definitions.
import { Type } from 'typebox';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import { type Shape, shape } from '../../base/shape.ts';
import { fieldTypes } from '../fields/all.ts';
import { firstCustomId } from '../object-type.ts';
import { applyFile } from './apply-file.ts';
import {
  type CustomSchema,
  declarations,
  emptyCustomSchema,
  type StoredAssociationType,
  type StoredProperty,
  type StoredType,
} from './custom-schema.ts';

const { AnyName, AssociationType, Description, Label, ObjectTypeDeclaration, TypeLabels } = declarations;
const strict = { additionalProperties: false } as const;
const stored = {
  id: Type.Integer({ minimum: firstCustomId, maximum: 2_000_000_000, description: 'a number from 1000' }),
  record: Type.String({ minLength: 36, maxLength: 36 }),
};
const Position = Type.Optional(Type.String({ maxLength: 64 }));
const Option = Type.Object({ value: Label, label: Label, record: stored.record, position: Position }, strict);
const Property = Type.Object(
  {
    ...declarations.Property.properties,
    ...stored,
    key: Type.Optional(Type.String({ pattern: '^~[0-9]{4,10}$', description: 'a key such as ~1005' })),
    position: Position,
    options: Type.Optional(Type.Array(Option, { maxItems: bounds.schema.optionsPerProperty })),
    removed: Type.Optional(Type.Literal(true)),
    purging: Type.Optional(Type.Literal(true)),
  },
  strict,
);
const ObjectType = Type.Object(
  {
    ...ObjectTypeDeclaration.properties,
    ...stored,
    properties: Type.Array(Property, { maxItems: 10_000 }),
    removed: Type.Optional(Type.Literal(true)),
  },
  strict,
);
const Association = Type.Object(
  { ...AssociationType.properties, ...stored, removed: Type.Optional(Type.Integer({ minimum: 0 })) },
  strict,
);
const LabelsOfValues = Type.Record(Type.String(), Label);
const Labels = Type.Object(
  {
    ...TypeLabels.properties,
    description: Type.Optional(Description),
    descriptions: Type.Optional(Type.Record(AnyName, Description)),
    options: Type.Optional(Type.Record(AnyName, LabelsOfValues)),
  },
  strict,
);
const WholeSchema = Type.Object(
  {
    object_types: Type.Array(ObjectType),
    properties: Type.Record(AnyName, Type.Array(Property, { maxItems: 10_000 })),
    labels: Type.Record(AnyName, Labels),
    association_types: Type.Array(Association),
    association_labels: Type.Optional(Type.Record(AnyName, Label)),
    last_id: Type.Optional(stored.id),
    recorded: Type.String({ minLength: 1, maxLength: 64 }),
  },
  strict,
);
const wholeShape = shape(WholeSchema) as unknown as Shape<CustomSchema>;

/** The schema without the columns of facts, which are given anew wherever it comes. */
export function withoutColumns(schema: CustomSchema): CustomSchema {
  const bare = ({ slot: _, ...property }: StoredProperty): StoredProperty => property;
  return {
    ...schema,
    object_types: schema.object_types.map((type) => ({ ...type, properties: type.properties.map(bare) })),
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, list]) => [name, list.map(bare)])),
    association_types: schema.association_types.map(({ columns: _, ...association }) => association),
  };
}

/** The schema in a file, or why it is none. */
export function readWholeSchema(
  value: unknown,
): { readonly schema: CustomSchema } | { readonly faults: readonly Fault[] } {
  if (!wholeShape.admits(value)) return { faults: wholeShape.check(value) };
  const faults = [...numberFaults(value), ...keyFaults(value), ...liveFaults(value)];
  return faults.length === 0 ? { schema: value } : { faults };
}

function fault(detail: string): Fault {
  return { pointer: '', reason: 'invalid_member', detail };
}

/** Numbers are given once in an org, whatever they are given to, and so are records. */
function numberFaults({ object_types, properties, association_types, last_id }: CustomSchema): readonly Fault[] {
  const types: readonly StoredType[] = object_types;
  const lists = [...types.map((type) => type.properties), ...Object.values(properties)];
  const all = [...types, ...association_types, ...lists.flat()];
  const options = lists.flat().flatMap((property) => property.options ?? []);
  const ids = all.map(({ id }) => id);
  const records = [...all, ...options].map(({ record }) => record);
  const typeIds = new Set(types.map(({ id }) => id));
  return [
    ...(new Set(ids).size === ids.length ? [] : [fault('Two declarations have the same id.')]),
    ...(new Set(records).size === records.length ? [] : [fault('Two declarations have the same record.')]),
    ...(ids.every((id) => id <= (last_id ?? id)) ? [] : [fault('last_id is smaller than an id.')]),
    ...association_types
      .filter(({ removed = 0 }) => removed !== 0 && !typeIds.has(removed))
      .map(({ name }) => fault(`The association type ${name} was removed with a type that is not there.`)),
  ];
}

/** Values are stored by keys, so those of a type must be distinct, what is in the trash included. */
function keyFaults({ object_types, properties }: CustomSchema): readonly Fault[] {
  const lists = [...object_types.map((type) => [type.name, type.properties] as const), ...Object.entries(properties)];
  return lists.flatMap(([typeName, list]) => {
    const keys = list.map(({ key, name }) => key ?? name);
    return new Set(keys).size === keys.length ? [] : [fault(`Two properties of ${typeName} have the same key.`)];
  });
}

/** What is live must be what a schema file could declare. */
function liveFaults(schema: CustomSchema): readonly Fault[] {
  const types = schema.object_types.filter(({ removed }) => removed === undefined);
  const labels = Object.entries(schema.labels).map(([name, { label, plural_label, properties }]) => [
    name,
    withoutUndefined({ label, plural_label, properties }),
  ]);
  const file = {
    object_types: types.map(declaredType),
    properties: Object.fromEntries(
      Object.entries(schema.properties)
        .map(([name, list]) => [name, list.flatMap(declaredProperty)] as const)
        .filter(([, list]) => list.length > 0),
    ),
    labels: Object.fromEntries(labels) as object,
    association_types: schema.association_types.flatMap(declaredAssociation),
  };
  return applyFile(emptyCustomSchema, file).faults;
}

function declaredType({ id: _, record: _record, removed: _removed, ...type }: StoredType) {
  const properties = type.properties.flatMap(declaredProperty);
  // The title property may be in the trash.
  const isRemoved = type.properties.some(({ name, removed }) => name === type.title_property && removed !== undefined);
  const { title_property, ...untitled } = type;
  return { ...(isRemoved || title_property === undefined ? untitled : type), properties };
}

function declaredProperty(property: StoredProperty): readonly object[] {
  const {
    id: _,
    record: _record,
    key: _key,
    position: _position,
    slot: _slot,
    removed,
    options = [],
    ...rest
  } = property;
  if (removed !== undefined) return [];
  const own = options.map(({ value, label }) => ({ value, label }));
  if (own.length > 0) return [{ ...rest, options: own }];
  // All options of a select may have been deleted, which no file could declare.
  const isSelect = fieldTypes.get(rest.field_type)?.sortedByOptions === true;
  return [isSelect ? { ...rest, options: [{ value: '-', label: '-' }] } : rest];
}

function declaredAssociation(association: StoredAssociationType): readonly object[] {
  const { id: _, record: _record, columns: _columns, removed, ...rest } = association;
  return removed === undefined ? [rest] : [];
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
