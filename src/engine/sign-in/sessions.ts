// Opens sessions and fetches their bearers. A session is one credential: its cookie fetches bearers, and nothing else; each
// bearer is short, and works at once in every process.
import { digestOf, sameDigest } from '../../access/secret-text.ts';
import { bearerForm, cookieForm } from '../../access/sign-in-text.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../../store/database.ts';
import { holdOrg } from '../../store/org/orgs.ts';
import { findMember } from '../../store/sign-in/members.ts';
import {
  type EndedSessions,
  endSessions,
  findLiveSession,
  findSurplus,
  insertBearer,
  insertSession,
  type ListedSession,
  listSessions,
} from '../../store/sign-in/sessions.ts';
import { Administration } from '../platform/administration.ts';
import type { WorkingEngine } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { commit } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import type { SignInEngine } from './open-sign-in.ts';
import { type Admitted, admitted, agentOf, knownOrg, memberCall, type Visitor } from './visitor.ts';

/** How a member signed in. */
type Way = 'link' | 'invitation' | 'password' | 'oidc';

/** Who is signed in, and the bearer that the API takes. */
export interface SignedIn {
  readonly orgId: number;
  readonly sessionId: string;
  readonly member: Admitted;
  readonly bearer: string;
  readonly expiresAt: Date;
}

/** A new session, and the cookie that fetches its next bearers. */
export interface Opened extends SignedIn {
  readonly cookie: string;
}

/** A session of somebody, by the cookie of their browser. */
export interface OpenSession {
  readonly orgId: number;
  readonly sessionId: string;
  readonly memberId: string;
}

interface Entering {
  readonly known: KnownOrg;
  readonly member: Admitted;
  readonly way: Way;
  /** What is said to a member who may not sign in any more. */
  readonly refusal: () => Problem;
  readonly visitor: Visitor;
  /** The session that the browser had before, which ends. */
  readonly before: OpenSession | undefined;
  /** Whether other sessions of the member end as well, so that every process must learn of it. */
  readonly endsOthers?: true;
  /** What else belongs to the same transaction. Signs nobody in if it throws. */
  also(unit: Unit): Promise<void>;
}

/** Refusals are in the audit. */
export async function openSession(engine: SignInEngine, entering: Entering): Promise<Opened> {
  return enter(engine, entering).catch((error: unknown) => {
    if (error instanceof Problem && error.reason === 'sign_in_refused') {
      const { known, member, way, visitor } = entering;
      const { orgId } = known.org;
      engine.refusals.note({ orgId, memberId: member.memberId, detail: way, address: visitor.address });
    }
    throw error;
  });
}

async function enter(engine: SignInEngine, entering: Entering): Promise<Opened> {
  const { known, way, visitor, before } = entering;
  const { orgId } = known.org;
  const { memberId } = entering.member;
  const sessionId = bearerForm.newId(orgId);
  const [cookie, bearer] = [cookieForm.newText(sessionId), bearerForm.newText(sessionId)];
  const surplus = await findSurplus(engine.database, orgId, memberId);
  const replaced = before?.orgId === orgId ? before : undefined;
  const { member, expiresAt } = await commit(
    memberCall(engine, known, { memberId, sessionId }, visitor),
    async (unit) => {
      const { transaction } = unit;
      // Bearers of a session that ends may be known to other processes, so they must learn of it.
      if (replaced !== undefined || surplus.length > 0 || entering.endsOthers) await unit.govern();
      else await holdOrg(transaction, orgId);
      // Checking a password takes a while: meanwhile somebody may have closed the door.
      const now = admitted(await findMember(transaction, orgId, memberId));
      if (now === undefined) throw entering.refusal();
      await entering.also(unit);
      if (replaced !== undefined) await endNoted(unit, replaced.memberId, { only: [replaced.sessionId] }, 'replaced');
      if (surplus.length > 0) await endNoted(unit, memberId, { only: surplus }, 'too many sessions');
      const origin = { way, address: visitor.address, agent: agentOf(visitor) };
      await insertSession(transaction, orgId, { sessionId, memberId, cookieDigest: digestOf(cookie), ...origin });
      note(unit, 'session.opened', memberId, way);
      return { member: now, expiresAt: await insertBearer(transaction, orgId, sessionId, digestOf(bearer)) };
    },
    'assumed',
  );
  if (expiresAt === undefined) throw new TypeError('The new session has ended already.');
  learnCookie(engine, cookie);
  if (before !== undefined && before.orgId !== orgId) await endBefore(engine, before, visitor);
  return { orgId, sessionId, member, bearer, expiresAt, cookie };
}

/** The browser had a session in another org, which its cookie no longer opens. */
async function endBefore(engine: WorkingEngine, before: OpenSession, visitor: Visitor): Promise<void> {
  await endOwnSessions(engine, before, { only: [before.sessionId] }, 'replaced', visitor);
}

/** The session of a cookie; undefined if it has none that goes on. */
export async function findOpenSession(
  engine: WorkingEngine,
  cookie: string | undefined,
): Promise<OpenSession | undefined> {
  const named = cookie === undefined ? undefined : cookieForm.parse(cookie);
  if (cookie === undefined || named === undefined) return undefined;
  return findNamed(engine.database, cookie, { orgId: named.orgId, sessionId: named.id });
}

/** What shows that somebody had the cookie, and fetches no bearer: its session, and its digest. */
export function proofOfCookie(cookie: string | undefined): string | undefined {
  const named = cookie === undefined ? undefined : cookieForm.parse(cookie);
  return cookie === undefined || named === undefined ? undefined : `${named.id}.${digestOf(cookie).toString('hex')}`;
}

export async function findProvenSession(
  engine: WorkingEngine,
  proof: string | undefined,
): Promise<OpenSession | undefined> {
  const [id = '', digest = ''] = proof?.split('.') ?? [];
  const named = cookieForm.parseId(id);
  if (named === undefined) return undefined;
  const { orgId, id: sessionId } = named;
  return findByDigest(engine.database, Buffer.from(digest, 'hex'), { orgId, sessionId });
}

function findNamed(transaction: Transaction, cookie: string, named: NamedSession): Promise<OpenSession | undefined> {
  return findByDigest(transaction, digestOf(cookie), named);
}

interface NamedSession {
  readonly orgId: number;
  readonly sessionId: string;
}

async function findByDigest(
  transaction: Transaction,
  digest: Buffer,
  { orgId, sessionId }: NamedSession,
): Promise<OpenSession | undefined> {
  const session = await findLiveSession(transaction, orgId, sessionId);
  if (session === undefined || !sameDigest(session.cookieDigest, digest)) return undefined;
  return { orgId, sessionId, memberId: session.memberId };
}

/** The next bearer of the session that the cookie opens; undefined if there is none, or if its member may not sign in. */
export async function nextBearer(engine: SignInEngine, cookie: string | undefined): Promise<SignedIn | undefined> {
  const named = cookie === undefined ? undefined : cookieForm.parse(cookie);
  if (cookie === undefined || named === undefined) return undefined;
  return engine.database.transaction(async (transaction) => {
    const session = await findNamed(transaction, cookie, { orgId: named.orgId, sessionId: named.id });
    const member = session && admitted(await findMember(transaction, session.orgId, session.memberId));
    if (session === undefined || member === undefined) return undefined;
    const { orgId, sessionId } = session;
    const bearer = bearerForm.newText(sessionId);
    const expiresAt = await insertBearer(transaction, orgId, sessionId, digestOf(bearer));
    if (expiresAt !== undefined) learnCookie(engine, cookie);
    return expiresAt && { orgId, sessionId, member, bearer, expiresAt };
  });
}

function learnCookie({ knownCookies }: SignInEngine, cookie: string): void {
  if (knownCookies.size >= bounds.engine.knownKeys) knownCookies.clear();
  knownCookies.add(digestOf(cookie).toString('hex'));
}

/** The id of the session, if the cookie has fetched a bearer from this process before. */
export function knownSessionId({ knownCookies }: SignInEngine, cookie: string): string | undefined {
  return knownCookies.has(digestOf(cookie).toString('hex')) ? cookieForm.parse(cookie)?.id : undefined;
}

export function listOwnSessions(engine: WorkingEngine, own: OpenSession): Promise<readonly ListedSession[]> {
  return listSessions(engine.database, own.orgId, own.memberId);
}

/** Ends sessions of a member, in every process within a second. Returns how many there were. */
export async function endOwnSessions(
  engine: WorkingEngine,
  own: OpenSession,
  which: EndedSessions,
  why: string,
  visitor: Visitor,
): Promise<number> {
  const known = await knownOrg(engine, own.orgId);
  const going = await listSessions(engine.database, own.orgId, own.memberId);
  // Ending sessions makes every process read the org again.
  if (known === undefined || !going.some(({ sessionId }) => isAmong(sessionId, which))) return 0;
  return commit(
    memberCall(engine, known, own, visitor),
    async (unit) => {
      await unit.govern();
      return endNoted(unit, own.memberId, which, why);
    },
    'assumed',
  );
}

function isAmong(sessionId: string, which: EndedSessions): boolean {
  if (which === 'all') return true;
  return 'only' in which ? which.only.includes(sessionId) : sessionId !== which.allBut;
}

/** Called when the unit governs the org. */
export async function endNoted(unit: Unit, memberId: string, which: EndedSessions, why: string): Promise<number> {
  const ended = await endSessions(unit.transaction, unit.call.session.caller.orgId, memberId, which);
  for (const id of ended) note(unit, 'session.closed', memberId, `${why}, session ${id}`);
  return ended.length;
}

function note(unit: Unit, action: 'session.opened' | 'session.closed', memberId: string, detail: string): void {
  const type = unit.call.session.orgTypes.get(platformTypes.member);
  unit.book(Administration).note({ action, ...(type === undefined ? {} : { about: { type, id: memberId } }), detail });
}
