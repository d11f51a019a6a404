// From a set of records to the statement that lists them, as a column `record_id`. The engine chooses the sets (see
// `engine/read/access-paths`).
import { isId } from '../../base/id.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { ExternalIdCondition, Hop, Selection, Test } from '../../query/plan.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { Property } from '../../schema/object-type.ts';
import { indexTables } from '../index-tables.ts';
import { ids } from '../row-parameters.ts';
import type { Viewer } from '../viewer.ts';
import { compileExternalId, endsOf, wordsQuery } from './filter.ts';
import { compileSeen } from './seen.ts';
import { compileTotalRows } from './totals.ts';
import { compileLoneTest } from './value.ts';

export interface KeyBound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** A range of keys; without bounds, all of them. */
export interface KeyRange {
  readonly low?: KeyBound;
  readonly high?: KeyBound;
}

export interface IndexRef {
  readonly kind: IndexKind;
  readonly propertyId: number;
}

/**
 * A set that holds all records wanted, and maybe others. The first three kinds hold at most one record for each value.
 */
export type RecordSet =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'external_id'; readonly name: ExternalIdCondition }
  | { readonly kind: 'unique'; readonly propertyId: number; readonly keys: readonly string[] }
  | { readonly kind: 'linked'; readonly hop: Hop; readonly otherId: string }
  | { readonly kind: 'values'; readonly index: IndexRef; readonly keys: readonly string[] }
  | { readonly kind: 'range'; readonly index: IndexRef; readonly range: KeyRange }
  | { readonly kind: 'updated'; readonly range: KeyRange }
  /** Found from the deals that the totals are made of, all of which are read. */
  | { readonly kind: 'totals'; readonly property: Property; readonly test: Test }
  | { readonly kind: 'words' }
  /** All that the user sees. */
  | { readonly kind: 'seen' };

/** A record is listed more than once if it has several of the values. */
export function compileSet(viewer: Viewer, selection: Selection, set: RecordSet): Sql {
  const { orgId } = viewer;
  const typeId = selection.type.id;
  switch (set.kind) {
    case 'ids':
      return sql`select unnest(${ids(set.ids.filter(isId))}::uuid[]) as record_id`;
    case 'external_id':
      return compileExternalId(orgId, set.name);
    case 'unique':
      return sql`select u.record_id from orrery.unique_value as u
        where u.org_id = ${orgId} and u.type_id = ${typeId} and u.property_id = ${set.propertyId}
          and u.value = any (${set.keys}::text[])`;
    case 'values':
      return sql`select i.record_id from ${indexTables[set.index.kind].table} as i
        where ${rowsOf(orgId, typeId, set.index)} and not i.unset
          and i.value = any (${set.keys}${indexTables[set.index.kind].cast}[])`;
    case 'range':
      return sql`select i.record_id from ${indexTables[set.index.kind].table} as i
        where ${rowsOf(orgId, typeId, set.index)} and not i.unset
          and ${compileRange(raw('i.value'), set.range, indexTables[set.index.kind].cast)}`;
    case 'updated':
      return sql`select r.id as record_id from orrery.record as r
        where r.org_id = ${orgId} and r.type_id = ${typeId}
          and ${compileRange(raw('r.updated_at'), set.range, raw('::timestamptz'))}`;
    case 'linked': {
      const { near, far } = endsOf(set.hop, raw('a'));
      return sql`select ${near.id} as record_id from orrery.association as a
        where a.org_id = ${orgId} and ${far.id} = ${set.otherId}
          and a.association_type_id = ${set.hop.associationTypeId} and ${near.typeId} = ${typeId}`;
    }
    case 'totals':
      return sql`select k.record_id from (${compileTotalRows(orgId, typeId, set.property)}) as k
        where ${compileLoneTest(raw('k'), set.property, set.test)}`;
    case 'words':
      return sql`select s.record_id from orrery.search as s
        where s.org_id = ${orgId} and s.type_id = ${typeId}
          and s.words @@ ${wordsQuery(orgId, selection)}::tsquery`;
    case 'seen':
      return compileSeen(viewer, typeId);
  }
}

/** The rows of one property in an index table. */
export function rowsOf(orgId: number, typeId: number, { propertyId }: IndexRef): Sql {
  return sql`i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId}`;
}

export function compileRange(value: Sql, { low, high }: KeyRange, cast: Sql): Sql {
  const sides = [
    ...(low === undefined ? [] : [sql`${value} ${low.inclusive ? raw('>=') : raw('>')} ${low.key}${cast}`]),
    ...(high === undefined ? [] : [sql`${value} ${high.inclusive ? raw('<=') : raw('<')} ${high.key}${cast}`]),
  ];
  return sides.length === 0 ? raw('true') : join(sides, ' and ');
}

/** How many records the set has, counted up to a bound. */
export function compileCount(viewer: Viewer, selection: Selection, set: RecordSet, most: number): Sql {
  return sql`(select count(*)::integer from (${compileSet(viewer, selection, set)} limit ${most}) as c)`;
}
