// A point in time with the offset in which it was written. The offset is kept; comparison and order use the point in
// time. Leap seconds and offsets of 16 hours and more are refused, because PostgreSQL does not support them.
import { describe, type Json } from '../../base/json.ts';
import { isDate } from '../cells/calendar.ts';
import { readIsoMoment } from '../cells/date-format.ts';
import { type CellContext, type CellReading, everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { rangeOperators } from './number.ts';
import { itself, wrongShape } from './rules/texts.ts';

const datetimePattern =
  /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$/;

export function isDatetime(text: string): boolean {
  return datetimePattern.test(text) && isDate(text.slice(0, 10));
}

export const datetime: FieldType = {
  name: 'datetime',
  label: 'Date and time',
  shape: { type: 'string', format: 'date-time', pattern: datetimePattern.source },
  example: '2026-03-31T09:30:00+02:00',
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in', ...rangeOperators],
  aggregations: [...everyAggregation, 'min', 'max'],
  sortable: true,
  groupable: true,
  searchable: false,
  comparison: 'moment',
  granularities: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
  index: { kind: 'time', key: itself },
  cell: { read: readMoment },
  check: (value) =>
    typeof value === 'string' && isDatetime(value)
      ? undefined
      : wrongShape(
          `Expected ISO 8601 with seconds and an offset, such as "2026-03-31T09:30:00Z"; got ${describe(value)}.`,
        ),
  key: moment,
};

/** A time without an offset is one in the time zone of the column; a day alone is its beginning there. */
function readMoment(cell: string, { style: { dates, timeZone } }: CellContext): CellReading {
  const read = datetimePattern.test(cell) ? undefined : (dates?.read(cell) ?? readIsoMoment(cell));
  if (read === undefined || timeZone === undefined) return { value: cell };
  const { day, time = '00:00:00', offset = timeZone.offsetAt(day, time) } = read;
  return { value: `${day}T${time}${offset}` };
}

/** Offsets can reach back into the year 0000: counted from here, seconds are positive and have at most 12 digits. */
const firstSecond = Date.parse('0000-12-31T00:00:00Z') / 1_000;

/** Seconds and microseconds in fixed width, so that texts sort in the order of time. */
function moment(value: Json): string {
  const text = value as string;
  const offset = text.endsWith('Z') ? 'Z' : text.slice(-6);
  const seconds = Date.parse(text.slice(0, 19) + offset) / 1_000 - firstSecond;
  return String(seconds).padStart(12, '0') + text.slice(20, -offset.length).padEnd(6, '0');
}
