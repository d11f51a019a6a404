// One line of text. Compared, sorted and unique by its lower-cased form.
import { everyAggregation, type FieldType } from '../field-type.ts';
import { checkText, textOperators, textShape } from './text-rules.ts';

const maxLength = 1_024;

export const text: FieldType = {
  name: 'text',
  label: 'Text',
  shape: textShape(maxLength),
  example: 'Head of Procurement',
  operators: textOperators,
  aggregations: [...everyAggregation, 'min', 'max'],
  sortable: true,
  groupable: true,
  check: (value) => checkText(value, 'a string of 1 to 1,024 characters', maxLength),
};
