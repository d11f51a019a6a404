// Wire shapes that more than one operation, or the OpenAPI printer, uses. A shape with an `$id` becomes a component.
import { Type } from 'typebox';
import { grantOperations } from '../../access/grant.ts';
import { categories, writeOperations } from '../../schema/object-type.ts';
import type { Parameter } from '../request/parameter.ts';

export const GrantShape = Type.Object(
  {
    object_types: Type.Array(Type.String(), { description: 'Names of object types, or "*" for all of them.' }),
    operations: Type.Array(Type.Enum([...grantOperations]), { description: 'What the key may do with them.' }),
  },
  { $id: 'Grant' },
);

export const OptionShape = Type.Object(
  {
    value: Type.String({ description: 'What is sent and stored.' }),
    label: Type.String({ description: 'What people read.' }),
  },
  { $id: 'Option' },
);

export const PropertyShape = Type.Object(
  {
    name: Type.String({ description: 'What requests and records call it.' }),
    label: Type.String({ description: 'What people read; an org may change it.' }),
    description: Type.String(),
    field_type: Type.String({ description: 'A name of `GET /field_types/`.' }),
    multi_valued: Type.Boolean({ description: 'Whether a value is an array of values of the field type.' }),
    read_only: Type.Boolean({ description: 'Whether the service keeps it by itself.' }),
    required: Type.Boolean({ description: 'Whether every record must have a value.' }),
    unique: Type.Boolean({ description: 'Whether no two records of the type hold the same value.' }),
    options: Type.Optional(Type.Array(OptionShape, { description: 'The choices of a select, in their order.' })),
    custom: Type.Boolean({ description: 'Whether the org added it.' }),
  },
  { $id: 'Property' },
);

const objectTypeMembers = {
  name: Type.String({ description: 'What paths and requests call it.' }),
  label: Type.String({ description: 'What people call one of its records; an org may change it.' }),
  plural_label: Type.String({ description: 'What people call several of them.' }),
  description: Type.String(),
  category: Type.Enum([...categories], { description: 'Where its records come from, and what they are for.' }),
  kind: Type.Union([Type.String(), Type.Null()], {
    description:
      'The group of types that it belongs to, such as `person`: association types can be defined for a group.',
  }),
  writable_operations: Type.Array(Type.Enum([...writeOperations]), {
    description: "What this key may do to the type's records, by the type's nature and by the key's grants.",
  }),
  title_property: Type.Union([Type.String(), Type.Null()], {
    description: 'The property that stands for a record where only a title is shown.',
  }),
  unique_properties: Type.Array(Type.String(), { description: 'What an upsert can match by.' }),
};

export const ObjectTypeShape = Type.Object(objectTypeMembers, { $id: 'ObjectType' });
export const ObjectTypeDetailShape = Type.Object(
  { ...objectTypeMembers, properties: Type.Array(PropertyShape, { description: 'Those that the key can see.' }) },
  { $id: 'ObjectTypeDetail' },
);

export const objectTypeParameter: Parameter = {
  description: 'The name of an object type that the key can see, as `GET /objects/` lists it.',
  schema: Type.String({ minLength: 1, maxLength: 63 }),
};
