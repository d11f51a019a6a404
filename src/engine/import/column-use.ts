// What an import does with a column of a file: the vocabulary of plans and of maps.
import type { CellStyle } from '../../../client/import/cells/cell-style.ts';

export interface PlannedColumn {
  readonly header: string;
  readonly use: ColumnUse;
  readonly decidedBy: 'map' | 'header';
}

export type ColumnUse = PropertyUse | UnitUse | LinkUse | ExternalUse | CreatedUse | IgnoredUse;

/** A guess that could be wrong, which nobody has confirmed yet. What it cannot read of links and dates refuses no row. */
interface Guessable {
  readonly guessed?: true;
}

/** The cells are values of the property. */
interface PropertyUse extends Guessable {
  readonly kind: 'property';
  readonly property: string;
  readonly style: CellStyle;
}

/** The cells are the currencies of the amounts that another column has. */
interface UnitUse {
  readonly kind: 'unit';
  readonly property: string;
}

/** The cells name records, to which the record of the row is linked. */
export interface LinkUse extends Guessable {
  readonly kind: 'link';
  readonly association: string;
  /** What the cells are of these records: a unique property, 'title', 'id' or 'external_id'. */
  readonly by: string;
  /** The system whose external ids they are. */
  readonly source?: string;
  readonly missing: Missing;
  /** The pipeline of the stages, by its title. */
  readonly within?: string;
}

/** What happens where no record is named so: the row is refused, the link is left out, or the record is created. */
export const missingModes = ['refuse', 'skip', 'create'] as const;
type Missing = (typeof missingModes)[number];

/** The cells are the ids of the records in another system. */
interface ExternalUse extends Guessable {
  readonly kind: 'external_id';
  readonly source: string;
}

/** The cells are the dates from which the records are. */
interface CreatedUse extends Guessable {
  readonly kind: 'created_at';
  readonly style: CellStyle;
}

interface IgnoredUse {
  readonly kind: 'ignored';
  readonly why: string;
}

/** The match that finds records by their ids in another system. */
export const matchByExternalId = 'external_id';

/** What bad cells do to their row: it is refused, or it is taken without them. */
export const badCellModes = ['refuse', 'drop'] as const;
export type BadCells = (typeof badCellModes)[number];

/** Whether new records begin in the first stage, as others do, or in none. */
export const initialStages = ['first', 'none'] as const;
export type InitialStage = (typeof initialStages)[number];

/** The name of the property to which a column belongs, if it belongs to one. */
export function propertyOf(use: ColumnUse): string | undefined {
  return use.kind === 'property' || use.kind === 'unit' ? use.property : undefined;
}
