// The value of one of the property's options. Sorted in the order of the options.
import { describe } from '../../base/json.ts';
import type { CellContext, CellReading, FieldType } from '../field-type.ts';
import { codeAnswers, codeShape } from './rules/codes.ts';
import { textShape, wrongShape } from './rules/texts.ts';

export const select: FieldType = {
  ...codeAnswers,
  name: 'select',
  label: 'Choice',
  shape: textShape(128),
  sortedByOptions: true,
  example: 'warm',
  cell: { keepsSpaces: true, read: readOption },
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

/** The exact value; otherwise the only option with this value or label, ignoring case and surrounding spaces. */
function readOption(cell: string, { options }: CellContext): CellReading {
  if (options.some((option) => option.value === cell)) return { value: cell };
  const wanted = folded(cell);
  const meant = options.filter(({ value, label }) => folded(value) === wanted || folded(label) === wanted);
  if (meant.length > 1) {
    const values = meant.map(({ value }) => JSON.stringify(value)).slice(0, 5);
    const detail = `Expected one option; ${describe(cell)} could mean ${values.join(' or ')}. Write the exact value.`;
    return { fault: { reason: 'unknown_option', at: '', detail } };
  }
  return { value: meant[0]?.value ?? cell.trim() };
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
