// The time of creation of a record is in its id: the first six bytes, in milliseconds. The primary key has records in the
// order of their ids; `record_created` has them with the newest millisecond first, and within it by rising id.
import { firstIdAt } from '../../base/id.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';

/** Bounds of creation, as moments. Both are rounded to the millisecond, which may be a little too wide. */
export interface Span {
  readonly low?: { readonly key: string };
  readonly high?: { readonly key: string };
}

export function createdAt(id: Sql): Sql {
  return sql`substring(uuid_send(${id}) from 1 for 6)`;
}

/** A time of creation to compare with. */
export function createdBytes(ms: number): Buffer {
  return Buffer.from(firstIdAt(ms).replaceAll('-', '').slice(0, 12), 'hex');
}

/** The condition that the id is within the bounds, for an index by id. */
export function withinById(id: Sql, { low, high }: Span): Sql {
  return allOf([
    ...(low === undefined ? [] : [sql`${id} >= ${firstIdAt(msOf(low))}`]),
    ...(high === undefined ? [] : [sql`${id} < ${firstIdAt(msOf(high) + 1)}`]),
  ]);
}

/** The same for an index by time of creation. */
export function withinByTime(id: Sql, { low, high }: Span): Sql {
  return allOf([
    ...(low === undefined ? [] : [sql`${createdAt(id)} >= ${createdBytes(msOf(low))}::bytea`]),
    ...(high === undefined ? [] : [sql`${createdAt(id)} <= ${createdBytes(msOf(high))}::bytea`]),
  ]);
}

function msOf({ key }: { readonly key: string }): number {
  return Math.floor(Date.parse(key));
}

function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('true') : join(conditions, ' and ');
}
