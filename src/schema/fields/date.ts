// A calendar day. The year 0000 is refused, because PostgreSQL does not have it.
import { describe } from '../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { rangeOperators } from './number.ts';
import { itself, wrongShape } from './rules/texts.ts';

const datePattern = /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;

/** Whether the text is a real day; leap years are taken into account. */
export function isDate(text: string): boolean {
  if (!datePattern.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  // Day 0 of the next month is the last day of this one; setUTCFullYear takes years below 100 as they are.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate();
}

export const date: FieldType = {
  name: 'date',
  label: 'Date',
  shape: { type: 'string', format: 'date', pattern: datePattern.source },
  example: '2026-03-31',
  operators: [...everyOperator, 'eq', 'neq', 'in', 'not_in', ...rangeOperators],
  aggregations: [...everyAggregation, 'min', 'max'],
  sortable: true,
  groupable: true,
  searchable: false,
  comparison: 'plain',
  granularities: ['day', 'week', 'month', 'quarter', 'year'],
  index: { kind: 'time', key: itself },
  check: (value) =>
    typeof value === 'string' && isDate(value)
      ? undefined
      : wrongShape(`Expected an existing day as YYYY-MM-DD, such as "2026-03-31"; got ${describe(value)}.`),
  key: itself,
};
