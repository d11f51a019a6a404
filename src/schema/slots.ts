// The slots of a type: values that are kept a second time, typed, in the narrow row that aggregations read (`orrery.fact`).
// Who gets which slot is decided in `indexing/fact-slots`.

/** The columns of each kind of value. */
export const factColumns = {
  text: ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'],
  number: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'],
  moment: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'],
  day: ['e1', 'e2', 'e3', 'e4'],
} as const;

/** The columns of the records at the other ends of links that a record has one of. */
export const linkColumns = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'] as const;

/** The one that has an index of its own. */
export const indexedLink: (typeof linkColumns)[number] = 'u1';

export type FactKind = keyof typeof factColumns;
export type FactColumn = (typeof factColumns)[FactKind][number];
export type LinkColumn = (typeof linkColumns)[number];

export interface Slot {
  readonly kind: FactKind;
  readonly column: FactColumn;
  /** The column of the unit, if the value is an amount. */
  readonly unit?: FactColumn;
}

export interface SlottedProperty extends Slot {
  readonly key: string;
}

export interface TypeSlots {
  /** The columns of all its properties. */
  readonly columns: readonly FactColumn[];
  /** By the numbers of the properties. */
  readonly properties: ReadonlyMap<number, SlottedProperty>;
  /** By the numbers of the association types. */
  readonly links: ReadonlyMap<number, LinkColumn>;
}

export const noSlots: TypeSlots = { columns: [], properties: new Map(), links: new Map() };

/** Values in their columns; a column without a value is absent. */
export type FactValues = Readonly<Partial<Record<FactColumn, string>>>;
