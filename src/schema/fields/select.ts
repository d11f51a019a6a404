// The value of one of the property's options. Sorted in the order of the options.
import { cellForms } from '../../../client/import/cells/cell-forms.ts';
import { describe } from '../../../client/import/described.ts';
import type { FieldType } from '../field-type.ts';
import { codeAnswers, codeShape } from './rules/codes.ts';
import { textShape, wrongShape } from './rules/texts.ts';

export const select: FieldType = {
  ...codeAnswers,
  name: 'select',
  label: 'Choice',
  shape: textShape(128),
  sortedByOptions: true,
  example: 'warm',
  cell: cellForms.select,
  shapeFor: (options) => codeShape(options.map((option) => option.value)),
  check: (value, options) => {
    if (typeof value !== 'string') return wrongShape(`Expected the value of an option; got ${describe(value)}.`);
    if (options.some((option) => option.value === value)) return undefined;
    const byLabel = options.find((option) => option.label === value);
    const hint =
      byLabel === undefined ? '' : ` Send the option's value ${JSON.stringify(byLabel.value)}, not its label.`;
    return {
      reason: 'unknown_option',
      at: '',
      detail: `Expected the value of an option; got ${describe(value)}.${hint}`,
    };
  },
};
