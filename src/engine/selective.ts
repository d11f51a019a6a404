// Which of the sets that a question names leave so little to read that nothing else needs to be tried.
import { bounds } from '../base/limits.ts';
import type { Selection } from '../query/plan.ts';
import type { RecordSet } from '../store/compile/access.ts';
import type { Transaction } from '../store/database.ts';
import { countSets } from '../store/queries.ts';
import type { Viewer } from '../store/viewer.ts';

/** A set that has no more records than values were asked for. */
export function fewOf(sets: readonly RecordSet[]): RecordSet | undefined {
  return sets.find(({ kind }) => kind === 'ids' || kind === 'unique');
}

/** The smallest set, if it is small. Words are not counted: to count them is to find them. */
export async function selectiveOf(
  database: Transaction,
  request: { readonly viewer: Viewer; readonly plan: Selection },
  sets: readonly RecordSet[],
): Promise<RecordSet | undefined> {
  const countable = sets.filter(({ kind }) => kind !== 'words');
  if (countable.length === 0) return undefined;
  const counts = await countSets(database, request, countable);
  const least = Math.min(...counts);
  return least < bounds.selectiveSet ? countable[counts.indexOf(least)] : undefined;
}
