// The name of a member as SQL, for links to users.
import { type Sql, sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';

/** The name of a member, also of one in the trash; null if it is gone. */
export function memberName(orgId: number, memberId: Sql): Sql {
  return sql`coalesce(
    (select m.properties ->> 'svc_name' from orrery.record as m
      where m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = ${memberId}),
    (select m.properties ->> 'svc_name' from orrery.trash as m
      where m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = ${memberId}))`;
}
