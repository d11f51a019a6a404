// One page of a query as one statement: along a walk, from a set, or from all records of the type. All three return the
// same columns and test the whole selection on each record.
import { bounds, limits } from '../../base/limits.ts';
import { join, paged, raw, type Sql, sql } from '../../base/sql.ts';
import type { QueryPlan } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { type Viewer, visibleTo } from '../viewer.ts';
import { createdAt } from './created.ts';
import { areFactsEnoughForPage } from './facts.ts';
import { compileSelection, type RowKind, type Testing } from './filter.ts';
import { compileSeenWalk } from './seen.ts';
import { compileSet, type RecordSet } from './sets.ts';
import { compileAfter, compileOrder, compileParts } from './sort.ts';
import { compileBytes, compileText, type Shown } from './totals.ts';
import { type Stretch, stretchesOf, type Walk } from './walk.ts';

export interface PageRequest {
  readonly viewer: Viewer;
  readonly plan: QueryPlan;
  readonly after: Position | undefined;
  readonly limit: number;
  readonly shown: Shown;
  /** Whether the rows have what they are ordered by, or only the values that it can be read from. */
  readonly parts: 'asked' | 'left_out';
}

/** Along a walk: its stretches one after the other, as written, until the page is full. */
export function compileWalk(request: PageRequest, walk: Walk): Sql {
  const { viewer, plan, after, limit } = request;
  const stretches = stretchesOf(viewer.orgId, plan.type.id, walk, after);
  const rows = stretches.filter(({ of }) => of === 'rows').map(({ from, order }) => sql`${from} order by ${order}`);
  if (rows.length > 0) return finish(request, sql`${testedRows(request, inTurn(rows))} limit ${limit}`);
  const records = stretches.map((stretch) => stretchRecords(request, stretch));
  return finish(request, sql`select * from (${inTurn(records)}) as t limit ${limit}`);
}

function stretchRecords(request: PageRequest, { of, from, order }: Stretch): Sql {
  const { viewer, plan, limit } = request;
  const wanted = sql`r.type_id = ${plan.type.id} and ${from} and ${compileSelection(viewer, plan, 'each')}`;
  if (of === 'records') {
    return sql`select ${columns(request)} from orrery.record as r where ${visibleTo(viewer)} and ${wanted}
      order by ${order} limit ${limit}`;
  }
  const created = sql`${createdAt(raw('r.id'))} as created`;
  const halves = visibilities.map(
    (half) => sql`(select ${columns(request)}, ${created} from orrery.record as r
      where ${visibleTo(viewer)} and ${wanted} and ${half} order by ${order})`,
  );
  return sql`select t.id, t.version, t.properties, t.parts from (${join(halves, ' union all ')}) as t
    order by t.created desc, t.id limit ${limit}`;
}

/** The halves of the index of the newest records. */
const visibilities = [raw('r.org_visible'), raw('not r.org_visible')] as const;

function inTurn(parts: readonly Sql[]): Sql {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return join(
    parts.map((part) => sql`(${part})`),
    ' union all ',
  );
}

/** The records of some rows, in the order of the rows, if they are selected. */
function testedRows(request: PageRequest, rows: Sql): Sql {
  const { viewer, plan } = request;
  return sql`select ${columns(request)} from (${rows}) as i
    cross join lateral (
      select r.* from orrery.record as r
      where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and r.id = i.record_id
        and ${compileSelection(viewer, plan, 'each')}
      offset 0) as r`;
}

/** The same, but only `examined` rows of all stretches together are read: the result is the beginning of the page. */
export function compileTry(request: PageRequest, walk: Walk, examined: number): Sql {
  return finish(request, sql`${testedRows(request, triedRows(request, walk, examined))} limit ${request.limit}`);
}

/** How many rows such a try examines. */
export function compileTried(request: PageRequest, walk: Walk, examined: number): Sql {
  return sql`select count(*)::integer as count from (${triedRows(request, walk, examined)}) as t`;
}

function triedRows({ viewer, plan, after }: PageRequest, walk: Walk, examined: number): Sql {
  if (walk.kind === 'created' && viewer.onlyUser !== null) {
    return compileSeenWalk(viewer, plan.type.id, walk, after, examined);
  }
  const rows = stretchesOf(viewer.orgId, plan.type.id, walk, after).map((stretch) => {
    const { of, from, order } = stretch;
    if (of === 'rows') return sql`select t.record_id from (${from} order by ${order} limit ${examined}) as t`;
    // Records that the viewer cannot see are examined like others: their number is not known in advance.
    const range = sql`orrery.record as r where r.org_id = ${viewer.orgId} and r.type_id = ${plan.type.id} and ${from}`;
    if (of === 'records') return sql`select r.id as record_id from ${range} order by ${order} limit ${examined}`;
    const halves = visibilities.map(
      (half) => sql`(select r.id as record_id, ${createdAt(raw('r.id'))} as created from ${range} and ${half}
        order by ${order} limit ${examined})`,
    );
    return sql`select t.record_id from (${join(halves, ' union all ')}) as t
      order by t.created desc, t.record_id limit ${examined}`;
  });
  return sql`select t.record_id from (${inTurn(rows)}) as t limit ${examined}`;
}

/** From a set, which is read completely and then sorted. */
export function compileFromSet(request: PageRequest, set: RecordSet): Sql {
  const { viewer, plan, limit } = request;
  return finish(
    request,
    sql`select ${columns(request)} from (select distinct k.record_id from (${compileSet(viewer, plan, set)}) as k) as i
      cross join lateral (
        select r.* from orrery.record as r
        where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and r.id = i.record_id
          and ${compileSelection(viewer, plan, 'each')}
        offset 0) as r
      where ${beyond(request)} order by ${compileOrder(viewer.orgId, plan.sort)} limit ${limit}`,
  );
}

/** From all records of the type: from the facts about them, if those tell which records are on the page. */
export function compileScan(request: PageRequest, testing: Testing): Sql {
  const { viewer, plan, limit } = request;
  if (areFactsEnoughForPage(plan)) return finish(request, compileFactScan(request, testing));
  return finish(
    request,
    sql`select ${columns(request)} from orrery.record as r
      where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and ${compileSelection(viewer, plan, testing)}
        and ${beyond(request)}
      order by ${compileOrder(viewer.orgId, plan.sort)} limit ${limit}`,
  );
}

function compileFactScan(request: PageRequest, testing: Testing): Sql {
  const { viewer, plan, limit } = request;
  const { slots } = plan.type;
  return sql`select ${columns(request)} from (
      select r.id from orrery.fact as r
      where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and ${compileSelection(viewer, plan, testing, slots)}
        and ${beyond(request, slots)}
      order by ${compileOrder(viewer.orgId, plan.sort, slots)} limit ${limit}) as i
    cross join lateral (
      select r.* from orrery.record as r
      where r.org_id = ${viewer.orgId} and r.type_id = ${plan.type.id} and r.id = i.id offset 0) as r
    order by ${compileOrder(viewer.orgId, plan.sort)}`;
}

function beyond({ viewer, plan, after }: PageRequest, kind: RowKind = 'record'): Sql {
  return after === undefined ? raw('true') : compileAfter(viewer.orgId, plan.sort, after, kind);
}

function columns({ viewer, plan, parts }: PageRequest): Sql {
  return sql`r.id, r.version, r.properties, ${parts === 'asked' ? compileParts(viewer.orgId, plan.sort) : leftOut}`;
}

const leftOut = raw('null as parts');

/**
 * Adds the text of the values; a page of many records ends with the one that fills its bytes (see `listWithinBytes`).
 */
function finish({ viewer, limit, shown }: PageRequest, page: Sql): Sql {
  const text = sql`${compileText(raw('p'), viewer.orgId, shown)} as properties`;
  if (limit <= limits.pageSizeDefault + 1)
    return paged(sql`select p.id, p.version, p.parts, ${text} from (${page}) as p`);
  return sql`select p.id, p.version, p.parts, ${text}, p.bytes >= ${bounds.store.pageBytes} as full from (
      select p.*, sum(p.own) over (rows unbounded preceding) as bytes
      from (select p.*, ${compileBytes(raw('p'), shown.hidden)} as own from (${page}) as p) as p) as p
    where p.bytes - p.own < ${bounds.store.pageBytes}`;
}
