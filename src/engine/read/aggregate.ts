// One page of groups. All selected records are read, so an aggregation over a large type waits in the lane for scans,
// unless a condition leaves few records.
import type { AggregatePlan } from '../../query/plan.ts';
import type { AggregateRequest } from '../../store/compile/aggregate.ts';
import { areFactsEnough } from '../../store/compile/facts.ts';
import { type FoundGroup, findGroups } from '../../store/query/aggregates.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { findAccessPaths } from './access-paths.ts';
import { findEnumeratedSet, findSeenSet, findSmallSet, hasLargeTotals, isCountable } from './small-sets.ts';
import { unseenTexts, withoutUnseen } from './unseen-words.ts';

/** The texts of what the last group of a page is ordered by. */
export type GroupPosition = readonly (string | null)[];

interface GroupPage {
  readonly groups: readonly FoundGroup[];
  readonly last: GroupPosition | undefined;
}

export async function aggregatePage(
  call: Call,
  asked: AggregatePlan,
  place: { readonly after: GroupPosition | undefined; readonly limit: number },
): Promise<GroupPage> {
  const plan = await withoutUnseen(call, asked, unseenTexts(call, asked));
  const { after, limit } = place;
  // One group more than asked for shows whether there is a next page.
  const request: AggregateRequest = { viewer: viewerOf(call), plan, after, limit: limit + 1 };
  const found = await findAll(call, request);
  const groups = found.slice(0, limit);
  return { groups, last: found.length > limit ? groups.at(-1)?.parts : undefined };
}

async function findAll(call: Call, request: AggregateRequest): Promise<readonly FoundGroup[]> {
  const { sizes, indexes } = call.engine;
  const { database } = call;
  const { type } = request.plan;
  const { orgId } = request.viewer;
  const access = findAccessPaths({ ...request.plan, sort: [] });
  const { sets } = access;
  for (const property of access.indexed) indexes.noteUse(orgId, type, property);
  const few = findEnumeratedSet(sets);
  if (few !== undefined) return findGroups(database, request, few, 'each');
  const large = await sizes.isLarge(orgId, type.id);
  const isSmall = !large && !(await hasLargeTotals(call, access));
  // Of the facts about all records of a small type, more are read in the same time than of the records of a set.
  const isScanned = sets.every(isCountable) && areFactsEnough(request.plan);
  if (isSmall && !isScanned) return findGroups(database, request, sets[0], 'each');
  for (const property of large ? access.unindexed : []) indexes.want(call.session.caller, type, property);
  const set = await findSmallSet(database, request, sets);
  if (set !== undefined) return findGroups(database, request, set, 'each');
  if (isSmall) return findGroups(database, request, undefined, 'each');
  const seen = await findSeenSet(database, request);
  if (seen !== undefined) return findGroups(database, request, seen, 'each');
  // Of the other sets, only words and totals leave less to read than all records.
  const left = sets.find(({ kind }) => kind === 'words') ?? sets.find(({ kind }) => kind === 'totals');
  return findGroups(database.lane, request, left, left ? 'each' : 'all');
}
