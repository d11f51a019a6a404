// From a condition to SQL on a row of `record`. Null counts as false; a negation is `is not true`, so it also holds for
// null. Names of properties are parameters, as values are.
import { isId } from '../../base/id.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { Condition, ExternalIdCondition, Hop, LinkCondition, Selection } from '../../query/plan.ts';
import type { TypeSlots } from '../../schema/slots.ts';
import { ids, numbers } from '../row-parameters.ts';
import { type Viewer, visibleTo } from '../viewer.ts';
import { compileFactTest, compileTest } from './value.ts';

const never = raw('false');
const always = raw('true');

/** A filter follows at most two associations, so it is about three records at most. */
const rows: readonly Sql[] = [raw('r'), raw('r1'), raw('r2')];
const links: readonly Sql[] = [raw('a'), raw('a1'), raw('a2')];

/**
 * Whether links and words are tested record by record, or PostgreSQL may join them to all records. A walk can end early
 * only if nothing is read before it begins.
 */
export type Testing = 'each' | 'all';

/** `offset 0` keeps PostgreSQL from turning the test into a join. */
const fences: Readonly<Record<Testing, Sql>> = { each: raw('offset 0'), all: raw('') };

/** What the row `r` is: a record, or the fact about it with these slots. */
export type RowKind = 'record' | TypeSlots;

function compileCondition(viewer: Viewer, condition: Condition, testing: Testing, kind: RowKind, depth = 0): Sql {
  const row = rows[depth] ?? never;
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.conditions.map((each) => compileCondition(viewer, each, testing, kind, depth));
      return sql`(${join(parts, condition.kind === 'all' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return sql`(${compileCondition(viewer, condition.condition, testing, kind, depth)}) is not true`;
    case 'constant':
      return condition.holds ? always : never;
    case 'id':
      return sql`${row}.id = any (${ids(condition.ids.filter(isId))}::uuid[])`;
    case 'external_id':
      return sql`${row}.id = (${compileExternalId(viewer.orgId, condition)})`;
    case 'property': {
      const slot = kind === 'record' ? undefined : kind.properties.get(condition.property.id);
      if (slot !== undefined) return compileFactTest(row, condition.property, slot, condition.test);
      return compileTest(row, condition.property, condition.test);
    }
    case 'linked':
      return condition.hop.hidden === undefined
        ? compileLink(viewer, condition, testing, kind, depth)
        : compileHiddenLink(viewer, condition, row);
  }
}

/** The id of the record that it names, found by the key of the table before the first row is read. It may be in the trash. */
export function compileExternalId(orgId: number, { typeId, source, externalId }: ExternalIdCondition): Sql {
  return sql`select e.record_id from orrery.external_id as e
    where e.org_id = ${orgId} and e.type_id = ${typeId} and e.source = ${source} and e.external_id = ${externalId}`;
}

/** The other end must be live, of a type that the caller knows, and within the caller's reach. */
function compileLink(
  viewer: Viewer,
  { hop, targetId, conditions }: LinkCondition,
  testing: Testing,
  kind: RowKind,
  depth: number,
): Sql {
  if (targetId !== undefined && !isId(targetId)) return never;
  const row = rows[depth] ?? never;
  const link = links[depth] ?? never;
  const end = rows[depth + 1] ?? never;
  const ends = numbers(hop.ends.map((type) => type.id));
  const column = linkColumnOf(hop, kind);
  if (column !== undefined) {
    const id = sql`${row}.${column}`;
    return sql`exists (
      select 1 from orrery.record as ${end}
      where ${visibleTo(viewer, end)} and ${end}.type_id = any (${ends}::integer[]) and ${end}.id = ${id}
        and ${targetId === undefined ? always : sql`${id} = ${targetId}`}
        and ${endConditions(viewer, hop, conditions, end, depth + 1)} ${fences[testing]})`;
  }
  const { near, far } = endsOf(hop, link);
  const named = targetId === undefined ? always : sql`${far.id} = ${targetId}`;
  return sql`exists (
    select 1 from orrery.association as ${link}
    join orrery.record as ${end} on ${visibleTo(viewer, end)} and ${end}.type_id = ${far.typeId} and ${end}.id = ${far.id}
    where ${link}.org_id = ${viewer.orgId} and ${near.id} = ${row}.id
      and ${link}.association_type_id = ${hop.associationTypeId}
      and ${near.typeId} = ${row}.type_id and ${far.typeId} = any (${ends}::integer[])
      and ${named} and ${endConditions(viewer, hop, conditions, end, depth + 1)} ${fences[testing]})`;
}

/** The column of a fact that has the other end, if there is one. */
export function linkColumnOf({ associationTypeId, direction }: Hop, kind: RowKind): Sql | undefined {
  const column = kind === 'record' || direction === 'incoming' ? undefined : kind.links.get(associationTypeId);
  return column === undefined ? undefined : raw(column);
}

/** The near and the far end of a link, for a hop in this direction. */
export function endsOf({ direction }: Hop, link: Sql) {
  const source = { id: sql`${link}.source_id`, typeId: sql`${link}.source_type_id` };
  const target = { id: sql`${link}.target_id`, typeId: sql`${link}.target_type_id` };
  return direction === 'outgoing' ? { near: source, far: target } : { near: target, far: source };
}

function endConditions(
  viewer: Viewer,
  { ends }: Hop,
  conditions: readonly Condition[] | undefined,
  end: Sql,
  depth: number,
): Sql {
  if (conditions === undefined) return always;
  const compiled = ends.map((type, index) => {
    const wanted = conditions[index] ?? { kind: 'constant', holds: false };
    const condition = compileCondition(viewer, wanted, 'all', 'record', depth);
    // A single type needs no test: no other can be reached.
    return ends.length === 1 ? condition : sql`(${end}.type_id = ${type.id} and ${condition})`;
  });
  return sql`(${join(compiled, ' or ')})`;
}

/**
 * Links to users and to the org are not in the table of associations, but in `record_user` and `record.org_visible`.
 */
function compileHiddenLink({ orgId }: Viewer, { hop, targetId }: LinkCondition, row: Sql): Sql {
  if (hop.hidden === 'svc_org') {
    return targetId === undefined || targetId === String(orgId) ? sql`${row}.org_visible` : never;
  }
  if (targetId !== undefined && !isId(targetId)) return never;
  const named = targetId === undefined ? always : sql`l.user_id = ${targetId}`;
  return sql`exists (select 1 from orrery.record_user as l
    where l.org_id = ${orgId} and l.type_id = ${row}.type_id and l.record_id = ${row}.id and ${named})`;
}

/** The text query of the words, each prefixed with org and type: see `records/index-rows`. */
export function wordsQuery(orgId: number, { type, words }: Selection): string {
  return words.map((word) => `'${orgId}_${type.id}_${word}':*`).join(' & ');
}

/** The whole selection as a condition on the row `r`. */
export function compileSelection(
  viewer: Viewer,
  selection: Selection,
  testing: Testing,
  kind: RowKind = 'record',
): Sql {
  const { condition, words, unfound = [] } = selection;
  const filter = condition === undefined ? undefined : compileCondition(viewer, condition, testing, kind);
  if (words.length === 0) return filter ?? always;
  const found = sql`exists (select 1 from orrery.search as s
    where s.org_id = ${viewer.orgId} and s.type_id = r.type_id and s.record_id = r.id
      and s.words @@ ${wordsQuery(viewer.orgId, selection)}::tsquery ${fences[testing]})`;
  const parts = [
    ...(filter === undefined ? [] : [sql`(${filter})`]),
    found,
    ...(unfound.length === 0 ? [] : [sql`r.id <> all (${ids(unfound)}::uuid[])`]),
  ];
  return join(parts, ' and ');
}
