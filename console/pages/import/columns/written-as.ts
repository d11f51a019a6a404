// What somebody can say of how the cells of a column are written. It is asked only where the cells leave it open, each time with
// an example of what a cell of the file would then be.
import { dateFormatOf, readIsoMoment, usualFormats } from '../../../../client/import/cells/date-format.ts';
import { decimalEvidence, decimalMarks, readDecimal } from '../../../../client/import/cells/decimal.ts';
import type { ColumnUse, PlanFault, PlannedColumn } from '../../../data/import/messages.ts';
import type { KnownProperty } from '../../../fields/field.ts';
import { importTexts } from '../../../text/import-texts.ts';
import { dateText, numberText } from '../../../text/locale.ts';

export interface Reading<Value extends string = string> {
  readonly value: Value;
  /** What a cell of the column is, read so. */
  readonly example?: string;
}

export interface Asked {
  readonly dates?: readonly Reading[];
  readonly decimal?: readonly Reading<'.' | ','>[];
  readonly country?: true;
  readonly currency?: true;
  readonly timeZone?: true;
}

/** What the column needs to be asked about. `faults` are those of the column. */
export function askedOf(
  { use, samples }: PlannedColumn,
  property: KnownProperty | undefined,
  faults: readonly PlanFault[],
): Asked {
  if (use.kind !== 'property' || property === undefined) return {};
  const open = faults.flatMap(({ choose }) => choose ?? []);
  const named = open.flatMap((choose) => (typeof choose === 'object' ? choose.dates : []));
  const isDecimalOpen = open.includes('decimal');
  switch (property.field_type) {
    case 'date':
      return datesOf(use, samples, named);
    case 'datetime':
      return { ...datesOf(use, samples, named), ...(samples.some(hasBareTime) ? { timeZone: true } : {}) };
    case 'number':
      return decimalOf(use, samples, isDecimalOpen);
    case 'currency':
      return {
        ...decimalOf(use, samples, isDecimalOpen),
        ...(open.includes('currency') || samples.some(isBareNumber) ? { currency: true } : {}),
      };
    case 'phone':
      return samples.some(isNational) ? { country: true } : {};
    default:
      return {};
  }
}

/** The formats in which all samples are days, unless every cell says its year, month and day itself. */
function datesOf(
  use: Extract<ColumnUse, { kind: 'property' }>,
  samples: readonly string[],
  named: readonly string[],
): Asked {
  const local = samples.filter((cell) => readIsoMoment(cell) === undefined);
  const fitting = usualFormats.filter((format) => local.length > 0 && local.every((cell) => format.read(cell)));
  const names = new Set([
    ...named,
    ...fitting.map(({ name }) => name),
    ...(use.dates === undefined ? [] : [use.dates]),
  ]);
  if (names.size === 0) return {};
  const [cell = ''] = local;
  return {
    dates: [...names].map((value) => {
      const day = dateFormatOf(value)?.read(cell)?.day;
      return day === undefined ? { value } : { value, example: importTexts.readAs(cell, dateText(day)) };
    }),
  };
}

function decimalOf(use: Extract<ColumnUse, { kind: 'property' }>, samples: readonly string[], isOpen: boolean): Asked {
  const doubtful = samples.find((cell) => decimalEvidence(cell) === 'either');
  if (!isOpen && doubtful === undefined && use.decimal !== ',') return {};
  const cell = doubtful ?? samples.find((each) => decimalEvidence(each) !== undefined) ?? '';
  const digits = cell.replace(/[^0-9.,]/g, '');
  return {
    decimal: decimalMarks.map((value) => {
      const read = readDecimal(digits, value);
      return read === undefined ? { value } : { value, example: importTexts.readAs(digits, numberText(read)) };
    }),
  };
}

function isBareNumber(cell: string): boolean {
  return /^[\d\s.,'\u2019+\-\u2212]+$/.test(cell.trim());
}

function isNational(cell: string): boolean {
  return /\d/.test(cell) && !/^\s*(?:\+|00|[[{])/.test(cell);
}

/** A time of day without an offset. */
function hasBareTime(cell: string): boolean {
  return /\d:\d\d/.test(cell) && !/(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$/i.test(cell.trim());
}
