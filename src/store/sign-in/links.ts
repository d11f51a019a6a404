// Links that sign a member in once.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

interface NewLink {
  readonly linkId: string;
  readonly memberId: string;
  readonly digest: Buffer;
  readonly invites: boolean;
  readonly seconds: number;
  /** Who made it, if it was not the operator. */
  readonly madeBy: string | null;
  /** It expires then, if that is earlier. */
  readonly until: Date | null;
}

/** Returns when it expires. The oldest links of a member with very many give way. */
export async function insertLink(transaction: Transaction, orgId: number, link: NewLink): Promise<Date> {
  await transaction.query(sql`
    delete from orrery.sign_in_link as l
    where l.org_id = ${orgId} and l.link_id in (
      select o.link_id from orrery.sign_in_link as o where o.org_id = ${orgId} and o.member_id = ${link.memberId}
      order by o.made_at desc offset ${bounds.signIn.linksPerMember - 1})`);
  const [row] = await transaction.query<{ expiresAt: Date }>(sql`
    insert into orrery.sign_in_link (org_id, link_id, member_id, digest, invites, made_by, expires_at)
    values (${orgId}, ${link.linkId}, ${link.memberId}, ${link.digest}, ${link.invites}, ${link.madeBy},
      least(now() + make_interval(secs => ${link.seconds}), ${link.until}::timestamptz))
    returning expires_at as "expiresAt"`);
  if (row === undefined) throw new TypeError('The new link was not returned.');
  return row.expiresAt;
}

interface ValidLink {
  readonly memberId: string;
  readonly digest: Buffer;
  readonly invites: boolean;
  readonly expiresAt: Date;
}

/** A link that was neither used nor has expired. */
export async function findLink(
  transaction: Transaction,
  orgId: number,
  linkId: string,
): Promise<ValidLink | undefined> {
  const [row] = await transaction.query<ValidLink>(sql`
    select l.member_id as "memberId", l.digest, l.invites, l.expires_at as "expiresAt" from orrery.sign_in_link as l
    where l.org_id = ${orgId} and l.link_id = ${linkId} and l.expires_at > now()`);
  return row;
}

/** True for the one who uses it: of two who open the same link at once, one is refused. */
export async function takeLink(transaction: Transaction, orgId: number, linkId: string): Promise<boolean> {
  const taken = await transaction.query<{ id: string }>(sql`
    delete from orrery.sign_in_link as l where l.org_id = ${orgId} and l.link_id = ${linkId} and l.expires_at > now()
    returning l.link_id as id`);
  return taken.length > 0;
}

/** No link that a member was given before works any more. */
export async function removeLinksOf(transaction: Transaction, orgId: number, memberId: string): Promise<void> {
  await transaction.query(sql`
    delete from orrery.sign_in_link as l where l.org_id = ${orgId} and l.member_id = ${memberId}`);
}

/** Nor does any that the member, or the key, has made for others. */
export async function removeLinksBy(transaction: Transaction, orgId: number, principalId: string): Promise<void> {
  await transaction.query(sql`
    delete from orrery.sign_in_link as l where l.org_id = ${orgId} and l.made_by = ${principalId}`);
}

export async function purgeLinks(transaction: Transaction, orgId: number): Promise<void> {
  await transaction.query(sql`
    delete from orrery.sign_in_link as l where l.org_id = ${orgId} and l.expires_at <= now()`);
}
