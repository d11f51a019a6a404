// The one page that shows what happens to every request:
//
//   request id → route → caller → one unit of the rate limit → operation → accepted media type →
//   key required? → body → query, body and headers checked → the operation runs → envelope and headers
//
// Anything thrown on the way reaches `problemFor`: a Problem is answered as it is; any other error is logged in full
// and answered as internal_error, so that no stack, path or SQL ever leaves the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateState } from '../access/rate-limit.ts';
import { newId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { Problem, problemOf } from '../base/problem.ts';
import { keyMissing } from '../engine/process/authenticate.ts';
import type { Session } from '../engine/process/session.ts';
import type { Body } from '../engine/shares/bodies.ts';
import { withoutKey } from '../engine/shares/bytes.ts';
import { type Answer, basePath, type KeyOperation, type Operation } from '../operations/operation.ts';
import { readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import { checkAccept, type Parsed, parseInput, parseRequest } from './input.ts';
import { findPage, pageLimit } from './pages/pages.ts';
import { bodyBytes } from './pieces.ts';
import { recordRate } from './rate-limit.ts';
import { answerReply, pageHeaders, problemReply, type Reply, standardHeaders } from './respond.ts';
import { findOperation, findRoute, type Route, routeUnknown } from './routes.ts';

/** One request and the facts found about it so far. */
interface Exchange {
  readonly requestId: string;
  readonly startedMs: number;
  readonly origin: () => string;
  route: string;
  session: Session | undefined;
  rate: RateState | undefined;
  /** The share of its body; undefined if it has none. */
  body: Body | undefined;
}

/** The text of the OpenAPI document. */
type Document = () => string;

export async function handle(
  context: HttpContext,
  document: Document,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange: Exchange = {
    requestId: newId(),
    startedMs: context.engine.clock.monotonicMs(),
    origin: () => context.settings.publicUrl ?? originOf(request),
    route: '(unknown)',
    session: undefined,
    rate: undefined,
    body: undefined,
  };
  const { path, search } = splitTarget(request.url ?? '/');
  const inside = path === basePath || path.startsWith(`${basePath}/`);
  let reply: Reply;
  try {
    reply = inside
      ? await answer({ context, document, exchange, request, response }, path, search)
      : await visit(context, exchange, request, path);
  } catch (error) {
    reply = problemReply(problemFor(context, exchange, error), exchange.origin(), exchange.requestId);
  }
  exchange.body?.end();
  const rate = exchange.rate ?? context.engine.anonymousRateLimit.state(addressOf(request));
  const headers = inside
    ? standardHeaders(exchange.requestId, rate, context.settings)
    : pageHeaders(exchange.requestId);
  send(context, exchange, request, response, { ...reply, headers: Object.assign(headers, reply.headers) });
}

/** A page outside /rest/v1. Its request has no key, so it counts against the address. */
async function visit(context: HttpContext, exchange: Exchange, request: IncomingMessage, path: string): Promise<Reply> {
  const limit = pageLimit(path);
  const { anonymousRateLimit } = context.engine;
  if (limit !== undefined) recordRate(context, exchange, anonymousRateLimit[limit](addressOf(request)));
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
  const refusal = await identify(context, exchange, request);
  if (Buffer.byteLength(request.url ?? '') > bounds.http.urlBytes) throw urlTooLong();
  checkHost(request);
  if (route === undefined) throw routeUnknown(path);
  const operation = findOperation(route, request.method ?? 'GET');
  checkExpect(request);
  checkAccept(request.headers.accept);
  if (operation.access === 'key' && exchange.session === undefined) throw refusal ?? keyMissing();
  context.engine.bytes.admit(ownerOf(exchange));
  const parsed = operation.body
    ? await receive(passage, operation, operation.body.bytesMax, route, search)
    : parseInput(operation, request, route, search, undefined);
  const result = await run(passage, operation, parsed);
  return answerReply(result, operation.answer.status, exchange.requestId);
}

/** The input of an operation with a body, once it is its turn. Only what is parsed is kept. */
async function receive(
  { context, exchange, request, response }: Passage,
  operation: Operation,
  bytesMax: number,
  route: Route,
  search: string,
): Promise<Parsed> {
  const body = context.engine.bodies.open(ownerOf(exchange));
  exchange.body = body;
  const bytes = await readBody(request, response, bytesMax, (count) => body.reserve(count));
  const turn = body.turn();
  if (turn !== undefined) await turn;
  return parseInput(operation, request, route, search, bytes);
}

function ownerOf({ session }: Exchange): number {
  return session?.caller.orgId ?? withoutKey;
}

/** Runs the operation, provided that the request has no faults and the org's rate limit covers its cost. */
function run(passage: Passage, operation: Operation, parsed: Parsed): Answer | Promise<Answer> {
  const { context, document, exchange } = passage;
  if (operation.access === 'key') return runWithKey(passage, operation, parsed);
  if (parsed.faults.length > 0) throw problemOf('invalid_request', parsed.faults);
  return operation.run({ release: context.settings.release, origin: exchange.origin(), document });
}

async function runWithKey<Request>(
  { context, exchange, response }: Passage,
  operation: KeyOperation<Request>,
  parsed: Parsed,
): Promise<Answer> {
  const { session, requestId, origin } = exchange;
  if (session === undefined) throw keyMissing();
  const { engine } = context;
  const database = engine.connections.of(session.caller.orgId);
  const call = { engine, database, session, requestId, origin, isAbandoned: () => response.destroyed };
  const request = await parseRequest(call, operation, parsed);
  const cost = operation.cost?.(request) ?? 1;
  // The first unit was spent before the operation was known.
  if (cost > 1) await spend(context, exchange, session, cost - 1);
  return operation.run(call, request);
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
  if (exchange.session === undefined) {
    recordRate(context, exchange, engine.anonymousRateLimit.spend(addressOf(request)));
  } else {
    engine.lastUse.note(exchange.session.caller);
    await spend(context, exchange, exchange.session, 1);
  }
  return refusal;
}

async function spend(context: HttpContext, exchange: Exchange, session: Session, cost: number): Promise<void> {
  recordRate(context, exchange, await context.engine.orgRateLimit.spend(session.caller.orgId, session.policy, cost));
}

/** The key of the Authorization header. Two such headers are ambiguous, so neither is accepted. */
function bearerOf(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header === undefined) throw keyMissing();
  const match = countOf(request, 'authorization') === 1 ? /^bearer +([^\s]+) *$/i.exec(header) : null;
  return match?.[1] ?? '';
}

function problemFor(context: HttpContext, exchange: Exchange, error: unknown): Problem {
  if (error instanceof Problem) {
    if (error.status >= 500) context.log.warn({ request_id: exchange.requestId, err: error }, 'request failed');
    return error;
  }
  context.log.error({ request_id: exchange.requestId, err: error }, 'request failed');
  return new Problem(
    'internal_error',
    undefined,
    'The service failed to handle this request. Its log has the cause under this request id.',
  );
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
  const headers: Record<string, string | number> = Object.assign(corsHeaders(request, context.settings), reply.headers);
  // A 304 has no body, and need not state the length of the one it stands for (RFC 9110, 8.6).
  if (reply.status !== 304) headers['Content-Length'] = bodyBytes(reply.body);
  // An unread body would have to arrive in full before the connection could carry another request.
  if (context.isDraining() || !request.complete) headers['Connection'] = 'close';
  response.writeHead(reply.status, headers);
  context.outgoing.send(response, { orgId: ownerOf(exchange), requestId: exchange.requestId }, reply.body);
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
  });
}

/** Path and query of the request target, which may also be in absolute form (RFC 9112, 3.2.2). */
function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const cut = local.indexOf('?');
  return cut < 0 ? { path: local, search: '' } : { path: local.slice(0, cut), search: local.slice(cut + 1) };
}

/** Scheme and host as the client sent them. An invalid host is never repeated in an answer. */
function originOf(request: IncomingMessage): string {
  const host = request.headers.host ?? '';
  const form = /^[A-Za-z0-9._~-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;
  if (form.test(host) && URL.canParse(`http://${host}`)) return `http://${host}`;
  return `http://localhost:${request.socket.localPort ?? 80}`;
}

function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '(none)';
}

/** RFC 9112, 3.2: exactly one Host, or none in HTTP/1.0. With two, a proxy and this service could disagree. */
function checkHost(request: IncomingMessage): void {
  const count = countOf(request, 'host');
  if (count === 1 || (count === 0 && request.httpVersion === '1.0')) return;
  throw new Problem('invalid_request', 'invalid_header', `Send exactly one Host header; this request has ${count}.`);
}

/** How often the header was sent. Node keeps the first of some headers and joins others. */
function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

function checkExpect(request: IncomingMessage): void {
  const { expect } = request.headers;
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw new Problem(
    'invalid_request',
    'invalid_header',
    'The only supported value of the Expect header is 100-continue.',
  );
}

function urlTooLong(): Problem {
  return new Problem('invalid_request', 'limit_out_of_range', `A URL may have at most ${bounds.http.urlBytes} bytes.`);
}
