// Links that sign a member in once: a one-time link of the operator, or an invitation by somebody who has at least the rights
// of the member. With an invitation the member can also choose a password.
import type { Caller, Reach } from '../../access/caller.ts';
import { covers } from '../../access/cover.ts';
import { readGrants } from '../../access/grant.ts';
import { digestOf, sameDigest } from '../../access/secret-text.ts';
import { linkForm } from '../../access/sign-in-text.ts';
import { bounds } from '../../base/limits.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../../store/database.ts';
import { findLink, insertLink, removeLinksOf, takeLink } from '../../store/sign-in/links.ts';
import { findMember } from '../../store/sign-in/members.ts';
import { putPassword, type StoredPassword } from '../../store/sign-in/passwords.ts';
import type { EndedSessions } from '../../store/sign-in/sessions.ts';
import { Administration } from '../platform/administration.ts';
import { exceeds } from '../platform/power.ts';
import type { WorkingEngine } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import type { Unit } from '../unit/unit.ts';
import type { SignInEngine } from './open-sign-in.ts';
import { endNoted, type Opened, type OpenSession, openSession } from './sessions.ts';
import { type Admitted, admitted, knownOrg, signInRefused, type Visitor } from './visitor.ts';

export interface MadeLink {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Somebody other than the operator. The link works no longer than their credential. */
interface Maker {
  readonly principalId: string;
  readonly until: Date | null;
}

export async function makeLink(
  transaction: Transaction,
  orgId: number,
  memberId: string,
  kind: 'link' | 'invitation',
  maker?: Maker,
): Promise<MadeLink> {
  const linkId = linkForm.newId(orgId);
  const token = linkForm.newText(linkId);
  const invites = kind === 'invitation';
  const seconds = invites ? bounds.signIn.invitationSeconds : bounds.signIn.linkSeconds;
  const expiresAt = await insertLink(transaction, orgId, {
    linkId,
    memberId,
    digest: digestOf(token),
    invites,
    seconds,
    madeBy: maker?.principalId ?? null,
    until: maker?.until ?? null,
  });
  return { token, expiresAt };
}

/** Nobody lets somebody in who may do more, or who may see what only that member may. */
export function requireCover(caller: Caller, { memberId, role }: Admitted, { catalog }: KnownOrg): void {
  if (caller.reach === 'user' && memberId !== caller.userId) {
    throw exceeds('A credential of reach "user" can invite only its own member. Ask somebody who sees the whole org.');
  }
  const held = { reach: role.reach as Reach, grants: readGrants(role.grants) };
  if (covers(caller, held, catalog)) return;
  throw exceeds("An invitation needs every grant and the reach of the member's role. GET /rest/v1/self/ lists yours.");
}

/** A link that somebody has opened and not used yet. */
export interface OpenedLink {
  readonly known: KnownOrg;
  readonly member: Admitted;
  readonly linkId: string;
  readonly kind: 'link' | 'invitation';
  readonly expiresAt: Date;
}

/** Looking at a link changes nothing. */
export async function lookAtLink(engine: WorkingEngine, token: string): Promise<OpenedLink> {
  const named = linkForm.parse(token);
  const known = named && (await knownOrg(engine, named.orgId));
  const link = named && known && (await findLink(engine.database, named.orgId, named.id));
  if (link === undefined || !sameDigest(link.digest, digestOf(token))) throw linkRefused();
  const member = admitted(await findMember(engine.database, named?.orgId ?? 0, link.memberId));
  if (named === undefined || known === undefined || member === undefined) throw linkRefused();
  return {
    known,
    member,
    linkId: named.id,
    kind: link.invites ? 'invitation' : 'link',
    expiresAt: link.expiresAt,
  };
}

/** The same for somebody who wants to sign in with it: a refusal is in the audit. */
export async function takeUpLink(engine: SignInEngine, token: string, { address }: Visitor): Promise<OpenedLink> {
  return lookAtLink(engine, token).catch((error: unknown) => {
    const orgId = linkForm.parse(token)?.orgId;
    if (orgId !== undefined) engine.refusals.note({ orgId, memberId: undefined, detail: 'link', address });
    throw error;
  });
}

/** Signs the member in, once. A new password ends the other sessions and every other link of the member. */
export async function useLink(
  engine: SignInEngine,
  link: OpenedLink,
  password: StoredPassword | undefined,
  visitor: Visitor,
  before: OpenSession | undefined,
): Promise<Opened> {
  const { known, member, linkId, kind } = link;
  const { orgId } = known.org;
  return openSession(engine, {
    known,
    member,
    way: kind,
    refusal: linkRefused,
    visitor,
    before,
    ...(password === undefined ? {} : { endsOthers: true }),
    also: async (unit) => {
      if (!(await takeLink(unit.transaction, orgId, linkId))) throw linkRefused();
      if (password !== undefined) await setPassword(unit, member.memberId, password, 'all');
    },
  });
}

/** A new password ends sessions, and withdraws every link of the member. Called when the unit governs the org. */
export async function setPassword(
  unit: Unit,
  memberId: string,
  password: StoredPassword,
  ending: EndedSessions,
): Promise<void> {
  const { orgId } = unit.call.session.caller;
  await putPassword(unit.transaction, orgId, memberId, password);
  await removeLinksOf(unit.transaction, orgId, memberId);
  const type = unit.call.session.orgTypes.get(platformTypes.member);
  const about = type === undefined ? {} : { about: { type, id: memberId } };
  unit.book(Administration).note({ action: 'member.changed', detail: 'password', ...about });
  await endNoted(unit, memberId, ending, 'new password');
}

function linkRefused() {
  return signInRefused('This link is not valid: it was used, has expired, or was withdrawn. Ask for another one.');
}
