// A calendar day.
import { datePattern, isDate } from '../../../client/import/cells/calendar.ts';
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { describe } from '../../../client/import/described.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
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
  cell: cellForms.date,
  check: (value) =>
    typeof value === 'string' && isDate(value)
      ? undefined
      : wrongShape(`Expected an existing day as YYYY-MM-DD, such as "2026-03-31"; got ${describe(value)}.`),
  key: itself,
};
