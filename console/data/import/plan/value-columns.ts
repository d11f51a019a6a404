// The columns of a plan whose cells are values, as rows are read by them.
import type { ValueColumn } from '../../../../client/import/read-row.ts';
import type { ColumnUse } from '../messages.ts';
import { styleOf } from './cell-style.ts';
import { formOf, type ImportSchema } from './described-schema.ts';

export function valueColumns({ properties }: ImportSchema, uses: readonly ColumnUse[]): readonly ValueColumn[] {
  return uses.flatMap((use, index) => {
    const property = use.kind === 'property' ? properties.get(use.property) : undefined;
    if (use.kind !== 'property' || property === undefined) return [];
    const { name, multi_valued: multiValued, options = [] } = property;
    const unit = uses.findIndex((each) => each.kind === 'unit' && each.property === name);
    const read = { name, multiValued, options, form: formOf(property) };
    return [{ index, property: read, style: styleOf(use), unitIndex: unit < 0 ? undefined : unit }];
  });
}
