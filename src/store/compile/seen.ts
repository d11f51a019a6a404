// The records that a user sees, in order of creation. Those linked to the org are a part of `record_created`, those linked
// to the user are a part of `record_user`: both are read only as far as needed, and their ids united. So a page costs the
// same however many records are private to others. A record can be in both, and in the trash: `page` tests each.
import { firstId, firstIdAt, idTimeMs } from '../../base/id.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Position } from '../../query/position.ts';
import type { Viewer } from '../viewer.ts';
import { createdAt, createdBytes, type Span, withinById, withinByTime } from './created.ts';

const r = raw('r.id');
const u = raw('u.record_id');

/** Both parts, each up to its condition. */
function partsOf({ orgId, onlyUser }: Viewer, typeId: number) {
  return {
    ofOrg: sql`select r.id as record_id from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId} and r.org_visible`,
    ofUser: sql`select u.record_id from orrery.record_user as u
      where u.org_id = ${orgId} and u.user_id = ${onlyUser} and u.type_id = ${typeId}`,
  };
}

/** All of them as a column `record_id`, some of them twice. The order is that of the index, so that no other is used. */
export function compileSeen(viewer: Viewer, typeId: number): Sql {
  const { ofOrg, ofUser } = partsOf(viewer, typeId);
  return sql`(${ofOrg} order by ${createdAt(r)} desc, r.id) union all ${ofUser}`;
}

/** The first `most` of them, from a position on. */
export function compileSeenWalk(
  viewer: Viewer,
  typeId: number,
  { direction, range }: { readonly direction: 'asc' | 'desc'; readonly range: Span },
  after: Position | undefined,
  most: number,
): Sql {
  const { ofOrg, ofUser } = partsOf(viewer, typeId);
  const own = sql`${ofUser} and ${withinById(u, range)}`;
  const shared = sql`${ofOrg} and ${withinByTime(r, range)}`;
  if (direction === 'asc') {
    const [ownFrom, sharedFrom] =
      after === undefined ? [own, shared] : [beyond(own, u, after), sinceTime(shared, after)];
    return united(
      sql`${sharedFrom} order by ${createdAt(r)}, r.id limit ${most}`,
      sql`${ownFrom} order by u.record_id limit ${most}`,
      rising,
      most,
    );
  }
  const newest = (ofTime: Sql, ofId: Sql) =>
    united(
      sql`${shared} and ${ofTime} order by ${createdAt(r)} desc, r.id limit ${most}`,
      newestOwn(sql`${own} and ${ofId}`, most),
      falling,
      most,
    );
  if (after === undefined) return newest(everything, everything);
  // The rest of the millisecond, then everything before it.
  const ms = idTimeMs(after.id);
  const bytes = createdBytes(ms);
  const rest = united(
    sql`${beyond(shared, r, after)} and ${createdAt(r)} = ${bytes}::bytea order by r.id limit ${most}`,
    sql`${beyond(own, u, after)} and u.record_id < ${firstIdAt(ms + 1)} order by u.record_id limit ${most}`,
    rising,
    most,
  );
  const older = newest(sql`${createdAt(r)} < ${bytes}::bytea`, sql`u.record_id < ${firstIdAt(ms)}`);
  return sql`select s.record_id from ((${rest}) union all (${older})) as s limit ${most}`;
}

const everything = raw('true');
const rising = raw('s.record_id');
const falling = sql`${createdAt(rising)} desc, s.record_id`;

function beyond(part: Sql, id: Sql, after: Position): Sql {
  return sql`${part} and ${id} > ${after.id}`;
}

/** The same for an index by time of creation. */
function sinceTime(part: Sql, after: Position): Sql {
  return sql`${beyond(part, r, after)} and ${createdAt(r)} >= ${createdBytes(idTimeMs(after.id))}::bytea`;
}

/**
 * At least the `most` newest of the user's part. It is read backwards, which meets the ids of a millisecond in the wrong
 * order, so the last millisecond is read as a whole.
 */
function newestOwn(own: Sql, most: number): Sql {
  const last = sql`(${own} order by u.record_id desc offset ${most - 1} limit 1)`;
  return sql`${own}
    and u.record_id >= overlay(coalesce(${last}, ${firstId})::text placing '-0000-0000-000000000000' from 14)::uuid`;
}

/** The first ids of both parts, each once. */
function united(shared: Sql, own: Sql, order: Sql, most: number): Sql {
  return sql`select s.record_id from ((${shared}) union all (${own})) as s
    group by s.record_id order by ${order} limit ${most}`;
}
