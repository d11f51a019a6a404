// Object types and their properties, as an org has them. The narrowed catalog of a caller holds the same types with
// fewer properties and fewer writable operations.
import { bounds } from '../base/limits.ts';
import { nearest } from '../base/nearest.ts';
import type { FieldType, Option, ValueIndex } from './field-type.ts';
import type { TypeSlots } from './slots.ts';
import type { TypeSelector } from './type-selector.ts';

/** The headings of the specification's 2.3 and 2.4, and what an org administers itself by. */
export const categories = ['core', 'pipeline', 'synced', 'activity', 'generated', 'platform', 'custom'] as const;
export type Category = (typeof categories)[number];

export const writeOperations = ['create', 'update', 'delete', 'associate'] as const;
export type WriteOperation = (typeof writeOperations)[number];

/** The writes that a type can accept, whatever a key is granted, and the reason for refusing others. */
export const natures = {
  open: { accepts: writeOperations, refusal: 'operation_not_granted' },
  synced: { accepts: [], refusal: 'type_is_synced' },
  synced_linkable: { accepts: ['associate'], refusal: 'type_is_synced' },
  generated: { accepts: [], refusal: 'type_is_generated' },
  automatic: { accepts: [], refusal: 'type_is_read_only' },
  /** Rules of its own say what may be written: see `engine/platform`. Links of the second kind only come to it. */
  governed: { accepts: writeOperations, refusal: 'type_is_read_only' },
  governed_unlinked: { accepts: ['create', 'update', 'delete'], refusal: 'type_is_read_only' },
} as const satisfies Record<string, { accepts: readonly WriteOperation[]; refusal: string }>;
export type Nature = keyof typeof natures;

/** Whether records of the type obey rules of their own. */
export function isGoverned({ nature }: Pick<TypeDeclaration, 'nature'>): boolean {
  return nature === 'governed' || nature === 'governed_unlinked';
}

/** Why the type does not accept the operation, by its nature or by the caller's grants; undefined if it does. */
export function reasonAgainst({ nature, writableOperations }: TypeDeclaration, operation: WriteOperation) {
  if (writableOperations.includes(operation)) return undefined;
  const { accepts, refusal } = natures[nature];
  return (accepts as readonly WriteOperation[]).includes(operation) ? 'operation_not_granted' : refusal;
}

/**
 * A few built-in properties have a permanent index. Others get one when queries need it, and lose it when nobody asks for
 * it any more: from `building` on writers write its rows, while it is `ready` queries use it, from `retired` on they do
 * not, and from `dropping` on nobody writes its rows, which are being removed.
 */
export type IndexState = 'none' | 'building' | 'ready' | 'retired' | 'dropping' | 'permanent';

/** The states in which queries may use an index: it has the rows of all records. */
export function isUsable(state: IndexState): boolean {
  return state === 'ready' || state === 'permanent';
}

/** The states in which not every process knows that rows are written: one that does not leaves wrong rows behind. */
function isUnsettled(state: IndexState): boolean {
  return state === 'building' || state === 'retired';
}

/** A total of a record's open deals (contract 6): of their amounts, or of the amounts weighted by probability. */
export type DealTotal = 'potential' | 'weighted';

/** The smallest and the largest number that a property accepts. */
export interface NumberRange {
  readonly least: number;
  readonly greatest: number;
}

/** Records from which a value is computed: their types, and the properties of those that have them. */
export interface ValueSource {
  readonly types: TypeSelector;
  readonly properties: readonly string[];
}

export interface Property {
  /** The property's number in index tables: unique within the type, never reused. */
  readonly id: number;
  readonly name: string;
  /** The member under which records keep its value: its name, unless a property that was deleted has it already. */
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly fieldType: FieldType;
  readonly multiValued: boolean;
  readonly readOnly: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  /** Whether it has an index that writers fill and queries use. */
  readonly index: IndexState;
  readonly options: readonly Option[];
  readonly custom: boolean;
  /** What the value is computed from. Who does not see all of it does not see the value. */
  readonly computedFrom: readonly ValueSource[];
  /** A total that is computed at each read. It is never stored, indexed or part of the feed. */
  readonly computed?: DealTotal;
  /** Bounds of a number. */
  readonly range?: NumberRange;
  /** Whether it is given when a record is created, and never changes. */
  readonly fixed?: true;
  /** Whether ingest writes it from a connected system; for all others it is read-only. */
  readonly ingested?: true;
}

/** Everything that is declared of an object type. */
interface TypeDeclaration {
  /** The type's number in every table: built-in below 1000, custom from 1000 within an org. */
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
  /**
   * Properties in the trash. Nobody sees them, but the rows that belong to their values are written on, so that they can
   * come back. Only an org's catalog has them.
   */
  readonly removed: readonly Property[];
  /** The writes that its records accept: by nature in an org's catalog, by nature and grants in a caller's. */
  readonly writableOperations: readonly WriteOperation[];
  /** The values that are also kept for aggregations. They are the same for every caller of an org. */
  readonly slots: TypeSlots;
}

interface IndexedProperty {
  readonly id: number;
  readonly key: string;
  readonly fieldType: FieldType;
  readonly index: ValueIndex;
}

/**
 * The properties by what is done with them: every read or write of a record needs some of these lists. What is written
 * beside the values of a record is written for properties in the trash as well.
 */
interface PropertyGroups {
  readonly required: readonly Property[];
  readonly unique: readonly Property[];
  /** Names of the properties that never change once a record is created. */
  readonly fixed: readonly string[];
  readonly indexed: readonly IndexedProperty[];
  /** Ids of the indexed properties of which not every process writes rows at the moment. */
  readonly unsettled: ReadonlySet<number>;
  /** Keys of the properties whose words a search finds. */
  readonly searchable: readonly string[];
  /** Keys of the properties that are compared in lower case. */
  readonly folded: readonly string[];
  readonly totals: readonly Property[];
  /** All of them by their keys. */
  readonly byKey: ReadonlyMap<string, Property>;
  /** Those whose key is not their name. */
  readonly renamed: readonly Property[];
}

/** A class, so that a copy with other properties cannot keep the groups of the original: copies are made by `with`. */
export class ObjectType implements TypeDeclaration {
  readonly declaration: TypeDeclaration;
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
  readonly removed: readonly Property[];
  readonly writableOperations: readonly WriteOperation[];
  readonly slots: TypeSlots;
  #groups: PropertyGroups | undefined;
  #suggestions: Map<string, string | undefined> | undefined;

  constructor(declaration: TypeDeclaration) {
    this.declaration = declaration;
    this.id = declaration.id;
    this.name = declaration.name;
    this.label = declaration.label;
    this.pluralLabel = declaration.pluralLabel;
    this.description = declaration.description;
    this.category = declaration.category;
    this.kind = declaration.kind;
    this.nature = declaration.nature;
    this.titleProperty = declaration.titleProperty;
    this.properties = declaration.properties;
    this.removed = declaration.removed;
    this.writableOperations = declaration.writableOperations;
    this.slots = declaration.slots;
  }

  with(changes: Partial<TypeDeclaration>): ObjectType {
    return new ObjectType({ ...this.declaration, ...changes });
  }

  /** Made at first use: each set of grants has a catalog of its own, and most of its types are never used. */
  get groups(): PropertyGroups {
    this.#groups ??= groupsOf([...this.properties.values()], this.removed);
    return this.#groups;
  }

  /** The property that was perhaps meant. Suggestions are kept: a batch repeats one mistake in each of its items. */
  nearestProperty(name: string): string | undefined {
    if (name.length > nameCharactersMax) return suggest(name, this.properties);
    this.#suggestions ??= new Map();
    const suggestions = this.#suggestions;
    if (suggestions.has(name)) return suggestions.get(name);
    if (suggestions.size >= bounds.schema.suggestionsKept) suggestions.clear();
    const near = suggest(name, this.properties);
    suggestions.set(name, near);
    return near;
  }
}

/** People most often forget the prefix of built-in names. */
function suggest(name: string, properties: ReadonlyMap<string, Property>): string | undefined {
  return properties.has(`svc_${name}`) ? `svc_${name}` : nearest(name, properties.keys());
}

function groupsOf(properties: readonly Property[], removed: readonly Property[]): PropertyGroups {
  const keysOf = (group: readonly Property[]) => group.map(({ key }) => key);
  const kept = [...properties, ...removed];
  return {
    required: properties.filter(({ required }) => required),
    unique: kept.filter(({ unique }) => unique),
    fixed: keysOf(properties.filter(({ fixed }) => fixed === true)),
    indexed: kept.flatMap(({ id, key, index, fieldType }) =>
      (isUsable(index) || isUnsettled(index)) && fieldType.index !== undefined
        ? [{ id, key, fieldType, index: fieldType.index }]
        : [],
    ),
    unsettled: new Set(kept.filter(({ index }) => isUnsettled(index)).map(({ id }) => id)),
    searchable: keysOf(kept.filter(({ fieldType }) => fieldType.searchable)),
    folded: keysOf(kept.filter(({ fieldType }) => fieldType.comparison === 'folded')),
    totals: properties.filter(({ computed }) => computed !== undefined),
    byKey: new Map(kept.map((property) => [property.key, property])),
    renamed: properties.filter(({ key, name }) => key !== name),
  };
}

/** No name of a type, a property or an association type is longer. */
export const nameCharactersMax = 64;

/** Built-in ids stay below this; custom ids start here. */
export const firstCustomId = 1000;
