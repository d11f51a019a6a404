// Whether the cells of a column look like values of a property. Only what no reader of such values would take is told
// apart: whether a cell is really a value is decided when its row is read.
import type { DescribedProperty } from './described-type.ts';

interface Look {
  readonly pattern: RegExp;
  /** As a message calls such values. */
  readonly plural: string;
}

const monthName = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const day: Look = {
  pattern: new RegExp(
    `^\\d{1,4}[-/.]\\s?\\d{1,2}[-/.]\\s?\\d{1,4}|\\d.*${monthName}|${monthName}.*\\d|^\\d{5}(?:\\.\\d+)?$`,
    'i',
  ),
  plural: 'dates',
};

/** By field type; a type that is not listed takes any text. */
const looks: Readonly<Record<string, Look>> = {
  currency: {
    pattern:
      /^\s*\{|^[-+\u2212(]?\s*(?:[a-z]{0,3}\p{Sc}|\p{L}{2,3}\.?)?\s*[-+\u2212]?\d[\d.,'\u2019\s]*(?:\p{Sc}|\p{L}{2,3}\.?)?\)?$/iu,
    plural: 'amounts',
  },
  number: { pattern: /^[-+\u2212]?\d[\d.,'\u2019\s]*$/, plural: 'numbers' },
  date: day,
  datetime: day,
  email: { pattern: /^[^\s@()<>,;]+@[^\s@()<>,;]+$/, plural: 'email addresses' },
  url: { pattern: /^https?:\/\//i, plural: 'addresses that begin with http:// or https://' },
  domain: { pattern: /^[^\s@/:]+\.[^\s@/:]+$/, plural: 'domains' },
  phone: { pattern: /^\s*[[{]|\d.*\d.*\d/, plural: 'phone numbers' },
  boolean: { pattern: /^(?:true|false|yes|no|y|n|0|1|x)$/i, plural: 'yes or no' },
  country: { pattern: /^[a-z]{2}$/i, plural: 'codes of countries' },
  timezone: { pattern: /^[a-z_]+\/[a-z_/+-]+$|^(?:utc|gmt)$/i, plural: 'names of time zones' },
};

export interface Fit {
  /** How many of the cells look like values, of those that are not empty. */
  readonly fitting: number;
  readonly filled: number;
  /** A cell that does not. */
  readonly misfit: string | undefined;
}

export function fitOf({ fieldType, multiValued, options }: DescribedProperty, cells: readonly string[]): Fit {
  const isValue = fieldType === 'select' ? optionTest(options) : patternTest(looks[fieldType]);
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const parts = (cell: string) => (multiValued && !cell.startsWith('[') ? cell.split(';') : [cell]);
  const misfits = filled.filter((cell) => !parts(cell).every((part) => part.trim() === '' || isValue(part.trim())));
  return { fitting: filled.length - misfits.length, filled: filled.length, misfit: misfits[0] };
}

/** Money and dates, which are never guessed against the cells. */
export function isMoneyOrTime({ fieldType }: Pick<DescribedProperty, 'fieldType'>): boolean {
  return fieldType === 'currency' || looks[fieldType] === day;
}

/** Of other types, so few cells tell nothing of their column: their rows are refused, and say why. */
const cellsThatTell = 3;

/** Whether the cells speak against the property: most of them, if it has money or dates, and otherwise all. */
export function isContradicted(property: Pick<DescribedProperty, 'fieldType'>, { fitting, filled }: Fit): boolean {
  if (isMoneyOrTime(property)) return fitting * 2 < filled || (filled > 0 && fitting === 0);
  return filled >= cellsThatTell && fitting === 0;
}

/** Whether too many of the cells look otherwise for a guess that is sure. */
export function isDoubtful(property: Pick<DescribedProperty, 'fieldType'>, { fitting, filled }: Fit): boolean {
  return isMoneyOrTime(property) ? fitting < filled : filled >= cellsThatTell && fitting * 2 <= filled;
}

/** Whether there are cells, and all of them look so. */
export function isConfirmed({ fitting, filled }: Fit): boolean {
  return filled > 0 && fitting === filled;
}

/** What the values of the property are called. */
export function valuesOf({ fieldType }: DescribedProperty): string {
  return fieldType === 'select' ? 'options of it' : (looks[fieldType]?.plural ?? 'values of it');
}

function patternTest(look: Look | undefined): (text: string) => boolean {
  return (text) => look === undefined || text.startsWith('[') || look.pattern.test(text);
}

function optionTest(options: DescribedProperty['options']): (text: string) => boolean {
  const known = new Set(options.flatMap(({ value, label }) => [value.toLowerCase(), label.toLowerCase()]));
  return (text) => known.has(text.toLowerCase());
}
