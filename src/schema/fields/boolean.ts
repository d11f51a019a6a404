// True or false; a third state is "unset".
import { describe } from '../../base/json.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { textIndex, wrongShape } from './text-rules.ts';

export const boolean: FieldType = {
  name: 'boolean',
  label: 'Yes or no',
  shape: { type: 'boolean' },
  example: true,
  operators: [...everyOperator, 'eq', 'neq'],
  aggregations: everyAggregation,
  sortable: true,
  groupable: true,
  searchable: false,
  comparison: 'plain',
  index: textIndex(String),
  check: (value) =>
    typeof value === 'boolean' ? undefined : wrongShape(`Expected true or false; got ${describe(value)}.`),
  key: String,
};
