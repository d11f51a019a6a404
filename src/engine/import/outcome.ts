// What became of the rows of a batch.
import type { CsvRow } from '../../../client/import/files/csv-rows.ts';
import { type Fault, type Problem, problemOf } from '../../base/problem.ts';
import type { ImportCounts } from '../../store/import/imports.ts';

/** A row for the errors file: refused, or taken without the values that the problem is about. */
export interface ReportedRow {
  readonly row: CsvRow;
  readonly problem: Problem;
  readonly fate: 'refused' | 'incomplete';
}

export interface BatchOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Links that were made with records. */
  readonly linked: number;
  /** Links that were left out, because their target does not exist. */
  readonly unlinked: number;
  /** Records that were made because links needed them. */
  readonly targetsCreated: number;
  readonly reported: readonly ReportedRow[];
}

/** Collects what became of the rows, one after the other. */
export class Outcome {
  readonly #counts = { created: 0, updated: 0, unchanged: 0, linked: 0, unlinked: 0, targetsCreated: 0 };
  readonly #reported: ReportedRow[] = [];

  refused(row: CsvRow, problem: Problem): void {
    this.#reported.push({ row, problem, fate: 'refused' });
  }

  /** `dropped` are the faults of cells without which the row was taken. */
  taken(row: CsvRow, as: 'created' | 'updated' | 'unchanged', dropped: readonly Fault[]): void {
    this.#counts[as]++;
    if (dropped.length > 0) {
      this.#reported.push({ row, problem: problemOf('validation_failed', dropped), fate: 'incomplete' });
    }
  }

  links({ linked, unlinked, targetsCreated }: Pick<BatchOutcome, 'linked' | 'unlinked' | 'targetsCreated'>): void {
    this.#counts.linked += linked;
    this.#counts.unlinked += unlinked;
    this.#counts.targetsCreated += targetsCreated;
  }

  end(): BatchOutcome {
    return { ...this.#counts, reported: this.#reported };
  }
}

/** Whether the row was refused for a value that another record has. */
export function isTaken({ problem }: ReportedRow): boolean {
  return problem.reason === 'unique_value_taken';
}

/** The counts of an import after a batch of so many rows. */
export function withOutcome(
  counts: ImportCounts,
  rows: number,
  { reported, ...added }: BatchOutcome,
  errorsBytes: number,
): ImportCounts {
  const refused = reported.filter(({ fate }) => fate === 'refused').length;
  return {
    rows: counts.rows + rows,
    created: counts.created + added.created,
    updated: counts.updated + added.updated,
    unchanged: counts.unchanged + added.unchanged,
    linked: counts.linked + added.linked,
    unlinked: counts.unlinked + added.unlinked,
    targetsCreated: counts.targetsCreated + added.targetsCreated,
    refused: counts.refused + refused,
    incomplete: counts.incomplete + reported.length - refused,
    errorsBytes,
  };
}
