// The one place that ties a statement on records to an org and to what a credential of reach `user` may see of it
// (contract 7). Every statement that reads or locks records for a caller goes through here.
import { raw, type Sql, sql } from '../base/sql.ts';

export interface Viewer {
  readonly orgId: number;
  /** Only what is linked to this user or to the org; null sees all of the org's records. */
  readonly onlyUser: string | null;
}

/** A row of `record` or `trash` in a statement; `r` is the one that the statement is about. */
export const r = raw('r');

/** The condition that the row is there for the viewer. */
export function visibleTo({ orgId, onlyUser }: Viewer, row: Sql = r): Sql {
  if (onlyUser === null) return sql`${row}.org_id = ${orgId}`;
  return sql`${row}.org_id = ${orgId} and (${row}.org_visible or exists (
    select 1 from orrery.record_user as u
    where u.org_id = ${orgId} and u.user_id = ${onlyUser} and u.type_id = ${row}.type_id and u.record_id = ${row}.id))`;
}
