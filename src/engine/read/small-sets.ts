// Finds a set so small that no other way, or no scan of the type, needs to be tried, and says whether a way by totals must read very many deals.
import { bounds } from '../../base/limits.ts';
import type { Selection } from '../../query/plan.ts';
import { dealFeeds } from '../../schema/roles/deal-totals.ts';
import type { RecordSet } from '../../store/compile/sets.ts';
import type { Transaction } from '../../store/database.ts';
import { countSets } from '../../store/query/pages.ts';
import type { Viewer } from '../../store/viewer.ts';
import type { Call } from '../process/call.ts';
import type { AccessPaths } from './access-paths.ts';

/** A set whose records are enumerated by the query: it has at most one record for each value. */
export function findEnumeratedSet(sets: readonly RecordSet[]): RecordSet | undefined {
  return sets.find(({ kind }) => kind === 'ids' || kind === 'external_id' || kind === 'unique');
}

/** Words and totals are not counted: counting them would mean finding them all. */
export function isCountable({ kind }: RecordSet): boolean {
  return kind !== 'words' && kind !== 'totals';
}

/** The smallest set, if it has fewer records than `most`. */
export async function findSmallSet(
  database: Transaction,
  request: { readonly viewer: Viewer; readonly plan: Selection },
  sets: readonly RecordSet[],
  most: number = bounds.store.smallSet,
): Promise<RecordSet | undefined> {
  const countable = sets.filter(isCountable);
  if (countable.length === 0) return undefined;
  const counts = await countSets(database, request, countable, most);
  const least = Math.min(...counts);
  return least < most ? countable[counts.indexOf(least)] : undefined;
}

/** All records that the user sees, if they are no more than those of a type that is not large. */
export async function findSeenSet(
  database: Transaction,
  request: { readonly viewer: Viewer; readonly plan: Selection },
): Promise<RecordSet | undefined> {
  if (request.viewer.onlyUser === null) return undefined;
  const set: RecordSet = { kind: 'seen' };
  const [count = 0] = await countSets(database, request, [set], bounds.store.largeType);
  return count < bounds.store.largeType ? set : undefined;
}

/** Whether there is a way by totals and it must read very many deals, however few records have totals. */
export async function hasLargeTotals(
  { engine, session }: Call,
  { sets, walk }: Pick<AccessPaths, 'sets' | 'walk'>,
): Promise<boolean> {
  const totals = walk?.kind === 'totals' || sets.some(({ kind }) => kind === 'totals');
  return totals && (await engine.sizes.isLarge(session.caller.orgId, dealFeeds.dealType));
}
