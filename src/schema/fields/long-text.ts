// Text of several lines. It can be searched, but not compared as a whole.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
import { checkText, itself, textShape } from './rules/texts.ts';

const maxLength = 65_536;

export const longText: FieldType = {
  name: 'long_text',
  label: 'Long text',
  shape: textShape(maxLength),
  example: 'Met at the spring fair.\nWants a pilot before June.',
  operators: [...everyOperator, 'contains', 'not_contains'],
  aggregations: everyAggregation,
  sortable: false,
  groupable: false,
  searchable: true,
  comparison: 'folded',
  cell: cellForms.long_text,
  check: (value) => checkText(value, 'a string of 1 to 65,536 characters', maxLength),
  key: itself,
};
