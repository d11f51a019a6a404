// Writes a value of a property to a CSV cell, and reads one from it (contract 12). A written value is always read back
// unchanged, and no spreadsheet takes it for a formula.
import type { CellReading } from '../../client/import/cells/cell-form.ts';
import { type CellStyle, plainStyle } from '../../client/import/cells/cell-style.ts';
import { guard, readCell } from '../../client/import/cells/read-cell.ts';
import type { Json } from '../base/json.ts';
import type { Property } from './object-type.ts';

/** A value that is null or absent is an empty cell. */
export function toCell({ fieldType, multiValued }: Property, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (multiValued) return JSON.stringify(value);
  const text = fieldType.cell?.write?.(value) ?? (value as string);
  return fieldType.cell?.signed === true ? text : guard(text);
}

/** The value of the cell, still to be checked; an empty cell is null. `currency` is that of amounts without one. */
export function fromCell(
  { fieldType, multiValued, options }: Property,
  cell: string,
  currency: string | undefined,
  style: CellStyle = plainStyle,
): CellReading {
  return readCell({ form: fieldType.cell, multiValued }, cell, { options, currency, style });
}
