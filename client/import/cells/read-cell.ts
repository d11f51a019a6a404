// Reads the value of a CSV cell, also one that people wrote, if it can mean only one thing. The field type decides the form of
// a single value; lists and the guard against formulas are the same for all.
import { describe } from '../described.ts';
import { type CellContext, type CellForm, type CellReading, type CellValue, misread } from './cell-form.ts';
import { readJsonCell } from './json-cell.ts';

/** What reading needs to know of a property. */
interface ReadProperty {
  readonly form: CellForm | undefined;
  readonly multiValued: boolean;
}

/** The value of the cell, still to be checked; an empty cell is null. */
export function readCell({ form, multiValued }: ReadProperty, cell: string, context: CellContext): CellReading {
  const text = unguard(cell);
  return multiValued ? readList(form, text, context) : readOne(form, text, context);
}

function readOne(form: CellForm | undefined, cell: string, context: CellContext): CellReading {
  const text = form?.keepsSpaces === true ? cell : cell.trim();
  if (text === '') return { value: null };
  return form?.read?.(text, context) ?? { value: text };
}

const list = 'a JSON array such as ["a", "b"], values separated by semicolons, or one value';

/** JSON, as export writes it; otherwise values separated by semicolons, or a single value. */
function readList(form: CellForm | undefined, cell: string, context: CellContext): CellReading {
  const text = cell.trim();
  if (text === '') return { value: null };
  if (text.startsWith('[')) return readJsonCell(text, list);
  const values: CellValue[] = [];
  for (const part of text.split(';')) {
    const element = part.trim();
    if (element === '') continue;
    const reading = readOne(form, element, context);
    if ('fault' in reading) return { fault: { ...reading.fault, at: `/${values.length}${reading.fault.at}` } };
    values.push(reading.value);
  }
  return values.length > 0 ? { value: values } : misread(`Expected ${list}; got ${describe(text)}.`);
}

/** Text that a spreadsheet takes for a formula, in narrow or wide characters, after any number of apostrophes. */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** After an apostrophe everything is text. A guarded text matches too, so that one apostrophe is always removed. */
export function guard(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

function unguard(cell: string): string {
  return cell.charCodeAt(0) === apostrophe && formula.test(cell) ? cell.slice(1) : cell;
}

const apostrophe = 39;
