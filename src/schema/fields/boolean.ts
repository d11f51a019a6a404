// True or false. The third state is "unset".
import { describe } from '../../base/json.ts';
import { type CellReading, everyAggregation, everyOperator, type FieldType } from '../field-type.ts';
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
  cell: { write: String, read: readWord },
  check: (value) =>
    typeof value === 'boolean' ? undefined : wrongShape(`Expected true or false; got ${describe(value)}.`),
  key: String,
};

/** Spreadsheets write TRUE and FALSE, other systems 1 and 0, people yes and no. */
const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function readWord(cell: string): CellReading {
  const value = words.get(cell.toLowerCase());
  return value === undefined
    ? { fault: wrongShape(`Expected true or false, yes or no, 1 or 0; got ${describe(cell)}.`) }
    : { value };
}
