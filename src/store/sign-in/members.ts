// The member who wants to sign in, with the role that decides what it may do.
import { type Sql, sql } from '../../base/sql.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';

export interface SignInMember {
  readonly memberId: string;
  readonly name: string;
  readonly email: string | null;
  readonly active: boolean;
  /** Null without one. */
  readonly role: { readonly name: string; readonly reach: string; readonly grants: readonly string[] } | null;
}

interface Row {
  readonly id: string;
  readonly member: { readonly svc_name: string; readonly svc_email?: string; readonly svc_active?: boolean };
  readonly role: {
    readonly svc_name: string;
    readonly svc_reach: string;
    readonly svc_grants: readonly string[];
  } | null;
}

export function findMember(transaction: Transaction, orgId: number, id: string): Promise<SignInMember | undefined> {
  return find(transaction, orgId, sql`m.id = ${id}`);
}

/** `email` is the form by which unique values are compared, and `propertyId` the number of the property. */
export function findMemberByEmail(
  transaction: Transaction,
  orgId: number,
  { email, propertyId }: { readonly email: string; readonly propertyId: number },
): Promise<SignInMember | undefined> {
  return find(
    transaction,
    orgId,
    sql`m.id = (
      select u.record_id from orrery.unique_value as u
      where u.org_id = ${orgId} and u.type_id = ${platformTypes.member} and u.property_id = ${propertyId}
        and u.value = ${email})`,
  );
}

async function find(transaction: Transaction, orgId: number, condition: Sql): Promise<SignInMember | undefined> {
  const [row] = await transaction.query<Row>(sql`
    select m.id, m.properties as member, r.properties as role from orrery.record as m
    left join orrery.association as l on l.org_id = ${orgId} and l.source_id = m.id
      and l.association_type_id = ${platformLinks.memberToRole}
    left join orrery.record as r on r.org_id = ${orgId} and r.type_id = ${platformTypes.role} and r.id = l.target_id
    where m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and ${condition}`);
  if (row === undefined) return undefined;
  const { id, member, role } = row;
  return {
    memberId: id,
    name: member.svc_name,
    email: member.svc_email ?? null,
    active: member.svc_active !== false,
    role: role && { name: role.svc_name, reach: role.svc_reach, grants: role.svc_grants },
  };
}

/** Remembers the email address of a member who is deleted, as a digest. */
export async function rememberEmail(transaction: Transaction, orgId: number, digest: string): Promise<void> {
  await transaction.query(sql`
    insert into orrery.former_email (org_id, digest) values (${orgId}, ${digest}) on conflict do nothing`);
}

/** Whether a member with the email address was deleted. */
export async function wasMember(transaction: Transaction, orgId: number, digest: string): Promise<boolean> {
  const rows = await transaction.query<{ digest: string }>(sql`
    select f.digest from orrery.former_email as f where f.org_id = ${orgId} and f.digest = ${digest}`);
  return rows.length > 0;
}
