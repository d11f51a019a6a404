// Runs the pages of queries. Each function is one way to a page; the engine decides which of them are tried, and in
// which order.
import { bounds } from '../../base/limits.ts';
import { join, passedOn, short, sql, varied } from '../../base/sql.ts';
import type { Selection } from '../../query/plan.ts';
import type { Testing } from '../compile/filter.ts';
import {
  compileFromSet,
  compileScan,
  compileTried,
  compileTry,
  compileWalk,
  type PageRequest,
} from '../compile/page.ts';
import { compileCount, type RecordSet } from '../compile/sets.ts';
import type { Walk } from '../compile/walk.ts';
import type { Reads, WorkDatabase } from '../database.ts';
import { isTimedOut } from '../pg-error.ts';
import type { RecordText } from '../records/records.ts';
import type { Viewer } from '../viewer.ts';

export interface FoundRecord extends RecordText {
  /** What the record is ordered by (see `query/position`); null if it was left out. */
  readonly parts: readonly (string | null)[] | null;
}

export async function walkPage(database: Reads, request: PageRequest, walk: Walk): Promise<readonly FoundRecord[]> {
  return database.query<FoundRecord>(short(varied(passedOn(compileWalk(request, walk)))));
}

/** The page, if it is found within a bounded number of rows, or if there are no more than those. */
export async function tryWalk(
  database: Reads,
  request: PageRequest,
  walk: Walk,
): Promise<readonly FoundRecord[] | undefined> {
  for (const most of attempts(request)) {
    const found = await database.query<FoundRecord>(short(varied(passedOn(compileTry(request, walk, most)))));
    if (found.length >= request.limit || found.at(-1)?.full === true) return found;
    const [tried] = await database.query<{ count: number }>(varied(compileTried(request, walk, most)));
    if (tried !== undefined && tried.count < most) return found;
  }
  return undefined;
}

/** How many rows are examined. Without conditions nearly all of them are on the page, so there a few come first. */
function attempts({ plan, limit }: PageRequest): readonly number[] {
  const most = bounds.store.examinedRows;
  return plan.condition === undefined && plan.words.length === 0 ? [Math.min(2 * limit, most), most] : [most];
}

export async function pageFromSet(
  database: Reads,
  request: PageRequest,
  set: RecordSet,
): Promise<readonly FoundRecord[]> {
  return database.query<FoundRecord>(short(varied(passedOn(compileFromSet(request, set)))));
}

export async function scanPage(
  database: Reads,
  request: PageRequest,
  testing: Testing,
): Promise<readonly FoundRecord[]> {
  return database.query<FoundRecord>(varied(passedOn(compileScan(request, testing))));
}

/** The page, if it is found soon: how common a word is cannot be known in advance. */
export async function trySet(
  database: WorkDatabase,
  request: PageRequest,
  set: RecordSet,
): Promise<readonly FoundRecord[] | undefined> {
  try {
    return await database.transaction(async (transaction) => {
      await transaction.script(`set local statement_timeout = ${bounds.store.searchTryMs}`);
      return pageFromSet(transaction, request, set);
    });
  } catch (error) {
    if (isTimedOut(error)) return undefined;
    throw error;
  }
}

/** The sizes of the sets, each counted up to `most`. */
export async function countSets(
  database: Reads,
  { viewer, plan }: { readonly viewer: Viewer; readonly plan: Selection },
  sets: readonly RecordSet[],
  most: number,
): Promise<readonly number[]> {
  const counts = sets.map((set) => compileCount(viewer, plan, set, most));
  const statement = varied(sql`select array[${join(counts, ', ')}] as counts`);
  const [row] = await database.query<{ counts: readonly number[] }>(statement);
  return row?.counts ?? [];
}

/** Whether the type has so many records that reading all of them takes a while. */
export async function isLargeType(database: Reads, orgId: number, typeId: number): Promise<boolean> {
  const rows = await database.query(sql`
    select 1 as beyond from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId}
    order by r.id offset ${bounds.store.largeType} limit 1`);
  return rows.length > 0;
}
