// Object types and their properties, as an org has them. An object type stands in a catalog; the narrowed catalog of a
// caller holds the same shape with fewer types, fewer properties and fewer writable operations.

import type { FieldType, Option } from './field-type.ts';
import type { TypeSelector } from './type-selector.ts';

/** The headings of the specification's 2.3 and 2.4. `platform` is reserved: no type of this release has it. */
export const categories = ['core', 'pipeline', 'synced', 'activity', 'generated', 'platform', 'custom'] as const;
export type Category = (typeof categories)[number];

export const writeOperations = ['create', 'update', 'delete', 'associate'] as const;
export type WriteOperation = (typeof writeOperations)[number];

/** What a type accepts by its nature, whatever a key is granted, and the reason given for a refusal. */
export const natures = {
  open: { accepts: writeOperations, refusal: 'operation_not_granted' },
  synced: { accepts: [], refusal: 'type_is_synced' },
  synced_linkable: { accepts: ['associate'], refusal: 'type_is_synced' },
  generated: { accepts: [], refusal: 'type_is_generated' },
  automatic: { accepts: [], refusal: 'type_is_read_only' },
} as const satisfies Record<string, { accepts: readonly WriteOperation[]; refusal: string }>;
export type Nature = keyof typeof natures;

/** A few built-in properties are `ready` from the start; others become `building`, then `ready`, when they are asked for. */
export type IndexState = 'none' | 'building' | 'ready';

/** A total of a record's open deals (contract 6): of their amounts, or of the amounts weighted with their probability. */
export type DealTotal = 'potential' | 'weighted';

/** The least and the greatest number that a property takes. */
export interface NumberRange {
  readonly least: number;
  readonly greatest: number;
}

export interface Property {
  /** The number that stands for the property in index tables: unique within the type, never reused. */
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly fieldType: FieldType;
  readonly multiValued: boolean;
  readonly readOnly: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  /** Whether an index table has its rows: not at all, those of records written since lately, or those of all. */
  readonly index: IndexState;
  readonly options: readonly Option[];
  readonly custom: boolean;
  /** The types whose records this value is computed from. Without `read` on all of them a key lacks the property. */
  readonly computedFrom: readonly TypeSelector[];
  /** What is computed whenever it is read. Such a value is never stored: no write, no index and no feed has it. */
  readonly computed?: DealTotal;
  /** Bounds of a number that is written. */
  readonly range?: NumberRange;
  /** Whether it comes from a connected system, by ingest, though it is read-only for everybody else. */
  readonly ingested?: true;
}

export interface ObjectType {
  /** The number that stands for the type in every table: built-in below 1000, custom from 1000 within an org. */
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly pluralLabel: string;
  readonly description: string;
  readonly category: Category;
  readonly kind: string | null;
  readonly nature: Nature;
  readonly titleProperty: string | null;
  readonly properties: ReadonlyMap<string, Property>;
  /** What may be done to its records: by nature in an org's catalog, by nature and grants in a caller's. */
  readonly writableOperations: readonly WriteOperation[];
}

/** Built-in ids stay below this; custom ids start here. */
export const firstCustomId = 1000;
