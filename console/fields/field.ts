// What the console knows of a field type: how a value is shown, edited and put into words. One file for each field type; lists
// of values, and filters, are made from these by the parts.
import type { ReactNode } from 'react';
import type { FieldType, Property } from '../../client/main.ts';

/** One value, as the API has it. */
export type Single = string | boolean | Readonly<Record<string, string>>;

export interface EditProps {
  readonly id: string;
  readonly value: Single | undefined;
  readonly property: KnownProperty;
  /** Undefined clears it. */
  readonly onChange: (value: Single | undefined) => void;
  readonly label: string;
  readonly invalid: boolean;
  readonly autoFocus?: boolean;
}

export interface Field {
  /** In words, for titles, sorting by eye and reading aloud. */
  readonly text: (value: Single, property: KnownProperty) => string;
  /** In one line; the words by default. */
  readonly Show?: (props: { readonly value: Single; readonly property: KnownProperty }) => ReactNode;
  readonly Edit: (props: EditProps) => ReactNode;
  /** Numbers and amounts stand at the right. */
  readonly align?: 'end';
  /** The width of a column. */
  readonly width: number;
  /** Chosen rather than typed: saved as soon as it is chosen. */
  readonly isChosen?: true;
}

/** What is known of a property, with the field type that it has. */
export interface KnownProperty extends Property {
  readonly type: FieldType;
}

/** The codes that the schema admits, for the whole value or for a member of it. */
export function codesOf({ type }: KnownProperty, member?: string): readonly string[] {
  const { enum: own = [], properties = {} } = type.value_shape as {
    enum?: readonly string[];
    properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
  return member === undefined ? own : (properties[member]?.enum ?? []);
}
