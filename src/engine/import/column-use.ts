// What an import does with a column of a file: the vocabulary of plans and of maps.
import type { CellStyle } from '../../../client/import/cells/cell-style.ts';
import type { ExternalUse, Guessable, LinkUse as SharedLinkUse, UnitUse } from '../../../client/import/column-use.ts';

export interface PlannedColumn {
  readonly header: string;
  readonly use: ColumnUse;
  readonly decidedBy: 'map' | 'header';
}

export type ColumnUse = PropertyUse | UnitUse | LinkUse | ExternalUse | CreatedUse | IgnoredUse;

/** The cells are values of the property. */
interface PropertyUse extends Guessable {
  readonly kind: 'property';
  readonly property: string;
  readonly style: CellStyle;
}

export interface LinkUse extends SharedLinkUse {
  /** The pipeline of the stages, by its title. */
  readonly within?: string;
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
