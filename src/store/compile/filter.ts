// From a condition to SQL on a row of `record`. Null counts as false; a negation is `is not true`, so it also holds for
// null. Names of properties are parameters, as values are.
import { isId } from '../../base/id.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { Bound, Condition, ExternalIdCondition, Hop, LinkCondition, Selection } from '../../query/plan.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { indexedLink, type TypeSlots } from '../../schema/slots.ts';
import { ids, numbers } from '../row-parameters.ts';
import { type Viewer, visibleTo } from '../viewer.ts';
import { areFactsEnoughForEnds, isUpdateTest, type RangeTest } from './facts.ts';
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

/**
 * `offset 0` keeps PostgreSQL from turning the test into a join. Stages are few: facts, which name their stage, are tested
 * without it, so that all stages are read once.
 */
const fences: Readonly<Record<Testing, Sql>> = { each: raw('offset 0'), all: raw('') };

/** What the row `r` is: a record, or the fact about it with these slots. */
export type RowKind = 'record' | TypeSlots;

/** What the conditions of a statement are about. */
interface Scope {
  readonly viewer: Viewer;
  readonly testing: Testing;
  /** The type of the rows `r`. */
  readonly typeId: number;
  readonly kind: RowKind;
}

function compileCondition(scope: Scope, condition: Condition, depth = 0): Sql {
  const { viewer, kind } = scope;
  const row = rows[depth] ?? never;
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.conditions.map((each) => compileCondition(scope, each, depth));
      return sql`(${join(parts, condition.kind === 'all' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return sql`(${compileCondition(scope, condition.condition, depth)}) is not true`;
    case 'constant':
      return condition.holds ? always : never;
    case 'id':
      return sql`${row}.id = any (${ids(condition.ids.filter(isId))}::uuid[])`;
    case 'external_id':
      return sql`${row}.id = (${compileExternalId(viewer.orgId, condition)})`;
    case 'property': {
      const { property, test } = condition;
      if (kind !== 'record' && isUpdateTest(condition)) return compileUpdateTest(scope, row, condition.test);
      const slot = kind === 'record' ? undefined : kind.properties.get(property.id);
      return slot === undefined
        ? compileTest(viewer.orgId, row, property, test)
        : compileFactTest(row, property, slot, test);
    }
    case 'linked':
      return condition.hop.hidden === undefined
        ? compileLink(scope, condition, depth)
        : compileHiddenLink(viewer, condition, row);
  }
}

/** The id of the record that it names, found by the key of the table before the first row is read. It may be in the trash. */
export function compileExternalId(orgId: number, { typeId, source, externalId }: ExternalIdCondition): Sql {
  return sql`select e.record_id from orrery.external_id as e
    where e.org_id = ${orgId} and e.type_id = ${typeId} and e.source = ${source} and e.external_id = ${externalId}`;
}

/**
 * Whether a fact was updated within a range: facts do not have that time, but the index of updates has. What was updated
 * before some time is what was not updated since, which is usually less to read.
 */
function compileUpdateTest({ viewer, typeId }: Scope, row: Sql, { low, high }: RangeTest): Sql {
  const updated = (range: Sql) => sql`exists (select 1 from orrery.record as u
    where u.org_id = ${viewer.orgId} and u.type_id = ${typeId} and u.id = ${row}.id and ${range})`;
  const at = raw('u.updated_at');
  const bound = (sign: string, { value }: Bound) => sql`${at} ${raw(sign)} ${value}::timestamptz`;
  if (low === undefined && high !== undefined) {
    return sql`(${updated(bound(high.inclusive ? '>' : '>=', high))}) is not true`;
  }
  const sides = [
    ...(low === undefined ? [] : [bound(low.inclusive ? '>=' : '>', low)]),
    ...(high === undefined ? [] : [bound(high.inclusive ? '<=' : '<', high)]),
  ];
  return updated(sides.length === 0 ? always : join(sides, ' and '));
}

/** The other end must be live, of a type that the caller knows, and within the caller's reach. */
function compileLink(scope: Scope, { hop, targetId, conditions }: LinkCondition, depth: number): Sql {
  const { viewer, testing, kind } = scope;
  if (targetId !== undefined && !isId(targetId)) return never;
  const row = rows[depth] ?? never;
  const link = links[depth] ?? never;
  const end = rows[depth + 1] ?? never;
  const areFacts = kind !== 'record' && areFactsEnoughForEnds(hop, conditions);
  const table = areFacts ? raw('orrery.fact') : raw('orrery.record');
  const wanted = endConditions(scope, hop, conditions, end, depth + 1);
  const live = sql`${table} as ${end} where ${visibleTo(viewer, end)} and ${isOfType(end, hop.ends)}`;
  const isNamed = targetId === undefined ? always : sql`${end}.id = ${targetId}`;
  const column = linkColumnOf(hop, kind);
  // The stages are found first, so that an index leads to their records.
  if (column !== undefined && hop.stage) {
    return sql`${row}.${column} = any (array(select ${end}.id from ${live} and ${isNamed} and ${wanted}))`;
  }
  const indexed = areFacts ? isLinkedTo(hop, row, end) : undefined;
  const isLinked = column === undefined ? indexed : sql`${end}.id = ${row}.${column}`;
  if (isLinked !== undefined)
    return sql`exists (select 1 from ${live} and ${isLinked} and ${isNamed} and ${wanted} ${fences[testing]})`;
  const { near, far } = endsOf(hop, link);
  const named = targetId === undefined ? always : sql`${far.id} = ${targetId}`;
  return sql`exists (
    select 1 from orrery.association as ${link}
    join ${table} as ${end} on ${visibleTo(viewer, end)} and ${end}.type_id = ${far.typeId} and ${end}.id = ${far.id}
    where ${link}.org_id = ${viewer.orgId} and ${near.id} = ${row}.id
      and ${link}.association_type_id = ${hop.associationTypeId}
      and ${near.typeId} = ${row}.type_id and ${far.typeId} = any (${idsOf(hop.ends)}::integer[])
      and ${named} and ${wanted} ${fences[testing]})`;
}

/** Whether facts about other ends name the row in the column that has an index, if they all do: then no link is read. */
function isLinkedTo({ associationTypeId, direction, ends }: Hop, row: Sql, end: Sql): Sql | undefined {
  const areIndexed = ends.every(({ slots }) => slots.links.get(associationTypeId) === indexedLink);
  if (direction === 'outgoing' || ends.length === 0 || !areIndexed) return undefined;
  return sql`${end}.${raw(indexedLink)} = ${row}.id`;
}

/** A single type is compared, so that PostgreSQL can read an index in the order of what follows the type in it. */
export function isOfType(row: Sql, types: readonly ObjectType[]): Sql {
  const [first, ...others] = types;
  if (first !== undefined && others.length === 0) return sql`${row}.type_id = ${first.id}`;
  return sql`${row}.type_id = any (${idsOf(types)}::integer[])`;
}

function idsOf(types: readonly ObjectType[]): string {
  return numbers(types.map(({ id }) => id));
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
  { viewer, kind }: Scope,
  hop: Hop,
  conditions: readonly Condition[] | undefined,
  end: Sql,
  depth: number,
): Sql {
  if (conditions === undefined) return always;
  const { ends } = hop;
  const areFacts = kind !== 'record' && areFactsEnoughForEnds(hop, conditions);
  const compiled = ends.map((type, index) => {
    const wanted = conditions[index] ?? { kind: 'constant', holds: false };
    const scope: Scope = { viewer, testing: 'all', typeId: type.id, kind: areFacts ? type.slots : 'record' };
    const condition = compileCondition(scope, wanted, depth);
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
  const { type, condition, words, unfound = [] } = selection;
  const scope: Scope = { viewer, testing, typeId: type.id, kind };
  const filter = condition === undefined ? undefined : compileCondition(scope, condition);
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
