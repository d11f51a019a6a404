// What guessing needs to know of an object type: its properties, and the records to which its records can be linked. The
// service describes types from its catalog; a page can describe them from the answers of the interface.

export interface DescribedType {
  readonly name: string;
  readonly label: string;
  readonly pluralLabel: string;
  readonly properties: readonly DescribedProperty[];
  readonly links: readonly DescribedLink[];
}

export interface DescribedProperty {
  readonly name: string;
  readonly label: string;
  /** The name of its field type. */
  readonly fieldType: string;
  readonly multiValued: boolean;
  readonly readOnly: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** An association type that begins at the type. */
export interface DescribedLink {
  readonly association: string;
  readonly label: string;
  readonly targets: readonly DescribedTarget[];
}

/** A type to which it leads; members stand for users. */
export interface DescribedTarget extends Pick<DescribedType, 'name' | 'label' | 'pluralLabel'> {
  readonly isPerson: boolean;
  readonly hasTitle: boolean;
  readonly unique: readonly DescribedProperty[];
}

/** The beginning of a file. */
export interface FileSample {
  readonly headers: readonly string[];
  /** The cells of some rows, in the order of the headers. */
  readonly rows: readonly (readonly string[])[];
}

export interface Money {
  /** The currency of amounts without one. */
  readonly orgCurrency: string;
  /** The currencies that a code in capitals or a sign may mean; undefined if it is neither. */
  readonly currenciesOf: (text: string) => readonly string[] | undefined;
}
