// An invitation: a link of 7 days by which a member signs in for the first time, or chooses a new password. No mail is sent:
// the person who makes the link hands it over.
import { principalId } from '../../access/caller.ts';
import { isId } from '../../base/id.ts';
import { Problem } from '../../base/problem.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { holdOrg } from '../../store/org/orgs.ts';
import { findMember } from '../../store/sign-in/members.ts';
import { Administration } from '../platform/administration.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import type { Session } from '../process/session.ts';
import { commit } from '../unit/transact.ts';
import { type MadeLink, makeLink, requireCover } from './links.ts';
import { admitted, knownOrg, type Visitor } from './visitor.ts';

export async function invite(
  engine: WorkingEngine,
  { caller, catalog }: Session,
  memberId: string,
  { requestId, address }: Visitor,
): Promise<MadeLink> {
  const known = await knownOrg(engine, caller.orgId);
  const type = [...catalog.objectTypes.values()].find(({ id }) => id === platformTypes.member);
  if (type === undefined || known === undefined) throw unknown();
  if (!type.writableOperations.includes('update')) throw notGranted();
  const member = isId(memberId) ? await findMember(engine.database, caller.orgId, memberId) : undefined;
  if (member === undefined) throw unknown();
  const call = systemCall(engine, known);
  return commit(
    {
      ...call,
      session: { ...call.session, caller: { ...call.session.caller, ...signer(caller) } },
      requestId,
      address,
    },
    async (unit) => {
      await holdOrg(unit.transaction, caller.orgId);
      const now = admitted(await findMember(unit.transaction, caller.orgId, memberId));
      if (now === undefined) throw cannotSignIn();
      requireCover(caller, now, known);
      const detail = 'invitation';
      unit.book(Administration).note({ action: 'member.changed', about: { type, id: memberId }, detail });
      return makeLink(unit.transaction, caller.orgId, memberId, 'invitation', {
        principalId: principalId(caller),
        until: caller.expiresAt,
      });
    },
    'assumed',
  );
}

function signer({ credentialId, credentialName, userId }: Session['caller']) {
  return { credentialId, credentialName, userId };
}

function unknown(): Problem {
  return new Problem('not_found', 'record_unknown', 'There is no such member. Check the id.');
}

function notGranted(): Problem {
  const detail = 'An invitation needs the operation "update" on svc_member. GET /rest/v1/self/ lists your grants.';
  return new Problem('forbidden', 'operation_not_granted', detail);
}

function cannotSignIn(): Problem {
  const detail = 'This member cannot sign in: it is not active, or has no role. Change that first.';
  return new Problem('conflict', undefined, detail);
}
