// Finds out from the cells of a file how its dates and numbers are written, for columns about which a person has said
// nothing. Where that stays in doubt, the import is refused.
import { isDoubt, type StyleDoubt, StyleFinder } from '../../../client/import/cells/settle-styles.ts';
import type { CsvRows } from '../../../client/import/files/csv-file.ts';
import { Failure } from '../../base/failure.ts';
import type { PlannedColumn } from './column-use.ts';
import type { ImportPlan } from './plan.ts';

/** `pieces` are all rows of the file, the header first. They are read only if a column needs it. */
export async function settleStyles(plan: ImportPlan, pieces: AsyncIterable<CsvRows>): Promise<ImportPlan> {
  const finder = new StyleFinder(plan.columns.map((column) => askedColumn(plan, column)));
  if (!finder.isOpen) return plan;
  let isHeader = true;
  for await (const { rows } of pieces) {
    for (const { cells } of rows) {
      if (!isHeader) finder.see(cells);
      isHeader = false;
    }
  }
  const found = finder.settle();
  const columns = plan.columns.map((column, index): PlannedColumn => {
    const { use } = column;
    const settled = found[index];
    if (isDoubt(settled)) {
      // Nobody has asked for the date of creation, so the others need not wait for it.
      if (use.kind !== 'created_at' || use.guessed !== true) throw refusalOf(settled);
      return { ...column, use: { kind: 'ignored', why: 'its dates can be read in two ways: see --date-format' } };
    }
    return settled === undefined || !('style' in use)
      ? column
      : { ...column, use: { ...use, style: { ...use.style, ...settled } } };
  });
  return { ...plan, columns };
}

function askedColumn({ type }: ImportPlan, { header, use }: PlannedColumn) {
  if (use.kind === 'created_at') return { header, fieldType: 'datetime', style: use.style };
  const fieldType = use.kind === 'property' ? type.properties.get(use.property)?.fieldType : undefined;
  return use.kind !== 'property' || fieldType === undefined
    ? undefined
    : { header, fieldType: fieldType.name, style: use.style };
}

function refusalOf({ sentence, dates }: StyleDoubt): Failure {
  const fix =
    dates === undefined
      ? 'Say with --decimal whether a point or a comma comes before decimals: --decimal . or --decimal ,'
      : `Say which with --date-format ${dates[0]} or ${dates[1]}. Nothing was imported.`;
  return new Failure('usage', sentence, fix);
}
