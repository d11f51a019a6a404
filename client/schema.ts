// The types of an org's schema: what `orrery types` prints fits `SchemaShape`, and everything that a call takes or gives
// follows from it. Without a printed schema `AnySchema` stands in: any name, any value.
import type { WriteOperation } from './wire.ts';

export interface Currency {
  /** A number as text, such as "12.50". */
  readonly amount: string;
  /** ISO 4217, such as "EUR". */
  readonly unit: string;
}

export interface Phone {
  /** ISO 3166-1, such as "DE". */
  readonly country_code: string;
  readonly national_number: string;
}

/** What a property can hold, whatever its field type. */
export type Value = SingleValue | readonly SingleValue[];
type SingleValue = string | boolean | Currency | Phone;

/** What is known of one object type. */
export interface TypeShape {
  /** The properties that can be written. */
  readonly settable: object;
  /** The properties that the service keeps. */
  readonly readOnly: object;
  /** The names of those that a new record must have. */
  readonly required: string;
  /** The names of those that an upsert can match by. */
  readonly unique: string;
  readonly writable: WriteOperation;
  /** The association types that begin here, each with the types that it leads to. */
  readonly outgoing: object;
  /** Those that end here, each with the types that it comes from. */
  readonly incoming: object;
}

export type SchemaShape<S> = { readonly [T in keyof S]: TypeShape };

/** The schema of those who have none: names and values are checked by the service alone. */
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

/** The values that a record has: an unset property is absent. */
export type Values<S extends SchemaShape<S>, T extends keyof S> = {
  readonly [P in keyof Stored<S, T>]?: Stored<S, T>[P];
};

/** What an operation takes on types whose nature allows it; on others there is no value for it. */
export type Allowed<
  S extends SchemaShape<S>,
  T extends keyof S,
  O extends WriteOperation,
  V,
> = O extends S[T]['writable'] ? V : never;

/** What an update takes: absent leaves a property as it is, null clears it. */
export type Changes<S extends SchemaShape<S>, T extends keyof S> = Allowed<S, T, 'update', Settable<S, T>>;

/** What a new record takes. */
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

/** The association types by which records of the type are linked: a link is written from its source. */
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

export interface RecordOf<S extends SchemaShape<S>, T extends keyof S> {
  readonly id: string;
  readonly object_type: T & string;
  /** Grows by one with each write; also what `ifMatch` takes. */
  readonly version: string;
  readonly properties: Values<S, T>;
  /** What `include` asked for. */
  readonly associations?: {
    readonly [A in AssociationName<S, T>]?: {
      readonly items: readonly OtherEnd<S, Ends<S, T, A>>[];
      /** Goes on with `listAssociated`; null when all are here. */
      readonly next_cursor: string | null;
    };
  };
}

/** The record at the other end of a link; of a user or an org only the title is known. */
export type OtherEnd<S extends SchemaShape<S>, N> = N extends string
  ? string extends N
    ? LooseEnd
    : N extends keyof S
      ? Omit<RecordOf<S, N>, 'associations'> & { readonly associated_at: string }
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

/** A link that is made with its record. */
export interface Link<S extends SchemaShape<S>, T extends keyof S, Id = string> {
  readonly association_type: LinkName<S, T>;
  readonly target_id: Id;
}
