// One page of a query: decides which way to it is taken. A way that ends as soon as the page is full comes first. A way
// that may read much of a large type is tried for a short time, and then waits in the lane for scans.
import { bounds } from '../../base/limits.ts';
import type { QueryPlan } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { boundedKey, mayHaveCutKeys } from '../../schema/indexing/record-keys.ts';
import { areFactsEnoughForPage } from '../../store/compile/facts.ts';
import type { Testing } from '../../store/compile/filter.ts';
import type { PageRequest } from '../../store/compile/page.ts';
import type { RecordSet } from '../../store/compile/sets.ts';
import type { Walk } from '../../store/compile/walk.ts';
import type { Reads, Transaction } from '../../store/database.ts';
import { type FoundRecord, pageFromSet, scanPage, trySet, tryWalk, walkPage } from '../../store/query/pages.ts';
import { seesAll } from '../../store/viewer.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { type AccessPaths, findAccessPaths } from './access-paths.ts';
import { canReadParts, positionOf } from './read-position.ts';
import { type Projection, shownProperties } from './records.ts';
import { findEnumeratedSet, findSeenSet, findSmallSet, hasLargeTotals, isCountable } from './small-sets.ts';
import { isFoundUnseen, unseenTexts, withoutShown, withoutUnseen } from './unseen-words.ts';

interface FoundPage {
  readonly records: readonly FoundRecord[];
  /** Where the page ended, if there is more. */
  readonly last: Position | undefined;
}

interface PagePlace {
  readonly after: Position | undefined;
  readonly limit: number;
}

export async function queryPage(
  call: Call,
  plan: QueryPlan,
  place: PagePlace,
  projection: Projection,
): Promise<FoundPage> {
  const { limit } = place;
  const found = await readPage(call, plan, place, projection);
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const more = found.length > limit || last?.full === true;
  return { records, last: more && last !== undefined ? positionOf(plan.sort, last) : undefined };
}

/** Few searches find a record by unseen texts alone: such a page is read again, without all those records. */
async function readPage(
  call: Call,
  plan: QueryPlan,
  place: PagePlace,
  projection: Projection,
): Promise<readonly FoundRecord[]> {
  const found = await findRecords(call, plan, place, projection);
  const unseen = unseenTexts(call, plan);
  if (unseen.length === 0 || !(await isFoundUnseen(call, plan, unseen, withoutShown(plan, found)))) return found;
  return findRecords(call, await withoutUnseen(call, plan, unseen), place, projection);
}

async function findRecords(
  call: Call,
  plan: QueryPlan,
  { after, limit }: PagePlace,
  projection: Projection,
): Promise<readonly FoundRecord[]> {
  const shown = shownProperties(call, plan.type, projection);
  // One record more than asked for shows whether there is a next page.
  const request: PageRequest = {
    viewer: viewerOf(call),
    plan,
    after,
    limit: limit + 1,
    shown,
    parts: canReadParts(plan.sort, shown.omitted) ? 'left_out' : 'asked',
  };
  const access = findAccessPaths(plan);
  for (const property of access.indexed) call.engine.indexes.noteUse(request.viewer.orgId, plan.type, property);
  return findPage(call, request, access);
}

async function findPage(call: Call, request: PageRequest, access: AccessPaths): Promise<readonly FoundRecord[]> {
  const { sizes, indexes } = call.engine;
  const { database } = call;
  const { sets, walk, exact, certain } = access;
  const { type } = request.plan;
  const untested = { ...request, plan: { ...request.plan, condition: undefined } };
  // A walk over hidden records has no known length, so it is not taken without a bound.
  if (walk !== undefined && exact && seesAll(request.viewer, type.id)) {
    const found = await walkPage(database, certain === 'walk' ? untested : request, walk);
    if (!isCut(request, walk, found)) return found;
  }
  const few = findEnumeratedSet(sets);
  if (few !== undefined) return pageFromSet(database, certain === 'set' ? untested : request, few);
  if (await sizes.isLarge(request.viewer.orgId, type.id)) {
    for (const property of access.unindexed) indexes.want(call.session.caller, type, property);
    return findInLarge(call, request, access);
  }
  if (await hasLargeTotals(call, access)) return findInLarge(call, request, access);
  const [set] = sets;
  if (walk?.kind === 'value' || walk?.kind === 'linked') return walkPage(database, request, walk);
  if (set === undefined) return walkOrScan(database, request, walk, 'each');
  const scanned = await isScanned(database, request, sets, bounds.store.smallSet);
  return scanned ? scanPage(database, request, 'each') : pageFromSet(database, request, set);
}

/** Whether all sets are so large that a scan of the facts about all records costs less, if those tell the page. */
async function isScanned(
  database: Transaction,
  request: PageRequest,
  sets: readonly RecordSet[],
  fewest: number,
): Promise<boolean> {
  if (!sets.every(isCountable) || !areFactsEnoughForPage(request.plan)) return false;
  return (await findSmallSet(database, request, sets, fewest)) === undefined;
}

/** All records along the walk, or all of the type if there is no walk or it does not know the order. */
async function walkOrScan(
  database: Reads,
  request: PageRequest,
  walk: Walk | undefined,
  testing: Testing,
): Promise<readonly FoundRecord[]> {
  const found = walk === undefined ? undefined : await walkPage(database, request, walk);
  if (walk !== undefined && found !== undefined && !isCut(request, walk, found)) return found;
  return scanPage(database, request, testing);
}

/**
 * Whether a text on the page, or the one that the page begins after, is so long that the index holds only its
 * beginning: its order among other texts with the same beginning is then unknown.
 */
function isCut({ plan, after }: PageRequest, walk: Walk, found: readonly FoundRecord[]): boolean {
  if (walk.kind !== 'index' || walk.index.kind !== 'text') return false;
  // Only a record with long values can have a long text among them.
  const isLong = ({ parts, properties }: FoundRecord) =>
    parts !== null || mayHaveCutKeys(Buffer.byteLength(properties));
  const long = found.filter(isLong);
  const texts = [after?.parts[0], ...long.map((record) => positionOf(plan.sort, record).parts[0])];
  return texts.some((text) => text !== undefined && text !== null && boundedKey(text) !== text);
}

async function findInLarge(
  call: Call,
  request: PageRequest,
  { sets, walk }: AccessPaths,
): Promise<readonly FoundRecord[]> {
  const { database } = call;
  const selective = await findSmallSet(database, request, sets);
  if (selective !== undefined) return pageFromSet(database, request, selective);
  // Of the other sets, words usually leave the least to read.
  const words = sets.find(({ kind }) => kind === 'words');
  const foundByWords = words === undefined ? undefined : await trySet(database, request, words);
  if (foundByWords !== undefined) return foundByWords;
  // A walk by a total adds up all totals before its first row.
  const found = walk === undefined || walk.kind === 'totals' ? undefined : await tryWalk(database, request, walk);
  if (walk !== undefined && found !== undefined && !isCut(request, walk, found)) return found;
  const seen = await findSeenSet(database, request);
  if (seen !== undefined) return pageFromSet(database, request, seen);
  const set = words ?? sets.find(({ kind }) => kind === 'totals') ?? sets[0];
  const { lane } = database;
  if (set !== undefined && (await isScanned(database, request, sets, bounds.store.scannedSet))) {
    return scanPage(lane, request, 'all');
  }
  return set === undefined ? walkOrScan(lane, request, walk, 'all') : pageFromSet(lane, request, set);
}
