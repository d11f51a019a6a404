// One row of a file: from cells to checked values, or to one Problem for all that is wrong with it. An empty cell says
// nothing: the property is absent on a record that is made, and untouched on one that is there.
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
  /** What a new record would lack, where it is not known yet whether there will be one. */
  readonly missing: readonly Fault[];
}

/** A column that is read. */
export interface ReadColumn {
  readonly index: number;
  readonly property: Property;
}

/** The columns that are read, with the properties as the type has them now: options may have been added. */
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
  /** The property by which the row names a record that is there. */
  readonly match: string | undefined;
  /** The currency of the org. */
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

/** A row that names no record is refused, whatever else it lacks. */
function unmatched(match: string, values: Readonly<Record<string, Json>>, missing: readonly Fault[]): readonly Fault[] {
  if (Object.hasOwn(values, match)) return [];
  const pointer = `/properties${pointerStep(match)}`;
  const detail = `A row that is matched by ${match} needs its value.`;
  const told = missing.some((fault) => fault.property === match);
  return told ? missing : [{ pointer, property: match, reason: 'required_missing', detail }, ...missing];
}

const rowFaults: Readonly<Record<CsvFault, (row: CsvRow) => string>> = {
  unclosed_quote: ({ line }) => `A quote that opens in the row of line ${line} is never closed.`,
  loose_quote: () => 'A quote inside of a quoted cell is not doubled.',
  too_long: () => `A row may have at most ${bounds.base.csvRowCharacters.toLocaleString('en-US')} characters.`,
};

function malformed(detail: string): Problem {
  return new Problem('invalid_request', 'invalid_value', detail);
}
