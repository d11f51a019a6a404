// Writes a value of a property to a CSV cell, and reads one from it (contract 12). A written value is always read back
// unchanged, and no spreadsheet takes it for a formula. Cells that people wrote are read if they can mean only one
// thing. The field type decides the form of a single value; lists and the guard against formulas are the same for all.
import { describe, type Json } from '../base/json.ts';
import { type CellStyle, plainStyle } from './cells/cell-style.ts';
import type { CellContext, CellReading } from './field-type.ts';
import { readJsonCell } from './fields/rules/cell-json.ts';
import { wrongShape } from './fields/rules/texts.ts';
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
  property: Property,
  cell: string,
  currency: string | undefined,
  style: CellStyle = plainStyle,
): CellReading {
  const context = { options: property.options, currency, style };
  const text = unguard(cell);
  return property.multiValued ? readList(property, text, context) : readOne(property, text, context);
}

function readOne({ fieldType: { cell: form } }: Property, cell: string, context: CellContext): CellReading {
  const text = form?.keepsSpaces === true ? cell : cell.trim();
  if (text === '') return { value: null };
  return form?.read?.(text, context) ?? { value: text };
}

const list = 'a JSON array such as ["a", "b"], values separated by semicolons, or one value';

/** JSON, as export writes it; otherwise values separated by semicolons, or a single value. */
function readList(property: Property, cell: string, context: CellContext): CellReading {
  const text = cell.trim();
  if (text === '') return { value: null };
  if (text.startsWith('[')) return readJsonCell(text, list);
  const values: Json[] = [];
  for (const part of text.split(';')) {
    const element = part.trim();
    if (element === '') continue;
    const reading = readOne(property, element, context);
    if ('fault' in reading) return { fault: { ...reading.fault, at: `/${values.length}${reading.fault.at}` } };
    values.push(reading.value);
  }
  return values.length > 0 ? { value: values } : { fault: wrongShape(`Expected ${list}; got ${describe(text)}.`) };
}

/** Text that a spreadsheet takes for a formula, in narrow or wide characters, after any number of apostrophes. */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** After an apostrophe everything is text. A guarded text matches too, so that one apostrophe is always removed. */
function guard(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

function unguard(cell: string): string {
  return cell.charCodeAt(0) === apostrophe && formula.test(cell) ? cell.slice(1) : cell;
}

const apostrophe = 39;
