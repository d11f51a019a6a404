// Sessions, as requests are checked by them: what a session may do is what the role of its member gives at the moment.
import { sql } from '../../base/sql.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import type { Credential } from '../org/credentials.ts';
import { ids } from '../row-parameters.ts';

interface SessionRow {
  readonly credentialId: string;
  readonly userId: string;
  readonly hasEnded: boolean;
  readonly member: { readonly svc_name: string; readonly svc_active?: boolean } | null;
  readonly role: { readonly svc_reach: string; readonly svc_grants: readonly string[] } | null;
  readonly bearers: readonly { readonly digest: string; readonly validUntil: string }[] | null;
}

/** Those of the sessions that exist, or have ended not long ago. */
export async function findSessionCredentials(
  transaction: Transaction,
  orgId: number,
  sessionIds: readonly string[],
): Promise<readonly Credential[]> {
  const rows = await transaction.query<SessionRow>(sql`
    select s.session_id as "credentialId", s.member_id as "userId", s.ended_at is not null as "hasEnded",
      m.properties as member, r.properties as role, (
        select json_agg(json_build_object('digest', encode(b.digest, 'hex'), 'validUntil', b.valid_until))
        from orrery.bearer as b where b.org_id = ${orgId} and b.session_id = s.session_id) as bearers
    from orrery.session as s
    left join orrery.record as m on m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = s.member_id
    left join orrery.association as l on l.org_id = ${orgId} and l.source_id = m.id
      and l.association_type_id = ${platformLinks.memberToRole}
    left join orrery.record as r on r.org_id = ${orgId} and r.type_id = ${platformTypes.role} and r.id = l.target_id
    where s.org_id = ${orgId} and s.session_id = any (${ids(sessionIds)}::text[])`);
  return rows.map((row) => toCredential(orgId, row));
}

function toCredential(orgId: number, row: SessionRow): Credential {
  const { credentialId, userId, member, role, bearers } = row;
  return {
    orgId,
    credentialId,
    recordId: null,
    name: `Session of ${member?.svc_name ?? 'a former member'}`,
    userId,
    reach: role?.svc_reach ?? 'user',
    grants: role?.svc_grants ?? [],
    expiresAt: null,
    standing: standingOf(row),
    secrets: (bearers ?? []).map(({ digest, validUntil }) => ({
      digest: Buffer.from(digest, 'hex'),
      validUntil: new Date(validUntil),
    })),
  };
}

function standingOf({ member, role, hasEnded }: SessionRow): Credential['standing'] {
  if (member === null) return 'revoked';
  if (member.svc_active === false) return 'suspended';
  if (hasEnded) return 'ended';
  return role === null ? 'without_role' : 'valid';
}
