// An org's additions to the built-in vocabulary: object types, properties, labels and association types, in the form of
// the schema file (contract 12). They are stored as one document, with the numbers that tables use, and changed by
// `apply-schema`. This file declares their shape and not how they may change.
import { type Static, Type } from 'typebox';
import { bounds, limits } from '../../base/limits.ts';
import { type Shape, shape } from '../../base/shape.ts';
import { fieldTypes } from '../fields/all.ts';
import { storablePattern } from '../fields/rules/texts.ts';
import type { FactColumn, LinkColumn } from '../slots.ts';

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

/** The declarations in it, for what is stored of them. */
export const declarations = {
  AnyName,
  AssociationType,
  Description,
  Label,
  ObjectTypeDeclaration,
  Property,
  TypeLabels,
};

/** The shapes of single values, for definitions that come one by one. */
export const shapes = {
  name: shape(Name),
  anyName: shape(AnyName),
  label: shape(Label),
  description: shape(Description),
};

/**
 * As stored: the same declarations, with what the tables know of them. Their numbers never change, and none is given twice.
 * What is in the trash stays here until it is purged.
 */
interface Stored {
  readonly id: number;
  /** The record that defines it; absent until the definitions of the org are records. */
  readonly record?: string;
}

export type StoredOption = NonNullable<PropertyDeclaration['options']>[number] & {
  readonly record?: string;
  readonly position?: string;
};

export interface StoredProperty extends Omit<PropertyDeclaration, 'options'>, Stored {
  /** The member of records' values, if that is not its name. */
  readonly key?: string;
  readonly position?: string;
  readonly options?: readonly StoredOption[];
  /** The columns of facts that it was given (see `indexing/fact-slots`). */
  readonly slot?: readonly FactColumn[];
  readonly removed?: true;
  /** Its values are being erased, so it cannot come back. */
  readonly purging?: true;
}

export interface StoredType extends Omit<ObjectTypeDeclaration, 'properties'>, Stored {
  readonly properties: readonly StoredProperty[];
  readonly removed?: true;
}

export interface StoredAssociationType extends AssociationTypeDeclaration, Stored {
  /** The columns of facts that it was given, by the names of the types that its links begin at. */
  readonly columns?: Readonly<Record<string, readonly LinkColumn[]>>;
  /** The number of the type with which it went to the trash, or 0 if it went alone. */
  readonly removed?: number;
}

type TypeLabels = Static<typeof TypeLabels>;

/** What an org calls a built-in type, and what belongs to it. */
export interface StoredLabels extends TypeLabels {
  readonly description?: string;
  readonly descriptions?: Readonly<Record<string, string>>;
  /** By property and value. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface CustomSchema {
  readonly object_types: readonly StoredType[];
  /** Additions to built-in types. */
  readonly properties: Readonly<Record<string, readonly StoredProperty[]>>;
  readonly labels: Readonly<Record<string, StoredLabels>>;
  readonly association_types: readonly StoredAssociationType[];
  /** What an org calls built-in association types. */
  readonly association_labels?: Readonly<Record<string, string>>;
  /** The last number that was given to anything; absent in schemas of earlier releases. */
  readonly last_id?: number;
  /** The built-in vocabulary of which every definition is a record, in short; absent until there are such records. */
  readonly recorded?: string;
}

export const emptyCustomSchema: CustomSchema = { object_types: [], properties: {}, labels: {}, association_types: [] };
