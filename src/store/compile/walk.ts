// From a walk to its stretches, one after the other, from a position on. Each stretch is a plain range of an index in
// the order of that index, so a page costs the same wherever it begins. Only totals have no index, and are all added up
// for each page. The engine chooses the walk (see `engine/read/access-paths`).

import { firstIdAt, idTimeMs } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Hop, SortKey, Test } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { boundedKey } from '../../schema/indexing/record-keys.ts';
import type { Property } from '../../schema/object-type.ts';
import { indexTables } from '../index-tables.ts';
import { createdAt, createdBytes, withinById, withinByTime } from './created.ts';
import { endsOf } from './filter.ts';
import { compileBeyond, compileOrderBy } from './keyset.ts';
import { compileRange, type IndexRef, type KeyRange, rowsOf } from './sets.ts';
import { compileTotal, compileTotalRows } from './totals.ts';
import { compileLoneTest, orderValuesOf } from './value.ts';

export type Walk =
  /** By time of creation, which is the order of ids; bounds are moments. */
  | { readonly kind: 'created'; readonly direction: SortKey['direction']; readonly range: KeyRange }
  | { readonly kind: 'updated'; readonly direction: SortKey['direction']; readonly range: KeyRange }
  | {
      readonly kind: 'index';
      readonly index: IndexRef;
      readonly property: Property;
      readonly direction: SortKey['direction'];
      readonly range: KeyRange;
    }
  | { readonly kind: 'options'; readonly property: Property; readonly direction: SortKey['direction'] }
  /** By a total. Records without one come last, or not at all if there is a test. */
  | {
      readonly kind: 'totals';
      readonly property: Property;
      readonly direction: SortKey['direction'];
      readonly test: Test | undefined;
    }
  /** Records with one value, or with one link, in the order of their ids. */
  | { readonly kind: 'value'; readonly index: IndexRef; readonly key: string }
  | { readonly kind: 'linked'; readonly hop: Hop; readonly otherId: string };

/**
 * A range of rows with a column `record_id`, or of `orrery.record as r` itself. The newest records are in two ranges of
 * their index, those linked to the org and those that are not, which are merged.
 */
export interface Stretch {
  readonly of: 'records' | 'newest' | 'rows';
  /** For rows, a whole statement without its order; for records, a condition on `r`. */
  readonly from: Sql;
  readonly order: Sql;
}

const rising = raw('r.id');
const everything = raw('true');

export function stretchesOf(
  orgId: number,
  typeId: number,
  walk: Walk,
  after: Position | undefined,
): readonly Stretch[] {
  switch (walk.kind) {
    case 'created':
      return walk.direction === 'asc' ? createdUp(walk.range, after) : createdDown(walk.range, after);
    case 'updated':
      return updated(walk, after);
    case 'index':
      return indexStretches(orgId, typeId, walk, after);
    case 'options':
      return optionStretches(orgId, typeId, walk, after);
    case 'totals':
      return totalStretches(orgId, typeId, walk, after);
    case 'value': {
      const { table, cast } = indexTables[walk.index.kind];
      const rows = sql`select i.record_id from ${table} as i
        where ${rowsOf(orgId, typeId, walk.index)} and not i.unset and i.value = ${walk.key}${cast}
          and ${after === undefined ? everything : sql`i.record_id > ${after.id}`}`;
      return [{ of: 'rows', from: rows, order: raw('i.record_id') }];
    }
    case 'linked': {
      const { near, far } = endsOf(walk.hop, raw('a'));
      const rows = sql`select ${near.id} as record_id from orrery.association as a
        where a.org_id = ${orgId} and ${far.id} = ${walk.otherId}
          and a.association_type_id = ${walk.hop.associationTypeId} and ${near.typeId} = ${typeId}
          and ${after === undefined ? everything : sql`${near.id} > ${after.id}`}`;
      return [{ of: 'rows', from: rows, order: near.id }];
    }
  }
}

/** Ids are in the order of creation. */
function createdUp(range: KeyRange, after: Position | undefined): readonly Stretch[] {
  const from = sql`${withinById(rising, range)} and ${after === undefined ? everything : sql`r.id > ${after.id}`}`;
  return [{ of: 'records', from, order: rising }];
}

/** The newest first, and those of one millisecond by rising id. */
function createdDown(range: KeyRange, after: Position | undefined): readonly Stretch[] {
  const within = withinByTime(rising, range);
  const order = sql`${createdAt(rising)} desc, r.id`;
  if (after === undefined) return [{ of: 'newest', from: within, order }];
  const ms = idTimeMs(after.id);
  return [
    { of: 'records', from: sql`${within} and r.id > ${after.id} and r.id < ${firstIdAt(ms + 1)}`, order: rising },
    { of: 'newest', from: sql`${within} and ${createdAt(rising)} < ${createdBytes(ms)}::bytea`, order },
  ];
}

function updated({ direction, range }: Walk & { kind: 'updated' }, after: Position | undefined): readonly Stretch[] {
  const within = compileRange(raw('r.updated_at'), range, raw('::timestamptz'));
  const order = direction === 'asc' ? raw('r.updated_at, r.id') : raw('r.updated_at desc, r.id');
  const value = after?.parts[0] ?? null;
  if (after === undefined || value === null) return [{ of: 'records', from: within, order }];
  const beyond = direction === 'asc' ? raw('>') : raw('<');
  return [
    {
      of: 'records',
      from: sql`${within} and r.updated_at = ${value}::timestamptz and r.id > ${after.id}`,
      order: rising,
    },
    { of: 'records', from: sql`${within} and r.updated_at ${beyond} ${value}::timestamptz`, order },
  ];
}

function indexStretches(
  orgId: number,
  typeId: number,
  { index, property, direction, range }: Walk & { kind: 'index' },
  after: Position | undefined,
): readonly Stretch[] {
  const { table, cast, unset: none } = indexTables[index.kind];
  const stretch = (condition: Sql, order: Sql): Stretch => ({
    of: 'rows',
    from: sql`select i.record_id from ${table} as i
      where ${rowsOf(orgId, typeId, index)} and ${condition}`,
    order,
  });
  const byId = raw('i.record_id');
  const order = direction === 'asc' ? raw('i.value, i.record_id') : raw('i.value desc, i.record_id');
  const within = sql`not i.unset and ${compileRange(raw('i.value'), range, cast)}`;
  // A condition on the property excludes unset ones; without one they come last.
  const bounded = range.low !== undefined || range.high !== undefined;
  const unset = (from: Sql) => (bounded ? [] : [stretch(sql`i.unset and i.value = ${none}${cast} and ${from}`, byId)]);
  if (after === undefined) return [stretch(within, order), ...unset(everything)];
  if (after.parts[0] === null) return unset(sql`i.record_id > ${after.id}`);
  const key = positionKey(property, after);
  const beyond = direction === 'asc' ? raw('>') : raw('<');
  return [
    stretch(sql`${within} and i.value = ${key}${cast} and i.record_id > ${after.id}`, byId),
    stretch(sql`${within} and i.value ${beyond} ${key}${cast}`, order),
    ...unset(everything),
  ];
}

/** The key of the value at a position, made from its parts. */
function positionKey({ fieldType }: Property, { parts }: Position): string {
  const [first, second] = parts;
  const value: Json = fieldType.comparison === 'money' ? { unit: first ?? '', amount: second ?? '' } : (first ?? '');
  return boundedKey(fieldType.index?.key(value) ?? '');
}

/** The records of each option, option by option, then those without one. */
function optionStretches(
  orgId: number,
  typeId: number,
  { property, direction }: Walk & { kind: 'options' },
  after: Position | undefined,
): readonly Stretch[] {
  const { table, cast } = indexTables.text;
  const index = { kind: 'text', propertyId: property.id } as const;
  const options = property.options.map(({ value }, place) => ({ value, position: place + 1 }));
  const ordered = direction === 'asc' ? options : options.toReversed();
  const at = after === undefined ? undefined : (after.parts[0] ?? null);
  const start =
    at === undefined ? 0 : at === null ? ordered.length : ordered.findIndex((each) => String(each.position) === at);
  const stretch = (condition: Sql, beyond: Sql): Stretch => ({
    of: 'rows',
    from: sql`select i.record_id from ${table} as i
      where ${rowsOf(orgId, typeId, index)} and ${condition}
        and ${beyond}`,
    order: raw('i.record_id'),
  });
  // Only the first stretch continues where the page before ended.
  const beyond = after === undefined ? everything : sql`i.record_id > ${after.id}`;
  return [
    ...ordered
      .slice(start)
      .map(({ value }, place) =>
        stretch(sql`not i.unset and i.value = ${value}${cast}`, place === 0 ? beyond : everything),
      ),
    stretch(
      sql`i.unset and i.value = ${indexTables.text.unset}${cast}`,
      start === ordered.length ? beyond : everything,
    ),
  ];
}

/** The records with a total, by that total, then those without one. */
function totalStretches(
  orgId: number,
  typeId: number,
  { property, direction, test }: Walk & { kind: 'totals' },
  after: Position | undefined,
): readonly Stretch[] {
  const k = raw('k');
  const parts = orderValuesOf(k, property).map((part) => ({ ...part, direction }));
  const tested = test === undefined ? everything : compileLoneTest(k, property, test);
  const totals = (beyond: Sql): Stretch => ({
    of: 'rows',
    from: sql`select k.record_id from (${compileTotalRows(orgId, typeId, property)}) as k where ${tested} and ${beyond}`,
    order: sql`${compileOrderBy(parts)}, k.record_id`,
  });
  const without: Stretch = {
    of: 'rows',
    from: sql`select r.id as record_id from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId} and ${compileTotal({ orgId, id: sql`r.id` }, property)} is null
        and ${after?.parts[0] === null ? sql`r.id > ${after.id}` : everything}`,
    order: rising,
  };
  const unset = test === undefined ? [without] : [];
  if (after === undefined) return [totals(everything), ...unset];
  if (after.parts[0] === null) return unset;
  return [totals(compileBeyond(parts, after.parts, sql`k.record_id > ${after.id}`)), ...unset];
}
