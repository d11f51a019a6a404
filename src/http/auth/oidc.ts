// The two steps with an OpenID provider: the browser is sent there, and comes back with a code. State, nonce and PKCE are in a
// cookie of their own, so only the browser that began can finish. What goes wrong at the provider ends on our own page.
import { Problem } from '../../base/problem.ts';
import { type Begun, providerOf, signInByOidc } from '../../engine/sign-in/oidc.ts';
import { findProvenSession, proofOfCookie } from '../../engine/sign-in/sessions.ts';
import { findWays } from '../../engine/sign-in/ways.ts';
import type { Reply } from '../sending/reply.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { ProviderFault } from './provider.ts';
import type { AuthCall, AuthRequest } from './route.ts';

const callbackPath = '/auth/oidc/callback';

/** What the cookie holds until the person comes back. */
interface Kept extends Begun {
  readonly orgId: number;
  readonly returnTo: string;
  /** Of the session that the browser had: its cookie does not come along from another site, and is for /auth alone. */
  readonly session: string | undefined;
}

/** Why somebody is not signed in; the page has a sentence for each. */
type Outcome = 'none' | 'provider' | 'expired' | 'cancelled' | 'refused' | 'busy';

export async function oidcStart(call: AuthCall, { search }: AuthRequest): Promise<Reply> {
  const { context, engine, origin, cookie } = call;
  const query = new URLSearchParams(search);
  const named = Number(query.get('org') ?? Number.NaN);
  const { orgId } = await findWays(engine, Number.isInteger(named) && named > 0 && named < 2 ** 31 ? named : undefined);
  const provider = orgId === undefined ? undefined : await providerOf(engine, orgId);
  if (orgId === undefined || provider === undefined) return redirect(`${consolePath(orgId)}#sign-in=none`, []);
  const returnTo = ownPath(query.get('return_to'), origin) ?? consolePath(orgId);
  try {
    const { to, begun } = await context.providers.begin(orgId, provider, `${origin}${callbackPath}`);
    const kept: Kept = { ...begun, orgId, returnTo, session: proofOfCookie(cookie) };
    return redirect(to.href, [setCookie('oidc', origin, packed(kept))]);
  } catch (error) {
    return failed(call, orgId, error);
  }
}

export async function oidcCallback(call: AuthCall, { request, search }: AuthRequest): Promise<Reply> {
  const { context, engine, origin, visitor } = call;
  const kept = unpacked(readCookie(request, 'oidc', origin));
  const query = new URLSearchParams(search);
  const state = query.get('state');
  // Another browser began this sign-in, or it took too long.
  if (kept === undefined || state !== kept.state) return ended(call, orgOfState(state), 'expired');
  const { orgId } = kept;
  if (query.get('error') === 'access_denied') return ended(call, orgId, 'cancelled');
  try {
    const provider = await providerOf(engine, orgId);
    if (provider === undefined) return ended(call, orgId, 'expired');
    const came = new URL(`${origin}${callbackPath}?${search}`);
    const identity = await context.providers.finish(orgId, provider, kept, came);
    const before = await findProvenSession(engine, kept.session);
    const opened = await signInByOidc(engine, orgId, identity, visitor, before);
    const cookies = [setCookie('session', origin, opened.cookie), clearCookie('oidc', origin)];
    return redirect(ownPath(kept.returnTo, origin) ?? consolePath(orgId), cookies);
  } catch (error) {
    return failed(call, orgId, error);
  }
}

function failed(call: AuthCall, orgId: number, error: unknown): Reply {
  if (error instanceof ProviderFault) {
    call.context.log.warn(
      { request_id: call.visitor.requestId, org_id: orgId, err: error },
      'sign-in with a provider failed',
    );
    return ended(call, orgId, 'provider');
  }
  if (error instanceof Problem && error.reason === 'sign_in_refused') return ended(call, orgId, 'refused');
  if (error instanceof Problem && error.reason === 'overloaded') return ended(call, orgId, 'busy');
  throw error;
}

/** Back to the page that offers to sign in, which says what happened. */
function ended({ engine, visitor, origin }: AuthCall, orgId: number | undefined, outcome: Outcome): Reply {
  // Who was refused is in the audit already.
  if (orgId !== undefined && outcome !== 'refused') {
    engine.refusals.note({ orgId, memberId: undefined, detail: `oidc, ${outcome}`, address: visitor.address });
  }
  return redirect(`${consolePath(orgId)}#sign-in=${outcome}`, [clearCookie('oidc', origin)]);
}

function redirect(to: string, cookies: readonly string[]): Reply {
  return { status: 303, headers: { Location: to, 'Set-Cookie': cookies, 'Referrer-Policy': 'no-referrer' }, body: '' };
}

function consolePath(orgId: number | undefined): string {
  return orgId === undefined ? '/console/' : `/console/?org=${orgId}`;
}

function orgOfState(state: string | null): number | undefined {
  const orgId = Number(/^([1-9][0-9]{0,9})\./.exec(state ?? '')?.[1]);
  return Number.isInteger(orgId) && orgId < 2 ** 31 ? orgId : undefined;
}

/** The path, if it is one of the console on this service. Anything else could lead elsewhere. */
function ownPath(text: string | null, origin: string): string | undefined {
  if (text === null || text.length > 500 || !/^\/console\/[\w\-./?=&%]*$/.test(text)) return undefined;
  const url = new URL(text, origin);
  return url.origin === origin && url.pathname.startsWith('/console/') ? `${url.pathname}${url.search}` : undefined;
}

function packed(kept: Kept): string {
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Undefined if the cookie is not one of ours. */
function unpacked(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const { state, nonce, verifier, orgId, returnTo, session } = JSON.parse(
      Buffer.from(text, 'base64url').toString(),
    ) as Partial<Record<keyof Kept, unknown>>;
    const isText = (value: unknown): value is string => typeof value === 'string' && value.length >= 1;
    if (!isText(state) || !isText(nonce) || !isText(verifier) || !isText(returnTo)) return undefined;
    if (typeof orgId !== 'number' || orgOfState(state) !== orgId) return undefined;
    return { state, nonce, verifier, orgId, returnTo, session: isText(session) ? session : undefined };
  } catch {
    return undefined;
  }
}
