// Reads one row of a file: from cells to checked values, or to one Problem with all errors. An empty cell has no meaning:
// the property is absent on a new record and unchanged on an existing one.
import type { CsvFault, CsvRow } from '../../base/files/csv-rows.ts';
import { type Json, pointerStep } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import { type Changes, checkRequired, checkValues } from '../../schema/check-values.ts';
import { fromCell } from '../../schema/csv-cell.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { PlannedColumn } from './plan.ts';

export interface ImportedRow {
  readonly row: CsvRow;
  readonly item: ImportedItem | Problem;
}

export interface ImportedItem {
  readonly changes: Changes;
  /** The required properties that a new record would lack; whether the row creates one may not be known yet. */
  readonly missing: readonly Fault[];
}

/** A column that is not ignored. */
export interface ReadColumn {
  readonly index: number;
  readonly property: Property;
}

/** The columns that are not ignored, with the properties as they are now: options may have been added. */
export function readColumns(type: ObjectType, columns: readonly PlannedColumn[]): readonly ReadColumn[] {
  return columns.flatMap(({ property: name }, index) => {
    const property = name === undefined ? undefined : type.properties.get(name);
    return property === undefined ? [] : [{ index, property }];
  });
}

export interface RowForm {
  readonly type: ObjectType;
  readonly columns: readonly ReadColumn[];
  readonly columnCount: number;
  /** The property by which the row finds an existing record. */
  readonly match: string | undefined;
  /** The currency of the org, for amounts without one. */
  readonly currency: string;
}

export function readRow(form: RowForm, row: CsvRow): ImportedRow {
  return { row, item: readItem(form, row) };
}

function readItem(form: RowForm, row: CsvRow): ImportedItem | Problem {
  const { type, columns, columnCount, match, currency } = form;
  const { cells } = row;
  if (row.fault !== undefined) return malformed(rowFaults[row.fault](row));
  if (cells.length !== columnCount && (cells.length < columnCount || cells.slice(columnCount).some(Boolean))) {
    return malformed(`The row has ${cells.length} cells; the header has ${columnCount}.`);
  }
  const values: Record<string, Json> = {};
  let faults: Fault[] | undefined;
  for (const { index, property } of columns) {
    const cell = cells[index] as string;
    if (cell === '') continue;
    const reading = fromCell(property, cell, currency);
    if ('fault' in reading) {
      const { at, reason, detail } = reading.fault;
      faults ??= [];
      faults.push({
        pointer: `/properties${pointerStep(property.name)}${at}`,
        property: property.name,
        reason,
        detail,
      });
    } else if (reading.value !== null) values[property.name] = reading.value;
  }
  const checked = checkValues(type, values, '');
  const missing = checkRequired(type, values, '');
  const wrong = [
    ...(faults ?? []),
    ...checked.faults,
    ...(match === undefined ? missing : unmatched(match, values, missing)),
  ];
  if (wrong.length > 0) return problemOf('validation_failed', wrong);
  return { changes: checked.changes, missing };
}

/** A row without a value to match by is refused, and everything else that it lacks is reported with it. */
function unmatched(match: string, values: Readonly<Record<string, Json>>, missing: readonly Fault[]): readonly Fault[] {
  if (Object.hasOwn(values, match)) return [];
  const pointer = `/properties${pointerStep(match)}`;
  const detail = `A row needs a value of ${match} to be matched by.`;
  const reported = missing.some((fault) => fault.property === match);
  return reported ? missing : [{ pointer, property: match, reason: 'required_missing', detail }, ...missing];
}

const rowFaults: Readonly<Record<CsvFault, (row: CsvRow) => string>> = {
  unclosed_quote: ({ line }) => `A quote opened in line ${line} is never closed.`,
  loose_quote: () => 'A quote inside a quoted cell is not doubled.',
  too_long: () => `A row may have at most ${bounds.base.csvRowCharacters.toLocaleString('en-US')} characters.`,
};

function malformed(detail: string): Problem {
  return new Problem('invalid_request', 'invalid_value', detail);
}
