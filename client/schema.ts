// The types of an org's schema. The output of `orrery types` has the form of `SchemaShape`, from which the types of all
// arguments and results follow. Without it, `AnySchema` accepts any name and any value.
import type { AggregationFunction, FieldType, Granularity, Operator, WriteOperation } from './wire.ts';

export interface Currency {
  /** A number as a string, such as "12.50". */
  readonly amount: string;
  /** ISO 4217, such as "EUR". */
  readonly unit: string;
}

export interface Phone {
  /** ISO 3166-1, such as "DE". */
  readonly country_code: string;
  readonly national_number: string;
}

/** The value of a property of any field type. */
export type Value = SingleValue | readonly SingleValue[];
type SingleValue = string | boolean | Currency | Phone;

/** What can be asked of the values of a property: what its field type answers in `GET /field_types/`. */
export interface FieldShape extends Pick<FieldType, 'sortable' | 'groupable'> {
  readonly filter_operators: Operator;
  readonly aggregations: AggregationFunction;
  /** `never` for what is not grouped by time. */
  readonly granularities: Granularity;
}

/** The schema of one object type. */
export interface TypeShape {
  /** The writable properties. */
  readonly settable: object;
  /** The properties that only the service writes. */
  readonly readOnly: object;
  /** The field type of each property. Without one, anything may be asked of its values, and the service checks it. */
  readonly fieldTypes?: object;
  /** The names of the properties that a new record must have. */
  readonly required: string;
  /** The names of the properties that an upsert can match by. */
  readonly unique: string;
  readonly writable: WriteOperation;
  /** The association types of which this type is the source, each with its target types. */
  readonly outgoing: object;
  /** The association types of which this type is a target, each with its source types. */
  readonly incoming: object;
}

export type SchemaShape<S> = { readonly [T in keyof S]: TypeShape };

/** The schema of a client without printed types: only the service checks names and values. */
export interface AnySchema {
  readonly [objectType: string]: {
    readonly settable: Readonly<Record<string, Value>>;
    readonly readOnly: Readonly<Record<string, Value>>;
    readonly required: never;
    readonly unique: string;
    readonly writable: WriteOperation;
    readonly outgoing: Readonly<Record<string, string>>;
    readonly incoming: Readonly<Record<string, string>>;
  };
}

export type TypeName<S> = keyof S & string;

/** All properties of a type, each with the type of its value. */
export type Stored<S extends SchemaShape<S>, T extends keyof S> = S[T]['settable'] & S[T]['readOnly'];
export type PropertyName<S extends SchemaShape<S>, T extends keyof S> = keyof Stored<S, T> & string;

/** What can be asked of the values of a property; everything, if the schema does not have its field type. */
export type FieldOf<S extends SchemaShape<S>, T extends keyof S, P> = S[T] extends {
  readonly fieldTypes: { readonly [N in P & string]: infer F extends FieldShape };
}
  ? F
  : FieldShape;

/** The values of a record. An unset property is absent. */
export type Values<S extends SchemaShape<S>, T extends keyof S> = {
  readonly [P in keyof Stored<S, T>]?: Stored<S, T>[P];
};

/** An argument of a write operation, or `never` if the object type does not support the operation. */
export type Allowed<
  S extends SchemaShape<S>,
  T extends keyof S,
  O extends WriteOperation,
  V,
> = O extends S[T]['writable'] ? V : never;

/** The values of an update: an absent property stays unchanged, null clears it. */
export type Changes<S extends SchemaShape<S>, T extends keyof S> = Allowed<S, T, 'update', Settable<S, T>>;

/** The values of a new record. */
export type NewValues<S extends SchemaShape<S>, T extends keyof S> = Allowed<
  S,
  T,
  'create',
  Settable<S, T> & { readonly [P in S[T]['required'] & keyof S[T]['settable']]: S[T]['settable'][P] }
>;

type Settable<S extends SchemaShape<S>, T extends keyof S> = {
  readonly [P in keyof S[T]['settable']]?:
    | S[T]['settable'][P]
    | (P extends S[T]['required'] ? never : null)
    | undefined;
};

export type AssociationName<S extends SchemaShape<S>, T extends keyof S> = keyof (S[T]['outgoing'] & S[T]['incoming']) &
  string;

/** The association types that can be written from this type, which is their source. */
export type LinkName<S extends SchemaShape<S>, T extends keyof S> = Allowed<
  S,
  T,
  'associate',
  keyof S[T]['outgoing'] & string
>;

/** The names of the types at the other end of an association type. */
export type Ends<S extends SchemaShape<S>, T extends keyof S, A extends string> =
  | (A extends keyof S[T]['outgoing'] ? S[T]['outgoing'][A] : never)
  | (A extends keyof S[T]['incoming'] ? S[T]['incoming'][A] : never);

/** The id of a record in another system, such as the one that it was imported from. */
export interface ExternalId {
  readonly source: string;
  readonly id: string;
}

export interface RecordOf<S extends SchemaShape<S>, T extends keyof S> {
  readonly id: string;
  readonly object_type: T & string;
  /** Grows by one with each write. Pass it as `ifMatch`. */
  readonly version: string;
  readonly properties: Values<S, T>;
  /** The ids in other systems, requested with `includeExternalIds`. */
  readonly external_ids?: readonly ExternalId[];
  /** The records requested with `include`. */
  readonly associations?: {
    readonly [A in AssociationName<S, T>]?: {
      readonly items: readonly OtherEnd<S, Ends<S, T, A>>[];
      /** Pass it to `listAssociated` for the rest; null if these are all. */
      readonly next_cursor: string | null;
    };
  };
}

/** The record at the other end of a link. A user or an org has only a title. */
export type OtherEnd<S extends SchemaShape<S>, N> = N extends string
  ? string extends N
    ? LooseEnd
    : N extends keyof S
      ? Omit<RecordOf<S, N>, 'associations' | 'external_ids'> & { readonly associated_at: string }
      : { readonly id: string; readonly object_type: N; readonly title: string; readonly associated_at: string }
  : never;

interface LooseEnd {
  readonly id: string;
  readonly object_type: string;
  readonly version?: string;
  readonly properties?: Values<AnySchema, string>;
  readonly title?: string;
  readonly associated_at: string;
}

/** A link to create together with its record. */
export interface Link<S extends SchemaShape<S>, T extends keyof S, Id = string> {
  readonly association_type: LinkName<S, T>;
  readonly target_id: Id;
}
