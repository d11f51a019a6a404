// The one page that shows what happens to every request:
//
//   request id → route → caller → turn, if the caller has sent many at once → one unit of the rate limit → operation →
//   accepted media type → key required? → allowed by its path? → body, at its price → query, body and headers checked →
//   the operation runs → envelope and headers → compressed, if the client accepts it
//
// Anything thrown on the way reaches `problemFor`: a Problem is answered as it is; any other error is logged in full
// and answered as internal_error, so that no stack, path or SQL ever leaves the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '../base/id.ts';
import { Problem, problemOf, shuttingDown } from '../base/problem.ts';
import { keyMissing } from '../engine/process/authenticate.ts';
import type { Session } from '../engine/process/session.ts';
import type { Sender } from '../engine/shares/crowd.ts';
import type { Slice } from '../engine/shares/thread.ts';
import {
  type Answer,
  type BodyDeclaration,
  basePath,
  type DocumentAnswer,
  type KeyOperation,
  type Operation,
  type PublicOperation,
} from '../operations/operation.ts';
import { answerAuth, isAuthPath } from './auth/answer-auth.ts';
import type { AuthRequest } from './auth/route.ts';
import { readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import { type Exchange, ownerOf } from './exchange.ts';
import { checkAccept, type Parsed, parseInput, parseRequest } from './input.ts';
import { completeSession, newerSession, renewOrThrow, sessionOf } from './newer-schema.ts';
import { findPage, pageLimit } from './pages/pages.ts';
import { recordRate } from './rate-limit.ts';
import { addressOf, bearerOf, checkExpect, checkHost, checkUrl, originOf, splitTarget } from './request-head.ts';
import { answerReply, pageHeaders, problemFor, problemReply, standardHeaders } from './respond.ts';
import { findOperation, findRoute, type Route, routeUnknown } from './routes.ts';
import { bodyBytes } from './sending/pieces.ts';
import type { Reply } from './sending/reply.ts';

/** The OpenAPI document. */
type Document = () => DocumentAnswer;

export async function handle(
  context: HttpContext,
  document: Document,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = newId();
  const exchange: Exchange = {
    requestId,
    startedMs: context.engine.clock.monotonicMs(),
    origin: () => context.settings.publicUrl ?? originOf(request),
    route: '(unknown)',
    session: undefined,
    rate: undefined,
    body: undefined,
    units: 0,
    sender: undefined,
  };
  const { path, search } = splitTarget(request.url ?? '/');
  const inside = `${path}/`.startsWith(`${basePath}/`);
  const replying: Promise<Reply> = inside
    ? answer({ context, document, exchange, request, response }, path, search)
    : visit({ context, visit: exchange, request, response, path, search });
  const reply = await replying.catch((error: unknown) =>
    problemReply(problemFor(context.log, requestId, error), exchange.origin(), requestId),
  );
  exchange.body?.end();
  const rate = exchange.rate ?? context.engine.anonymousRateLimit.state(addressOf(request));
  const headers = inside ? standardHeaders(requestId, rate, context.settings) : pageHeaders(requestId);
  try {
    const whole = { ...reply, headers: Object.assign(headers, reply.headers) };
    const bytes = bodyBytes(whole.body);
    // Printing it was work for the thread, in whatever form it is sent.
    if (exchange.session !== undefined) context.engine.connections.answered(exchange.session.caller.orgId, bytes);
    const coded = inside ? context.compression.coded(request, ownerOf(exchange, request), whole, bytes) : whole;
    send(context, exchange, request, response, coded instanceof Promise ? await coded : coded);
  } finally {
    const outcome = reply.status === 429 || reply.status === 503 ? 'refused' : 'answered';
    if (exchange.sender !== undefined) context.engine.crowd.leave(exchange.sender, outcome);
  }
}

/** A request beyond a few of the same sender waits for its turn. Undefined, not a promise, for all others. */
function enterCrowd({ engine }: HttpContext, exchange: Exchange, sender: Sender): Promise<void> | undefined {
  const turn = engine.crowd.enter(sender);
  // Only now: a request that is refused has not entered, and must not leave.
  exchange.sender = sender;
  return turn;
}

/** A page outside /rest/v1, or signing in. The request has no key, so it counts against the address. */
async function visit(asked: AuthRequest & { readonly visit: Exchange }): Promise<Reply> {
  const { context, visit: exchange, request, path } = asked;
  await enterCrowd(context, exchange, addressOf(request));
  if (isAuthPath(path)) return answerAuth(asked);
  const limit = pageLimit(path);
  if (limit !== undefined) recordRate(context, exchange, context.engine.anonymousRateLimit[limit](addressOf(request)));
  return findPage(context, exchange, request, path);
}

/** Everything that the steps of one request share. */
interface Passage {
  readonly context: HttpContext;
  readonly document: Document;
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(passage: Passage, path: string, search: string): Promise<Reply> {
  const { context, exchange, request } = passage;
  if (isPreflight(request, context.settings)) {
    recordRate(context, exchange, context.engine.anonymousRateLimit.spend(addressOf(request)));
    const reply = answerReply({ data: {} }, 200, exchange.requestId);
    return { ...reply, headers: { ...reply.headers, ...preflightHeaders } };
  }
  const route = findRoute(path);
  if (route !== undefined) exchange.route = route.template;
  if (context.isTooLate()) throw shuttingDown();
  const refusal = await identify(context, exchange, request);
  checkUrl(request);
  checkHost(request);
  if (route === undefined) throw routeUnknown(path);
  const operation = findOperation(route, request.method ?? 'GET');
  checkExpect(request);
  checkAccept(request.headers.accept);
  if (operation.access === 'key' && exchange.session === undefined) throw refusal ?? keyMissing();
  context.engine.bytes.admit(ownerOf(exchange, request));
  const target = { route, search };
  const result = operation.access === 'key' ? runWithKey(passage, operation, target) : run(passage, operation, target);
  return answerReply(await result, operation.answer.status, exchange.requestId, request.headers['if-none-match']);
}

/** The route of a request, and the query in its URL. */
interface Target {
  readonly route: Route;
  readonly search: string;
}

function run(
  { context, document, exchange, request }: Passage,
  operation: PublicOperation,
  { route, search }: Target,
): Answer | Promise<Answer> {
  const { faults } = parseInput(operation, request, route, search, undefined);
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  return operation.run({ release: context.settings.release, origin: exchange.origin(), document });
}

/** Runs the operation, provided that the request has no faults and the org's rate limit covers its cost. */
async function runWithKey<Request>(
  passage: Passage,
  operation: KeyOperation<Request>,
  target: Target,
): Promise<Answer> {
  const { context, exchange, request, response } = passage;
  const { requestId, origin } = exchange;
  const { engine } = context;
  const holder = { exchange, key: bearerOf(request) };
  let changes = 0;
  for (let permitted = false; !permitted; ) {
    try {
      operation.authorise?.(sessionOf(exchange), target.route.path);
      permitted = true;
    } catch (error) {
      await renewOrThrow(engine, holder, error, changes++);
    }
  }
  const { parsed, slice } = operation.body
    ? await receive(passage, sessionOf(exchange), operation, operation.body, target)
    : { parsed: parseInput(operation, request, target.route, target.search, undefined) };
  const isAbandoned = () => response.destroyed;
  const spend = (units: number) => charge(context, exchange, sessionOf(exchange), units);
  const sender = { requestId, address: addressOf(request), origin, isAbandoned, slice, charge: spend };
  const renewSession = () => engine.sessions.renew(holder.key);
  const renewal = { renewSession, newerSession: () => newerSession(engine, holder) };
  for (;;) {
    const session = sessionOf(exchange);
    const database = engine.connections.of(session.caller.orgId, isAbandoned);
    const call = { engine, database, session, ...sender, ...renewal };
    try {
      const asked = await parseRequest(call, operation, { ...parsed, faults: [...parsed.faults] });
      if (operation.cost !== undefined) await spend(operation.cost(asked));
      return await operation.run(call, asked);
    } catch (error) {
      await renewOrThrow(engine, holder, error, changes++);
    }
  }
}

/** The input of an operation with a body, once it is its turn. Only what is parsed is kept. */
async function receive(
  { context, exchange, request, response }: Passage,
  session: Session,
  operation: Operation,
  declared: BodyDeclaration<unknown>,
  { route, search }: Target,
): Promise<{ readonly parsed: Parsed; readonly slice?: Slice | undefined }> {
  const { engine } = context;
  const { orgId } = session.caller;
  const share = engine.bodies.open(orgId);
  exchange.body = share;
  const body = await readBody(request, response, declared, {
    // At most the quota: otherwise a long body could never be sent.
    charge: (units) => charge(context, exchange, session, Math.min(units, session.policy.quota)),
    reserve: (bytes) => share.reserve(bytes),
    turn: () => share.turn(),
    slice: () => engine.thread.slice(orgId),
  });
  return { parsed: parseInput(operation, request, route, search, body), slice: body.slice };
}

/** Identifies the caller and spends one unit of their rate limit. Returns the problem with the key, if there is one. */
async function identify(
  context: HttpContext,
  exchange: Exchange,
  request: IncomingMessage,
): Promise<Problem | undefined> {
  const { engine } = context;
  let refusal: Problem | undefined;
  try {
    exchange.session = await engine.sessions.open(bearerOf(request), addressOf(request));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error;
    refusal = error;
  }
  const turn = enterCrowd(context, exchange, exchange.session?.caller.orgId ?? addressOf(request));
  if (turn !== undefined) await turn;
  if (exchange.session === undefined) {
    recordRate(context, exchange, engine.anonymousRateLimit.spend(addressOf(request)));
    if (refusal !== undefined) context.keyNotes.refused(request.headers.authorization, refusal, addressOf(request));
  } else {
    context.keyNotes.used(exchange.session.caller);
    await charge(context, exchange, exchange.session, 1);
    if (exchange.session.lacksDefinitions) await completeSession(context, { exchange, key: bearerOf(request) });
  }
  return refusal;
}

/** Spends what is still missing until the request has cost as many units. */
async function charge(context: HttpContext, exchange: Exchange, session: Session, units: number): Promise<void> {
  const missing = units - exchange.units;
  if (missing <= 0) return;
  const { orgId } = session.caller;
  recordRate(context, exchange, await context.engine.orgRateLimit.spend(orgId, session.policy, missing), units);
  exchange.units = units;
}

function send(
  context: HttpContext,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
): void {
  const { route, session } = exchange;
  const { method = '' } = request;
  const cors = corsHeaders(request, context.settings);
  const headers: Record<string, string | number> = Object.assign({}, cors, reply.headers);
  if (cors['Vary'] !== undefined) headers['Vary'] = [reply.headers['Vary'] ?? [], cors['Vary']].flat().join(', ');
  const bytes = bodyBytes(reply.body);
  // A 304 has no body, and need not state the length of the one it stands for (RFC 9110, 8.6).
  if (reply.status !== 304) headers['Content-Length'] = bytes;
  // An unread body would have to arrive in full before the connection could carry another request.
  if (context.isDraining() || !request.complete) headers['Connection'] = 'close';
  response.writeHead(reply.status, headers);
  context.outgoing.send(response, { owner: ownerOf(exchange, request), requestId: exchange.requestId }, reply, bytes);
  const seconds = (context.engine.clock.monotonicMs() - exchange.startedMs) / 1_000;
  context.metrics.observe({ method, route, status: reply.status }, seconds);
  context.log.request({
    requestId: exchange.requestId,
    method,
    route,
    status: reply.status,
    ms: Math.round(seconds * 1e6) / 1e3,
    orgId: session?.caller.orgId,
    credentialId: session?.caller.credentialId,
    address: addressOf(request),
    refusal: reply.refusal,
  });
}
