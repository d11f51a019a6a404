// What a column of a file is used for, as far as the command and pages say it in the same words.

/** A guess that could be wrong, which nobody has confirmed yet. What it cannot read of links and dates refuses no row. */
export interface Guessable {
  readonly guessed?: true;
}

/** The cells are the currencies of the amounts that another column has. */
export interface UnitUse {
  readonly kind: 'unit';
  readonly property: string;
}

/** The cells name records, separated by semicolons, to which the record of the row is linked. */
export interface LinkUse extends Guessable {
  readonly kind: 'link';
  readonly association: string;
  /** What the cells are of these records: a unique property, 'title', 'id' or 'external_id'. */
  readonly by: string;
  /** The system whose ids they are, with 'external_id'. */
  readonly source?: string;
  readonly missing: Missing;
}

/** What happens where no record is named so: the row is refused, the link is left out, or the record is created. */
export const missingModes = ['refuse', 'skip', 'create'] as const;
type Missing = (typeof missingModes)[number];

/** The cells are the ids of the records in another system. */
export interface ExternalUse extends Guessable {
  readonly kind: 'external_id';
  readonly source: string;
}
