// A request at /auth: a path of the list, posted as JSON by a page of our own origin, and answered like everything else. Cookies
// are read here and nowhere else, and only to fetch a bearer or to know whom a sign-in replaces.
import type { IncomingMessage } from 'node:http';
import { isSessionId } from '../../access/sign-in-text.ts';
import { bounds } from '../../base/limits.ts';
import { Problem, problemOf } from '../../base/problem.ts';
import type { Session } from '../../engine/process/session.ts';
import type { Body } from '../../engine/shares/bodies.ts';
import { networkOf } from '../../engine/shares/network.ts';
import type { Spent } from '../../engine/shares/org-rate-limit.ts';
import { knownSessionId, type OpenSession } from '../../engine/sign-in/sessions.ts';
import { readBody } from '../body.ts';
import type { HttpContext } from '../context.ts';
import { checkAccept } from '../input.ts';
import { recordRate } from '../rate-limit.ts';
import { addressOf, bearerOf, checkExpect, checkHost } from '../request-head.ts';
import { answerReply } from '../respond.ts';
import type { Reply } from '../sending/reply.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { oidcCallback, oidcStart } from './oidc.ts';
import type { AuthCall, AuthRequest, AuthRoute } from './route.ts';
import { authRoutes } from './routes.ts';

export function isAuthPath(path: string): boolean {
  return path === '/auth' || path.startsWith('/auth/');
}

/** The two steps with an OpenID provider, to which the browser is sent: the only ones that are not posted. */
const steps: ReadonlyMap<string, (call: AuthCall, asked: AuthRequest) => Promise<Reply>> = new Map([
  ['/auth/oidc/start', oidcStart],
  ['/auth/oidc/callback', oidcCallback],
]);

export async function answerAuth(asked: AuthRequest): Promise<Reply> {
  const { visit, request, path } = asked;
  const call = callOf(asked);
  const known = path.replace(/\/$/, '');
  const step = steps.get(known);
  const route = authRoutes.get(known);
  // What needs a credential counts against its org.
  if (route === undefined || route.access === 'anybody' || request.method !== 'POST') chargeVisitor(call, asked);
  checkHost(request);
  if (step === undefined && route === undefined) {
    throw new Problem('not_found', 'route_unknown', 'There is nothing at this path. See /docs/sign-in/.');
  }
  visit.route = known;
  const method = step === undefined ? 'POST' : 'GET';
  if (request.method !== method) {
    throw new Problem('method_not_allowed', undefined, `This path supports ${method} only.`, {
      headers: { Allow: method },
    });
  }
  if (step !== undefined) return step(call, asked);
  if (route === undefined) throw new TypeError('A path is a step or a route.');
  return post(call, asked, route);
}

function callOf({ context, visit, request }: AuthRequest): AuthCall {
  const origin = new URL(visit.origin()).origin;
  const agent = request.headers['user-agent'] ?? null;
  const isBehindProxy = context.settings.publicUrl !== undefined;
  return {
    context,
    engine: context.signIn,
    visitor: { requestId: visit.requestId, address: addressOf(request), isBehindProxy, agent },
    origin,
    cookie: readCookie(request, 'session', origin),
  };
}

async function post(call: AuthCall, asked: AuthRequest, route: AuthRoute): Promise<Reply> {
  const { visit, request } = asked;
  const proof = route.access === 'anybody' ? undefined : await proofOf(asked, route.access);
  requireOwnOrigin(request, call.origin);
  checkExpect(request);
  checkAccept(request.headers.accept);
  const answer = await route.run(call, await receive(asked, route), proof);
  const reply = answerReply({ data: answer.data }, 200, visit.requestId);
  if (answer.cookie === undefined) return reply;
  const { origin } = call;
  const cookie = answer.cookie === null ? clearCookie('session', origin) : setCookie('session', origin, answer.cookie);
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
}

/** Counts against the address, or against the session that the browser has: strangers must not keep people from theirs. */
function chargeVisitor({ context, engine, visitor, cookie }: AuthCall, { visit, path }: AuthRequest): void {
  const { anonymousRateLimit } = context.engine;
  const sessionId =
    path.startsWith('/auth/bearer') && cookie !== undefined ? knownSessionId(engine, cookie) : undefined;
  const spent =
    sessionId === undefined ? spendVisit(context, visitor.address) : anonymousRateLimit.spendSession(sessionId);
  recordRate(context, visit, spent);
}

function spendVisit({ engine, settings }: HttpContext, address: string): Spent {
  const { anonymousRateLimit } = engine;
  const isBehindProxy = settings.publicUrl !== undefined;
  return isBehindProxy ? anonymousRateLimit.spendBehindProxy(address) : anonymousRateLimit.spendSignIn(address);
}

/** A page of another site can post here too, with our cookies if it were not for this and for SameSite. */
function requireOwnOrigin({ headers }: IncomingMessage, origin: string): void {
  if (headers.origin === origin) return;
  const detail =
    headers.origin === undefined
      ? `Send "Origin: ${origin}". Browsers do, for pages of this service.`
      : `Requests at /auth are for pages of ${origin}. If people reach this service elsewhere, set --public-url.`;
  throw new Problem('forbidden', 'foreign_origin', detail);
}

async function proofOf(
  { context, visit, request }: AuthRequest,
  access: 'member' | 'credential',
): Promise<OpenSession | Session> {
  const session = await openCredential(context, visit, request);
  const { orgId, credentialId, userId } = session.caller;
  recordRate(context, visit, await context.engine.orgRateLimit.spend(orgId, session.policy, 1));
  if (access === 'credential') return session;
  if (userId !== null && isSessionId(credentialId)) return { orgId, sessionId: credentialId, memberId: userId };
  throw new Problem('forbidden', 'operation_not_granted', 'This is for people who have signed in, not for keys.');
}

/** One that is refused counts against the address. */
async function openCredential(
  context: HttpContext,
  visit: AuthRequest['visit'],
  request: IncomingMessage,
): Promise<Session> {
  const address = addressOf(request);
  try {
    const session = await context.engine.sessions.open(bearerOf(request), address);
    visit.session = session;
    return session;
  } catch (error) {
    recordRate(context, visit, spendVisit(context, address));
    throw error;
  }
}

async function receive({ context, visit, request, response }: AuthRequest, { body }: AuthRoute): Promise<unknown> {
  const share = bodyShare(context, request);
  visit.body = share;
  const declared = {
    description: '',
    schema: {},
    bytesMax: bounds.signIn.bodyBytes,
    valuesMax: bounds.signIn.bodyValues,
    read: (sent: unknown) => sent,
  };
  const { json } = await readBody(request, response, declared, {
    charge: async () => {},
    reserve: (bytes) => share.reserve(bytes),
    turn: () => undefined,
    slice: () => context.engine.thread.slice(0),
  });
  const sent = json();
  const faults = body.check(sent);
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  return sent;
}

/** Nobody is known yet, so the bytes belong to the network that they come from. */
function bodyShare({ engine }: HttpContext, request: IncomingMessage): Body {
  const owner = networkOf(addressOf(request));
  let reserved = 0;
  return {
    reserve: (bytes) => {
      engine.bytes.take(owner, bytes);
      reserved += bytes;
    },
    turn: () => undefined,
    end: () => {
      if (reserved > 0) engine.bytes.remove(owner, reserved);
      reserved = 0;
    },
  };
}
