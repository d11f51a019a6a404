// The OpenID provider of an org, and whom its subjects are.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The role of members that are created when they first sign in. */
  readonly provisionRoleId: string | null;
  readonly emailDomains: readonly string[];
}

export async function findProvider(transaction: Transaction, orgId: number): Promise<Provider | undefined> {
  const [row] = await transaction.query<Provider>(sql`
    select p.issuer, p.client_id as "clientId", p.client_secret as "clientSecret",
      p.provision_role_id as "provisionRoleId", p.email_domains as "emailDomains"
    from orrery.oidc_provider as p where p.org_id = ${orgId}`);
  return row;
}

export async function putProvider(transaction: Transaction, orgId: number, provider: Provider): Promise<void> {
  const { issuer, clientId, clientSecret, provisionRoleId, emailDomains } = provider;
  await transaction.query(sql`
    insert into orrery.oidc_provider (org_id, issuer, client_id, client_secret, provision_role_id, email_domains)
    values (${orgId}, ${issuer}, ${clientId}, ${clientSecret}, ${provisionRoleId}, ${[...emailDomains]}::text[])
    on conflict (org_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
      client_secret = excluded.client_secret, provision_role_id = excluded.provision_role_id,
      email_domains = excluded.email_domains`);
}

/** Whether there was one. Whom its subjects are is remembered. */
export async function removeProvider(transaction: Transaction, orgId: number): Promise<boolean> {
  const gone = await transaction.query<{ issuer: string }>(sql`
    delete from orrery.oidc_provider as p where p.org_id = ${orgId} returning p.issuer`);
  return gone.length > 0;
}

interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** The member that a subject was bound to, whether it still exists or not. */
export async function findSubject(
  transaction: Transaction,
  orgId: number,
  { issuer, subject }: Subject,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ memberId: string }>(sql`
    select s.member_id as "memberId" from orrery.oidc_subject as s
    where s.org_id = ${orgId} and s.issuer = ${issuer} and s.subject = ${subject}`);
  return row?.memberId;
}

/** False if the subject belongs to another member already, or the member to another subject. */
export async function bindSubject(
  transaction: Transaction,
  orgId: number,
  { issuer, subject }: Subject,
  memberId: string,
): Promise<boolean> {
  const rows = await transaction.query<{ memberId: string }>(sql`
    insert into orrery.oidc_subject (org_id, issuer, subject, member_id)
    values (${orgId}, ${issuer}, ${subject}, ${memberId})
    on conflict do nothing returning member_id as "memberId"`);
  return rows.length > 0;
}

/** Returns how many subjects the member had. */
export async function unbindSubjects(transaction: Transaction, orgId: number, memberId: string): Promise<number> {
  const gone = await transaction.query<{ subject: string }>(sql`
    delete from orrery.oidc_subject as s where s.org_id = ${orgId} and s.member_id = ${memberId} returning s.subject`);
  return gone.length;
}
