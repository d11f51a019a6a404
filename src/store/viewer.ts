// The one place that ties a statement on records to an org and to what a credential of reach `user` may see of it
// (contract 7). Every statement that reads or locks records for a caller goes through here.
import { raw, type Sql, sql } from '../base/sql.ts';
import { stageTimerType, timedByIds } from '../schema/builtin/association-types.ts';
import { numbers } from './row-parameters.ts';

export interface Viewer {
  readonly orgId: number;
  /** Only what is linked to this user or to the org; null sees all of the org's records. */
  readonly onlyUser: string | null;
  /** Only timers of records of these types; undefined for a viewer who sees every type with stages. */
  readonly timedTypes?: readonly number[];
}

/** A row of `record` or `trash` in a statement; `r` is the one that the statement is about. */
export const r = raw('r');

/** Whether the viewer sees every record of the type. */
export function seesAll({ onlyUser, timedTypes }: Viewer, typeId: number): boolean {
  return onlyUser === null && (timedTypes === undefined || typeId !== stageTimerType);
}

/** The condition that the viewer may see the row. */
export function visibleTo(viewer: Viewer, row: Sql = r): Sql {
  const { orgId, onlyUser, timedTypes } = viewer;
  const own = sql`${row}.org_id = ${orgId}`;
  const timed =
    timedTypes === undefined ? own : sql`${own} and ${isTimed(viewer, sql`${row}.type_id`, sql`${row}.id`)}`;
  if (onlyUser === null) return timed;
  return sql`${timed} and (${row}.org_visible or exists (
    select 1 from orrery.record_user as u
    where u.org_id = ${orgId} and u.user_id = ${onlyUser} and u.type_id = ${row}.type_id and u.record_id = ${row}.id))`;
}

/** Whether the record is not a timer, or is the timer of a record whose type the viewer sees (contract 7). */
export function isTimed({ orgId, timedTypes }: Viewer, typeId: Sql, id: Sql): Sql {
  if (timedTypes === undefined) return raw('true');
  return sql`(${typeId} <> ${stageTimerType} or exists (
    select 1 from orrery.association as t
    where t.org_id = ${orgId} and t.source_id = ${id} and t.association_type_id = any (${numbers(timedByIds)}::integer[])
      and t.target_type_id = any (${numbers(timedTypes)}::integer[])))`;
}
