// Everything at /auth that is posted, in one list.
import { Type } from 'typebox';
import { Problem } from '../../base/problem.ts';
import { invite } from '../../engine/sign-in/invite.ts';
import { lookAtLink, type OpenedLink, takeUpLink, useLink } from '../../engine/sign-in/links.ts';
import { changePassword, digestOfNew, signInByPassword } from '../../engine/sign-in/passwords.ts';
import {
  endOwnSessions,
  findOpenSession,
  listOwnSessions,
  nextBearer,
  type Opened,
  type SignedIn,
} from '../../engine/sign-in/sessions.ts';
import type { Admitted } from '../../engine/sign-in/visitor.ts';
import { findWays } from '../../engine/sign-in/ways.ts';
import { type AuthAnswer, type AuthRoute, authRoute } from './route.ts';

const OrgId = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Password = Type.String({ minLength: 1, maxLength: 1_024 });
const Token = Type.String({ minLength: 1, maxLength: 128 });
const Id = Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' });
const Email = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+$' });

const closed = { additionalProperties: false };

/** Which ways in there are. Without a number, the only org of the service is meant. */
const ways = authRoute({
  path: '/auth/ways',
  access: 'anybody',
  body: Type.Object({ org_id: Type.Optional(OrgId) }, closed),
  run: async ({ engine }, { org_id: wanted }) => {
    const { orgId, orgName, issuer } = await findWays(engine, wanted);
    const name = orgName === undefined ? {} : { org_name: orgName };
    return { data: { org_id: orgId ?? null, ...name, oidc: issuer === undefined ? null : new URL(issuer).host } };
  },
});

const byPassword = authRoute({
  path: '/auth/password',
  access: 'anybody',
  body: Type.Object({ org_id: Type.Optional(OrgId), email: Email, password: Password }, closed),
  run: async ({ engine, visitor, cookie }, { org_id: wanted, email, password }) => {
    const { orgId } = await findWays(engine, wanted);
    if (orgId === undefined) throw orgNeeded();
    const before = await findOpenSession(engine, cookie);
    return entered(await signInByPassword(engine, { orgId, email, password }, visitor, before));
  },
});

const linkShown = authRoute({
  path: '/auth/link/show',
  access: 'anybody',
  body: Type.Object({ token: Token }, closed),
  run: async ({ engine }, { token }) => ({ data: shownLink(await lookAtLink(engine, token)) }),
});

/** If somebody else is signed in, nothing happens until `replace` says so: the page asks first. */
const byLink = authRoute({
  path: '/auth/link',
  access: 'anybody',
  body: Type.Object(
    { token: Token, password: Type.Optional(Password), replace: Type.Optional(Type.Boolean()) },
    closed,
  ),
  run: async ({ engine, visitor, cookie }, { token, password, replace }) => {
    const link = await takeUpLink(engine, token, visitor);
    const before = await findOpenSession(engine, cookie);
    const isOther = before !== undefined && before.memberId !== link.member.memberId;
    if (isOther && replace !== true) return { data: { ...shownLink(link), replaces: true } };
    if (password !== undefined && link.kind !== 'invitation') throw passwordNotTaken();
    const stored = password === undefined ? undefined : await digestOfNew(engine, password, '/password', visitor);
    return entered(await useLink(engine, link, stored, visitor, before));
  },
});

const bearer = authRoute({
  path: '/auth/bearer',
  access: 'anybody',
  body: Type.Object({}, closed),
  run: async ({ engine, cookie }) => {
    const next = await nextBearer(engine, cookie);
    if (next !== undefined) return { data: shownSession(next) };
    return cookie === undefined ? { data: null } : { data: null, cookie: null };
  },
});

const signOut = authRoute({
  path: '/auth/sign-out',
  access: 'member',
  body: Type.Object({}, closed),
  run: async ({ engine, visitor }, _, own) => {
    await endOwnSessions(engine, own, { only: [own.sessionId] }, 'signed out', visitor);
    return { data: null, cookie: null };
  },
});

const sessions = authRoute({
  path: '/auth/sessions',
  access: 'member',
  body: Type.Object({}, closed),
  run: async ({ engine }, _, own) => {
    const found = await listOwnSessions(engine, own);
    return {
      data: found.map(({ sessionId, way, address, agent, openedAt, usedAt }) => ({
        id: sessionId,
        current: sessionId === own.sessionId,
        way,
        address,
        agent,
        opened_at: openedAt.toISOString(),
        used_at: usedAt.toISOString(),
      })),
    };
  },
});

/** One of the caller's sessions, or all but this one. */
const endSession = authRoute({
  path: '/auth/sessions/end',
  access: 'member',
  body: Type.Object({ id: Type.Optional(Id) }, closed),
  run: async ({ engine, visitor }, { id }, own) => {
    const which = id === undefined ? { allBut: own.sessionId } : { only: [id] };
    return { data: { ended: await endOwnSessions(engine, own, which, 'ended by the member', visitor) } };
  },
});

const newPassword = authRoute({
  path: '/auth/password/change',
  access: 'member',
  body: Type.Object({ current_password: Type.Optional(Password), password: Password }, closed),
  run: async ({ engine, visitor }, { current_password: current, password }, own) => {
    await changePassword(engine, own, { current, password }, visitor);
    return { data: null };
  },
});

/** A link of 7 days for a member, by somebody who may change members and has at least the member's rights. */
const invitation = authRoute({
  path: '/auth/invitations',
  access: 'credential',
  body: Type.Object({ member_id: Id }, closed),
  run: async ({ engine, visitor, origin }, { member_id: memberId }, session) => {
    const { token, expiresAt } = await invite(engine, session, memberId, visitor);
    return { data: { link: linkAddress(origin, token), expires_at: expiresAt.toISOString() } };
  },
});

export const authRoutes: ReadonlyMap<string, AuthRoute> = new Map(
  [ways, byPassword, linkShown, byLink, bearer, signOut, sessions, endSession, newPassword, invitation].map((route) => [
    route.path,
    route,
  ]),
);

/** Where a link leads. What follows # is not sent to any server, and so is in no log. */
export function linkAddress(origin: string, token: string): string {
  return `${origin}/console/#link=${token}`;
}

function entered(opened: Opened): AuthAnswer {
  return { data: shownSession(opened), cookie: opened.cookie };
}

function shownSession({ orgId, sessionId, member, bearer: text, expiresAt }: SignedIn) {
  return {
    bearer: text,
    expires_at: expiresAt.toISOString(),
    org_id: orgId,
    session_id: sessionId,
    member: shownMember(member),
    role: member.role.name,
  };
}

function shownLink({ known, member, kind, expiresAt }: OpenedLink) {
  return {
    org_id: known.org.orgId,
    org_name: known.org.name,
    member: shownMember(member),
    invitation: kind === 'invitation',
    expires_at: expiresAt.toISOString(),
  };
}

function shownMember({ memberId, name, email }: Admitted) {
  return { id: memberId, name, ...(email === null ? {} : { email }) };
}

function orgNeeded(): Problem {
  const detail = 'This service has several orgs. Send the number of yours as org_id.';
  return new Problem('invalid_request', 'invalid_member', detail);
}

function passwordNotTaken(): Problem {
  const detail = 'Only an invitation sets a password. Sign in without one, and change it afterwards.';
  return new Problem('invalid_request', 'invalid_member', detail);
}
