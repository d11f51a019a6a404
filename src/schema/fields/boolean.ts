// True or false. The third state is "unset".
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { describe } from '../../../client/import/described.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { textIndex, wrongShape } from './rules/texts.ts';

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
  cell: { write: String, ...cellForms.boolean },
  check: (value) =>
    typeof value === 'boolean' ? undefined : wrongShape(`Expected true or false; got ${describe(value)}.`),
  key: String,
};
