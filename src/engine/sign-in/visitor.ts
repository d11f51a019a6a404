// Who asks at /auth, and the calls in which what a member does there is written.
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../../store/database.ts';
import { findOrg } from '../../store/org/orgs.ts';
import { findMemberByEmail, type SignInMember } from '../../store/sign-in/members.ts';
import { systemCall, type UnitCall, type WorkingEngine } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';

/** The facts of a request by somebody who may not be known yet. */
export interface Visitor {
  readonly requestId: string;
  readonly address: string;
  /** Whether the address is that of a proxy, which everybody comes through. */
  readonly isBehindProxy: boolean;
  /** What the browser says that it is. */
  readonly agent: string | null;
}

/** A member who can sign in. */
export type Admitted = SignInMember & { readonly role: NonNullable<SignInMember['role']> };

/** Anybody can invent the number of an org: that must not reach the connections that everybody waits for. */
export async function knownOrg(engine: WorkingEngine, orgId: number): Promise<KnownOrg | undefined> {
  if ((await findOrg(engine.database, orgId)) === undefined) return undefined;
  return engine.directory.find(orgId);
}

/** Deactivated members, and those without a role, cannot sign in. */
export function admitted(member: SignInMember | undefined): Admitted | undefined {
  if (member === undefined || !member.active || member.role === null) return undefined;
  return { ...member, role: member.role };
}

/** The member with the email address, however its letters are written. */
export async function findByEmail(
  transaction: Transaction,
  { org, typesById }: KnownOrg,
  email: string,
): Promise<SignInMember | undefined> {
  const type = typesById.get(platformTypes.member);
  const [key] = type === undefined ? [] : uniqueKeys(type, { svc_email: email });
  if (key === undefined) return undefined;
  return findMemberByEmail(transaction, org.orgId, { email: key.value, propertyId: key.propertyId });
}

/** A call of the service for a member in a session: the audit names both. */
export function memberCall(
  engine: WorkingEngine,
  known: KnownOrg,
  { memberId, sessionId }: { readonly memberId: string; readonly sessionId: string },
  { requestId, address }: Visitor,
): UnitCall {
  const call = systemCall(engine, known);
  const caller = { ...call.session.caller, credentialId: sessionId, userId: memberId };
  return { ...call, session: { ...call.session, caller }, requestId, address };
}

export function agentOf({ agent }: Visitor): string | null {
  return agent?.slice(0, bounds.signIn.agentCharacters) ?? null;
}

/** The one answer to all who are not let in: it does not tell what exists. */
export function signInRefused(detail: string): Problem {
  return new Problem('unauthenticated', 'sign_in_refused', detail);
}
