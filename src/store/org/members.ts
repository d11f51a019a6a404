// Members of an org: the people for whom keys act, and to whom records belong. They are records; links to users name them
// by the same id, and stay when a member is deleted.
import { sql } from '../../base/sql.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

export interface Member {
  readonly memberId: string;
  readonly name: string;
  readonly email: string | null;
  readonly active: boolean;
  /** The name of its role; null without one. */
  readonly role: string | null;
  readonly createdAt: Date;
}

export interface Role {
  readonly roleId: string;
  readonly name: string;
  readonly reach: string;
  readonly grants: readonly string[];
}

/** Those of the ids that are members of the org. */
export async function findMemberIds(
  transaction: Transaction,
  orgId: number,
  memberIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    select r.id from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.member} and r.id = any (${ids(memberIds)}::uuid[])`);
  return rows.map(({ id }) => id);
}

interface MemberRow {
  readonly id: string;
  readonly role: string | null;
  readonly values: {
    readonly svc_name: string;
    readonly svc_email?: string;
    readonly svc_active: boolean;
    readonly svc_created_at: string;
  };
}

export async function listMembers(transaction: Transaction, orgId: number): Promise<readonly Member[]> {
  const rows = await transaction.query<MemberRow>(sql`
    select r.id, r.properties as values, o.properties ->> 'svc_name' as role from orrery.record as r
    left join orrery.association as a on a.org_id = ${orgId} and a.source_id = r.id
      and a.association_type_id = ${platformLinks.memberToRole}
    left join orrery.record as o on o.org_id = ${orgId} and o.type_id = ${platformTypes.role} and o.id = a.target_id
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.member} order by r.id`);
  return rows.map(({ id, role, values }) => ({
    memberId: id,
    name: values.svc_name,
    email: values.svc_email ?? null,
    active: values.svc_active,
    role,
    createdAt: new Date(values.svc_created_at),
  }));
}

interface RoleRow {
  readonly id: string;
  readonly values: { readonly svc_name: string; readonly svc_reach: string; readonly svc_grants: readonly string[] };
}

export async function listRoles(transaction: Transaction, orgId: number): Promise<readonly Role[]> {
  const rows = await transaction.query<RoleRow>(sql`
    select r.id, r.properties as values from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.role} order by r.id`);
  return rows.map(({ id, values }) => ({
    roleId: id,
    name: values.svc_name,
    reach: values.svc_reach,
    grants: values.svc_grants,
  }));
}

/** The live members that have the role. */
export async function findMembersWith(
  transaction: Transaction,
  orgId: number,
  roleId: string,
): Promise<readonly { readonly id: string; readonly active: boolean }[]> {
  return transaction.query(sql`
    select m.id, (m.properties -> 'svc_active')::boolean as active from orrery.association as a
    join orrery.record as m on m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = a.source_id
    where a.org_id = ${orgId} and a.target_id = ${roleId} and a.association_type_id = ${platformLinks.memberToRole}`);
}

/** The ids of the live keys that act for the member. */
export async function findKeysOf(
  transaction: Transaction,
  orgId: number,
  memberId: string,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    select k.id from orrery.association as a
    join orrery.record as k on k.org_id = ${orgId} and k.type_id = ${platformTypes.accessKey} and k.id = a.source_id
    where a.org_id = ${orgId} and a.target_id = ${memberId} and a.association_type_id = ${platformLinks.keyToMember}
    order by k.id`);
  return rows.map(({ id }) => id);
}

/** The members that still have no email address, because an older one had the same before both were members. */
export async function findSharedEmails(
  transaction: Transaction,
  orgId: number,
): Promise<readonly { readonly memberId: string; readonly email: string }[]> {
  return transaction.query(sql`
    select s.member_id as "memberId", s.email from orrery.shared_email as s
    join orrery.record as m on m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = s.member_id
    where s.org_id = ${orgId} and m.properties -> 'svc_email' is null order by s.member_id`);
}
