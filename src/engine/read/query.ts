// One page of a query: which way is taken to it. A way that ends as soon as the page is full comes first; what may have to
// read much of a large type is tried for a little while, and then waits for its turn in the lane for scans.
import type { QueryPlan } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { boundedKey } from '../../schema/indexing/record-keys.ts';
import type { Testing } from '../../store/compile/filter.ts';
import type { PageRequest } from '../../store/compile/page.ts';
import type { Walk } from '../../store/compile/walk.ts';
import { type FoundRecord, pageFromSet, scanPage, trySet, tryWalk, walkPage } from '../../store/query/pages.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { type AccessPaths, findAccessPaths } from './access-paths.ts';
import { type Projection, shownProperties } from './records.ts';
import { findEnumeratedSet, findSmallSet, hasLargeTotals } from './small-sets.ts';

interface FoundPage {
  readonly records: readonly FoundRecord[];
  /** Where the page ended, if there is more. */
  readonly last: Position | undefined;
}

export async function queryPage(
  call: Call,
  plan: QueryPlan,
  place: { readonly after: Position | undefined; readonly limit: number },
  projection: Projection,
): Promise<FoundPage> {
  const { after, limit } = place;
  // One more than asked for tells whether there is a next page.
  const request: PageRequest = {
    viewer: viewerOf(call),
    plan,
    after,
    limit: limit + 1,
    shown: shownProperties(call, plan.type, projection),
  };
  const found = await findPage(call, request, findAccessPaths(plan));
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const more = found.length > limit || last?.full === true;
  return { records, last: more && last !== undefined ? { parts: last.parts, id: last.id } : undefined };
}

async function findPage(call: Call, request: PageRequest, access: AccessPaths): Promise<readonly FoundRecord[]> {
  const { database, sizes, indexes, reads } = call.engine;
  const { sets, walk, exact } = access;
  const { type } = request.plan;
  // Of a walk through what others keep to themselves nobody knows how long it is.
  if (walk !== undefined && exact && request.viewer.onlyUser === null) {
    const found = await walkPage(database, request, walk);
    if (!isCut(request, walk, found)) return found;
  }
  const few = findEnumeratedSet(sets);
  if (few !== undefined) return pageFromSet(database, request, few);
  if (await sizes.isLarge(request.viewer.orgId, type.id)) {
    for (const property of access.unindexed) indexes.want(request.viewer.orgId, type, property);
    return findInLarge(call, request, access);
  }
  if (await hasLargeTotals(call, access)) return findInLarge(call, request, access);
  const [set] = sets;
  return reads.run(request.viewer.orgId, () => {
    if (walk?.kind === 'value' || walk?.kind === 'linked') return walkPage(database, request, walk);
    return set === undefined ? walkOrScan(call, request, walk, 'each') : pageFromSet(database, request, set);
  });
}

/** All records along the walk, or all of the type where there is none, or where it cannot tell the order. */
async function walkOrScan(
  { engine: { database } }: Call,
  request: PageRequest,
  walk: Walk | undefined,
  testing: Testing,
): Promise<readonly FoundRecord[]> {
  const found = walk === undefined ? undefined : await walkPage(database, request, walk);
  if (walk !== undefined && found !== undefined && !isCut(request, walk, found)) return found;
  return scanPage(database, request, testing);
}

/**
 * Whether a text on the page, or the one that it begins after, is so long that the index knows only its beginning: then
 * others with the same beginning may stand before or behind it in vain.
 */
function isCut({ after }: PageRequest, walk: Walk, found: readonly FoundRecord[]): boolean {
  if (walk.kind !== 'index' || walk.index.kind !== 'text') return false;
  const texts = [after?.parts[0], ...found.map(({ parts }) => parts[0])];
  return texts.some((text) => text !== undefined && text !== null && boundedKey(text) !== text);
}

async function findInLarge(
  call: Call,
  request: PageRequest,
  { sets, walk }: AccessPaths,
): Promise<readonly FoundRecord[]> {
  const { database, scans } = call.engine;
  const selective = await findSmallSet(database, request, sets);
  if (selective !== undefined) return pageFromSet(database, request, selective);
  // Of what is left, words leave least to read, as a rule.
  const words = sets.find(({ kind }) => kind === 'words');
  const foundByWords = words === undefined ? undefined : await trySet(database, request, words);
  if (foundByWords !== undefined) return foundByWords;
  // A walk by a total adds up all of them before its first row.
  const found = walk === undefined || walk.kind === 'totals' ? undefined : await tryWalk(database, request, walk);
  if (walk !== undefined && found !== undefined && !isCut(request, walk, found)) return found;
  const set = words ?? sets.find(({ kind }) => kind === 'totals') ?? sets[0];
  return scans.run(request.viewer.orgId, () =>
    set === undefined ? walkOrScan(call, request, walk, 'all') : pageFromSet(database, request, set),
  );
}
