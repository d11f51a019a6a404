// Reads one row of a file: from cells to values, which are still to be checked. An empty cell has no meaning: the property is
// absent on a new record and unchanged on an existing one.
import { isCurrencyCode } from './cells/amount-cell.ts';
import {
  type CellContext,
  type CellFault,
  type CellForm,
  type CellReading,
  type CellValue,
  misread,
} from './cells/cell-form.ts';
import type { CellStyle } from './cells/cell-style.ts';
import { readCell } from './cells/read-cell.ts';
import { describe } from './described.ts';
import { fileBounds } from './file-bounds.ts';
import type { CsvFault, CsvRow } from './files/csv-rows.ts';

/** A column whose cells are values. */
export interface ValueColumn {
  readonly index: number;
  readonly property: ReadProperty;
  readonly style: CellStyle;
  /** The column with the currency of its amounts. */
  readonly unitIndex: number | undefined;
}

/** What reading needs to know of a property. */
interface ReadProperty extends Pick<CellContext, 'options'> {
  readonly name: string;
  readonly multiValued: boolean;
  readonly form: CellForm | undefined;
}

interface ReadValues {
  readonly values: Record<string, CellValue>;
  readonly faults: readonly { readonly column: ValueColumn; readonly fault: CellFault }[];
}

/** `currency` is that of the org; two values of a list are the same if `keyOf` says so. */
export function readValues(
  columns: readonly ValueColumn[],
  cells: readonly string[],
  currency: string,
  keyOf: (property: string, value: CellValue) => string,
): ReadValues {
  const values: Record<string, CellValue> = {};
  const faults: { column: ValueColumn; fault: CellFault }[] = [];
  for (const column of columns) {
    const cell = cells[column.index] ?? '';
    if (cell === '') continue;
    const reading = readValue(column, cell, cells, currency);
    if ('fault' in reading) faults.push({ column, fault: reading.fault });
    else if (reading.value !== null) addValue(values, column.property, reading.value, keyOf);
  }
  return { values, faults };
}

/** The value of one cell of the row. */
export function readValue(
  { property, style, unitIndex }: ValueColumn,
  cell: string,
  cells: readonly string[],
  orgCurrency: string,
): CellReading {
  const { options } = property;
  const read = (currency: string | undefined) => readCell(property, cell, { options, currency, style });
  if (unitIndex === undefined) return read(style.currency ?? orgCurrency);
  const written = cells[unitIndex] ?? '';
  const code = written.trim().toUpperCase();
  if (code !== '' && !isCurrencyCode(code)) {
    return misread(`Expected a currency as an ISO 4217 code; got ${describe(written)}.`);
  }
  const reading = read(code === '' ? undefined : code);
  if ('fault' in reading || code === '') return reading;
  const other = [reading.value].flat().find((value) => unitOf(value) !== code);
  if (other === undefined) return reading;
  return misread(`The amount is in ${unitOf(other)}, and the column with its currency says ${code}.`);
}

/** The currency of an amount. */
export function unitOf(value: CellValue | undefined): string | undefined {
  const unit = (value as { readonly unit?: unknown } | null | undefined)?.unit;
  return typeof unit === 'string' ? unit : undefined;
}

/** Several columns may feed a list: it has each value once, in the order of the columns. */
function addValue(
  values: Record<string, CellValue>,
  { name, multiValued }: ReadProperty,
  value: CellValue,
  keyOf: (property: string, value: CellValue) => string,
): void {
  const before = Object.hasOwn(values, name) ? values[name] : undefined;
  if (!multiValued || !Array.isArray(before) || !Array.isArray(value)) {
    values[name] = value;
    return;
  }
  const known = new Set(before.map((each: CellValue) => keyOf(name, each)));
  values[name] = [...before, ...value.filter((each: CellValue) => !known.has(keyOf(name, each)))];
}

/** What a cell names, each once: several records are separated by semicolons. */
export function namesIn(cell: string): readonly string[] {
  const texts = cell.split(';').map((text) => text.trim());
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** Why nothing can be read of the row; undefined if it is sound. */
export function rowFault(row: CsvRow, columnCount: number): string | undefined {
  const { cells } = row;
  if (row.fault !== undefined) return faults[row.fault](row);
  if (cells.length === columnCount || (cells.length > columnCount && !cells.slice(columnCount).some(Boolean))) {
    return undefined;
  }
  return `The row has ${cells.length} cells; the header has ${columnCount}.`;
}

const faults: Readonly<Record<CsvFault, (row: CsvRow) => string>> = {
  unclosed_quote: ({ line }) => `A quote opened in line ${line} is never closed.`,
  loose_quote: () => 'A quote inside a quoted cell is not doubled.',
  too_long: () => `A row may have at most ${fileBounds.rowCharacters.toLocaleString('en-US')} characters.`,
};
