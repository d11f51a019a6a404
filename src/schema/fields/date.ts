// A calendar day.
import { describe } from '../../base/json.ts';
import { datePattern, isDate } from '../cells/calendar.ts';
import { readIsoMoment } from '../cells/date-format.ts';
import { type CellContext, type CellReading, everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { rangeOperators } from './number.ts';
import { itself, wrongShape } from './rules/texts.ts';

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
  cell: { read: readDay },
  check: (value) =>
    typeof value === 'string' && isDate(value)
      ? undefined
      : wrongShape(`Expected an existing day as YYYY-MM-DD, such as "2026-03-31"; got ${describe(value)}.`),
  key: itself,
};

/** A time after the day is left out. */
function readDay(cell: string, { style: { dates } }: CellContext): CellReading {
  if (isDate(cell)) return { value: cell };
  const read = dates?.read(cell) ?? readIsoMoment(cell);
  if (read !== undefined) return { value: read.day };
  if (dates === undefined) return { value: cell };
  return { fault: wrongShape(`Expected an existing day as ${dates.name} or YYYY-MM-DD; got ${describe(cell)}.`) };
}
