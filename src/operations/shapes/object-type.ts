// An object type and its properties on the wire: their shapes, and how those of the narrowed catalog are written. A shape
// with an `$id` becomes a component of the OpenAPI document.
import { Type } from 'typebox';
import { categories, type ObjectType, type Property, writeOperations } from '../../schema/object-type.ts';

const OptionShape = Type.Object(
  {
    value: Type.String({ description: 'The value that is sent and stored.' }),
    label: Type.String({ description: 'The text that people see.' }),
  },
  { $id: 'Option' },
);

const PropertyShape = Type.Object(
  {
    name: Type.String({ description: 'The name in requests and records.' }),
    label: Type.String({ description: 'The name that people see; an org can change it.' }),
    description: Type.String(),
    field_type: Type.String({ description: 'The name of a field type in `GET /field_types/`.' }),
    multi_valued: Type.Boolean({ description: 'Whether a value is an array of values of the field type.' }),
    read_only: Type.Boolean({ description: 'Whether only the service sets it.' }),
    required: Type.Boolean({ description: 'Whether every record must have a value.' }),
    unique: Type.Boolean({ description: 'Whether no two records of the type can have the same value.' }),
    options: Type.Optional(Type.Array(OptionShape, { description: 'The options of a select, in order.' })),
    custom: Type.Boolean({ description: 'Whether the org added it.' }),
  },
  { $id: 'Property' },
);

const objectTypeMembers = {
  name: Type.String({ description: 'The name in paths and requests.' }),
  label: Type.String({ description: 'The name that people see for one record of the type; an org can change it.' }),
  plural_label: Type.String({ description: 'The name that people see for several records of the type.' }),
  description: Type.String(),
  category: Type.Enum([...categories], { description: 'Where its records come from, and what they are for.' }),
  kind: Type.Union([Type.String(), Type.Null()], {
    description:
      'The group of types that it belongs to, such as `person`. Association types can be defined for a group.',
  }),
  writable_operations: Type.Array(Type.Enum([...writeOperations]), {
    description: "The operations that the type and the key's grants allow on its records.",
  }),
  title_property: Type.Union([Type.String(), Type.Null()], {
    description: 'The property that is shown as the title of a record.',
  }),
  unique_properties: Type.Array(Type.String(), { description: 'The properties that an upsert can match by.' }),
};

export const ObjectTypeShape = Type.Object(objectTypeMembers, { $id: 'ObjectType' });
export const ObjectTypeDetailShape = Type.Object(
  {
    ...objectTypeMembers,
    properties: Type.Array(PropertyShape, { description: 'The properties that the key can see.' }),
  },
  { $id: 'ObjectTypeDetail' },
);

export function objectTypeBody(type: ObjectType) {
  return {
    name: type.name,
    label: type.label,
    plural_label: type.pluralLabel,
    description: type.description,
    category: type.category,
    kind: type.kind,
    writable_operations: type.writableOperations,
    title_property: type.titleProperty,
    unique_properties: [...type.properties.values()].filter((each) => each.unique).map((each) => each.name),
  };
}

export function propertyBody(property: Property) {
  return {
    name: property.name,
    label: property.label,
    description: property.description,
    field_type: property.fieldType.name,
    multi_valued: property.multiValued,
    read_only: property.readOnly,
    required: property.required,
    unique: property.unique,
    ...(property.options.length > 0 ? { options: property.options } : {}),
    custom: property.custom,
  };
}
