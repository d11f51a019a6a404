// One line of text. Compared, sorted and unique in lower case.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { everyAggregation, type FieldType } from '../field-type.ts';
import { checkText, textAnswers, textShape } from './rules/texts.ts';

const maxLength = 1_024;

export const text: FieldType = {
  ...textAnswers,
  name: 'text',
  label: 'Text',
  shape: textShape(maxLength),
  example: 'Head of Procurement',
  aggregations: [...everyAggregation, 'min', 'max'],
  cell: cellForms.text,
  check: (value) => checkText(value, 'a string of 1 to 1,024 characters', maxLength),
};
