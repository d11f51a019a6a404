// Finds the links of rows that only create records, ahead of writing them: the rows of a batch together, in a few statements
// that lock nothing. A link is seen while both of its ends are live, so a target that goes meanwhile does no harm.
import { Problem, refusalOf } from '../../base/problem.ts';
import type { UnitCall } from '../process/call.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import { Unit } from '../unit/unit.ts';
import { eachOnce, LinkTargets } from './link-targets.ts';
import type { ImportedItem, ImportedRow, RowForm } from './read-row.ts';

export interface RowLinks {
  /** Each link once. */
  readonly links: readonly ResolvedLink[];
  readonly skipped: number;
}

export type LinksOfRows = ReadonlyMap<ImportedItem, RowLinks | Problem>;

export async function findRowLinks(
  call: UnitCall,
  { links: columns }: RowForm,
  rows: readonly ImportedRow[],
): Promise<LinksOfRows> {
  const found = new Map<ImportedItem, RowLinks | Problem>();
  if (columns.length === 0) return found;
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  // It only reads, so it is never finished.
  const unit = new Unit(call, call.database, 'looked_up');
  const targets = new LinkTargets(unit, columns);
  await targets.load(items.map((item) => item.targets));
  for (const item of items) {
    const own = await targets.find(item.targets).catch(refusalOf);
    found.set(item, own instanceof Problem ? own : { links: eachOnce(own.links), skipped: own.skipped });
  }
  return found;
}
