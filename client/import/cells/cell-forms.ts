// How the cells of each field type are read. The service's field types read them by these forms as well; a field type that is
// not listed has text.
import { describe } from '../described.ts';
import { readAmount } from './amount-cell.ts';
import { datetimePattern, isDate } from './calendar.ts';
import { type CellContext, type CellForm, type CellReading, misread } from './cell-form.ts';
import { readIsoMoment } from './date-format.ts';
import { readDecimal } from './decimal.ts';
import { readPhone } from './phone-cell.ts';

export const cellForms = {
  text: { keepsSpaces: true },
  long_text: { keepsSpaces: true },
  domain: { read: (cell) => ({ value: cell.toLowerCase() }) },
  phone: { read: readPhone },
  number: { read: (cell, { style: { decimal } }) => ({ value: (decimal && readDecimal(cell, decimal)) ?? cell }) },
  currency: { read: readAmount },
  date: { read: readDay },
  datetime: { read: readMoment },
  boolean: { read: readWord },
  select: { keepsSpaces: true, read: readOption },
  country: { read: (cell) => ({ value: cell.toUpperCase() }) },
} as const satisfies Readonly<Record<string, CellForm>>;

/** A time after the day is left out. */
function readDay(cell: string, { style: { dates } }: CellContext): CellReading {
  if (isDate(cell)) return { value: cell };
  const read = dates?.read(cell) ?? readIsoMoment(cell);
  if (read !== undefined) return { value: read.day };
  if (dates === undefined) return { value: cell };
  return misread(`Expected an existing day as ${dates.name} or YYYY-MM-DD; got ${describe(cell)}.`);
}

/** A time without an offset is one in the time zone of the column; a day alone is its beginning there. */
function readMoment(cell: string, { style: { dates, timeZone } }: CellContext): CellReading {
  const read = datetimePattern.test(cell) ? undefined : (dates?.read(cell) ?? readIsoMoment(cell));
  if (read === undefined || timeZone === undefined) return { value: cell };
  const { day, time = '00:00:00', offset = timeZone.offsetAt(day, time) } = read;
  return { value: `${day}T${time}${offset}` };
}

/** Spreadsheets write TRUE and FALSE, other systems 1 and 0, people yes and no. */
const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function readWord(cell: string): CellReading {
  const value = words.get(cell.toLowerCase());
  return value === undefined ? misread(`Expected true or false, yes or no, 1 or 0; got ${describe(cell)}.`) : { value };
}

/** The exact value; otherwise the only option with this value or label, ignoring case and surrounding spaces. */
function readOption(cell: string, { options }: CellContext): CellReading {
  if (options.some((option) => option.value === cell)) return { value: cell };
  const wanted = folded(cell);
  const meant = options.filter(({ value, label }) => folded(value) === wanted || folded(label) === wanted);
  if (meant.length > 1) {
    const values = meant.map(({ value }) => JSON.stringify(value)).slice(0, 5);
    const detail = `Expected one option; ${describe(cell)} could mean ${values.join(' or ')}. Write the exact value.`;
    return { fault: { reason: 'unknown_option', at: '', detail } };
  }
  return { value: meant[0]?.value ?? cell.trim() };
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
