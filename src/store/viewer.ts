// The one place that ties a statement on records to an org and to what a credential of reach `user` may see of it
// (contract 7). Every statement that reads or locks records for a caller goes through here.
import { type Sql, sql } from '../base/sql.ts';

export interface Viewer {
  readonly orgId: number;
  /** Only what is linked to this user or to the org; null sees all of the org's records. */
  readonly onlyUser: string | null;
}

/** The condition that the row `r` of `record` or `trash` is there for the viewer. */
export function visibleTo({ orgId, onlyUser }: Viewer): Sql {
  if (onlyUser === null) return sql`r.org_id = ${orgId}`;
  return sql`r.org_id = ${orgId} and (r.org_visible or exists (
    select 1 from orrery.record_user as u
    where u.org_id = ${orgId} and u.user_id = ${onlyUser} and u.type_id = r.type_id and u.record_id = r.id))`;
}
