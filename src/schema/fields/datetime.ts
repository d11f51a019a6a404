// A point in time with the offset in which it was written. The offset is kept; comparison and order use the point in
// time.
import { datetimePattern, isDatetime } from '../../../client/import/cells/calendar.ts';
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { describe } from '../../../client/import/described.ts';
import type { Json } from '../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { rangeOperators } from './number.ts';
import { itself, wrongShape } from './rules/texts.ts';

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
  cell: cellForms.datetime,
  check: (value) =>
    typeof value === 'string' && isDatetime(value)
      ? undefined
      : wrongShape(
          `Expected ISO 8601 with seconds and an offset, such as "2026-03-31T09:30:00Z"; got ${describe(value)}.`,
        ),
  key: moment,
};

/** Offsets can reach back into the year 0000: counted from here, seconds are positive and have at most 12 digits. */
const firstSecond = Date.parse('0000-12-31T00:00:00Z') / 1_000;

/** Seconds and microseconds in fixed width, so that texts sort in the order of time. */
function moment(value: Json): string {
  const text = value as string;
  const offset = text.endsWith('Z') ? 'Z' : text.slice(-6);
  const seconds = Date.parse(text.slice(0, 19) + offset) / 1_000 - firstSecond;
  return String(seconds).padStart(12, '0') + text.slice(20, -offset.length).padEnd(6, '0');
}
