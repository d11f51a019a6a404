// An org's additions to the built-in vocabulary: object types, properties, labels and association types, in the form of
// the schema file (contract 12). They are stored as one document, with the numbers that tables use, and changed by
// `apply-schema`. This file declares their shape and not how they may change.
import { type Static, Type } from 'typebox';
import { bounds, limits } from '../../base/limits.ts';
import { type Shape, shape } from '../../base/shape.ts';
import { fieldTypes } from '../fields/all.ts';
import { storablePattern } from '../fields/rules/texts.ts';

/** Custom names: no capitals, no leading digit, and not the prefix of built-in names. */
const customNamePattern = '^(?!svc_)[a-z][a-z0-9_]{0,62}$';

const Label = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: storablePattern,
  description: 'a text of 1 to 128 characters',
});
const Name = Type.String({
  pattern: customNamePattern,
  description:
    'a name of 1 to 63 lower-case letters, digits and underscores that begins with a letter, but not with svc_',
});
const AnyName = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  description: 'a name of 1 to 63 lower-case letters, digits and underscores',
});
const Description = Type.String({
  maxLength: 1_024,
  pattern: storablePattern,
  description: 'a text of at most 1,024 characters',
});
const strict = { additionalProperties: false } as const;

const Option = Type.Object({ value: Label, label: Label }, strict);

const Property = Type.Object(
  {
    name: Name,
    label: Label,
    description: Type.Optional(Description),
    field_type: Type.Enum([...fieldTypes.keys()]),
    multi_valued: Type.Optional(Type.Boolean()),
    required: Type.Optional(Type.Boolean()),
    unique: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Array(Option, { minItems: 1, maxItems: bounds.schema.optionsPerProperty })),
  },
  strict,
);

const ObjectTypeDeclaration = Type.Object(
  {
    name: Name,
    label: Label,
    plural_label: Type.Optional(Label),
    description: Type.Optional(Description),
    kind: Type.Optional(AnyName),
    title_property: Type.Optional(AnyName),
    properties: Type.Array(Property, { maxItems: limits.propertiesPerType }),
  },
  strict,
);

const TypeLabels = Type.Object(
  {
    label: Type.Optional(Label),
    plural_label: Type.Optional(Label),
    properties: Type.Optional(Type.Record(AnyName, Label, { additionalProperties: false })),
  },
  strict,
);

const End = Type.Union([AnyName, Type.Object({ kind: AnyName }, strict)]);

const AssociationType = Type.Object(
  {
    name: Name,
    label: Type.Optional(Label),
    source: End,
    target: End,
    cardinality: Type.Enum(['many_to_many', 'many_to_one']),
    stage: Type.Optional(Type.Boolean()),
  },
  strict,
);

const SchemaFile = Type.Object(
  {
    object_types: Type.Optional(Type.Array(ObjectTypeDeclaration, { maxItems: bounds.schema.objectTypesPerOrg })),
    properties: Type.Optional(
      Type.Record(AnyName, Type.Array(Property, { maxItems: limits.propertiesPerType }), strict),
    ),
    labels: Type.Optional(Type.Record(AnyName, TypeLabels, strict)),
    association_types: Type.Optional(Type.Array(AssociationType, { maxItems: bounds.schema.associationTypesPerOrg })),
  },
  strict,
);

export type SchemaFile = Static<typeof SchemaFile>;
export type PropertyDeclaration = Static<typeof Property>;
export type ObjectTypeDeclaration = Static<typeof ObjectTypeDeclaration>;
export type AssociationTypeDeclaration = Static<typeof AssociationType>;
export type EndDeclaration = Static<typeof End>;

export const schemaFileShape: Shape<SchemaFile> = shape(SchemaFile);

/** As stored: the same declarations with the numbers that tables contain. A number never changes. */
export type StoredProperty = PropertyDeclaration & { readonly id: number };
export interface CustomSchema {
  readonly object_types: readonly (Omit<ObjectTypeDeclaration, 'properties'> & {
    readonly id: number;
    readonly properties: readonly StoredProperty[];
  })[];
  readonly properties: Readonly<Record<string, readonly StoredProperty[]>>;
  readonly labels: NonNullable<SchemaFile['labels']>;
  readonly association_types: readonly (AssociationTypeDeclaration & { readonly id: number })[];
}

export const emptyCustomSchema: CustomSchema = { object_types: [], properties: {}, labels: {}, association_types: [] };
