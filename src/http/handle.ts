// The one page that tells every request from door to door:
//
//   request id → which route → who calls → one unit of the rate limit → which operation → accepted media type →
//   may it be called without a key → body → query, body and headers checked → the operation → envelope and headers
//
// Whatever is thrown on the way lands in `problemFor`: a Problem is answered as it is, anything else is logged in full
// and answered as internal_error, so that no stack, path or SQL ever leaves the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateState } from '../access/rate-limit.ts';
import { newId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { Problem, problemOf } from '../base/problem.ts';
import type { Spent } from '../engine/process/org-rate-limit.ts';
import { keyMissing, type Session } from '../engine/process/session.ts';
import { type Answer, basePath, type Operation, type PublicOperation } from '../operations/operation.ts';
import { readBody } from './body.ts';
import type { Service } from './context.ts';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import { checkAccept, type Parsed, parseInput } from './input.ts';
import { logRequest } from './log.ts';
import { findPage } from './pages/pages.ts';
import { answerReply, pageHeaders, problemReply, type Reply, standardHeaders } from './respond.ts';
import { findOperation, findRoute, routeUnknown } from './routes.ts';

/** What is known of one request so far. */
interface Exchange {
  readonly requestId: string;
  readonly startedMs: number;
  readonly origin: () => string;
  route: string;
  session: Session | undefined;
  rate: RateState | undefined;
}

/** The text of the OpenAPI document. */
export type Document = () => string;

export async function handle(
  service: Service,
  document: Document,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange: Exchange = {
    requestId: newId(),
    startedMs: service.engine.clock.monotonicMs(),
    origin: () => service.settings.publicUrl ?? originOf(request),
    route: '(unknown)',
    session: undefined,
    rate: undefined,
  };
  const { path, search } = splitTarget(request.url ?? '/');
  const inside = path === basePath || path.startsWith(`${basePath}/`);
  let reply: Reply;
  try {
    reply = inside
      ? await answer({ service, document, exchange, request, response }, path, search)
      : await findPage(service, exchange, request, path);
  } catch (error) {
    reply = problemReply(problemFor(service, exchange, error), exchange.origin(), exchange.requestId);
  }
  const rate = exchange.rate ?? service.engine.anonymousRateLimit.state(addressOf(request));
  const headers = inside
    ? standardHeaders(exchange.requestId, rate, service.settings)
    : pageHeaders(exchange.requestId);
  send(service, exchange, request, response, { ...reply, headers: Object.assign(headers, reply.headers) });
}

/** One request on its way through the hall. */
interface Passage {
  readonly service: Service;
  readonly document: Document;
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(passage: Passage, path: string, search: string): Promise<Reply> {
  const { service, exchange, request, response } = passage;
  if (isPreflight(request, service.settings)) {
    const reply = answerReply({ data: {} }, 200, exchange.requestId);
    return { ...reply, headers: { ...reply.headers, ...preflightHeaders } };
  }
  const route = findRoute(path);
  if (route !== undefined) exchange.route = route.template;
  const refusal = await identify(service, exchange, request);
  if (Buffer.byteLength(request.url ?? '') > bounds.http.urlBytes) throw urlTooLong();
  checkHost(request);
  if (route === undefined) throw routeUnknown(path);
  const operation = findOperation(route, request.method ?? 'GET');
  checkExpect(request);
  checkAccept(request.headers.accept);
  if (operation.access === 'key' && exchange.session === undefined) throw refusal ?? keyMissing();
  const bytes = operation.body && (await readBody(request, response, operation.body.bytesMax));
  const parsed = parseInput(operation, request, route, search, bytes);
  const result = await run(passage, operation, parsed);
  return answerReply(result, operation.answer.status, exchange.requestId);
}

/** Runs the operation, if nothing is wrong with what was sent and the org can afford it. */
async function run(passage: Passage, operation: Operation, parsed: Parsed): Promise<Answer> {
  const { service, document, exchange, response } = passage;
  const { input, faults } = parsed;
  const { session, requestId } = exchange;
  if (operation.access === 'public' || session === undefined) {
    if (faults.length > 0) throw problemOf('invalid_request', faults);
    const facts = { release: service.settings.release, origin: exchange.origin(), document };
    return (operation as PublicOperation).run(facts, input);
  }
  const { origin } = exchange;
  const call = { engine: service.engine, session, requestId, origin, isAbandoned: () => response.destroyed };
  // What only the caller's catalog can tell comes with all others; a body may be looked into that has not its shape.
  const more = operation.faults === undefined ? [] : await operation.faults(call, input);
  if (faults.length + more.length > 0) throw problemOf('invalid_request', [...faults, ...more]);
  const cost = operation.cost?.(input) ?? 1;
  // The first unit was spent at the door.
  if (cost > 1) await spend(service, exchange, session, cost - 1);
  return operation.run(call, input);
}

/** Finds out who calls and spends one unit of their limit. Returns what is wrong with the key, if anything is. */
async function identify(service: Service, exchange: Exchange, request: IncomingMessage): Promise<Problem | undefined> {
  const { engine } = service;
  let refusal: Problem | undefined;
  try {
    exchange.session = await engine.sessions.open(bearerOf(request));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error;
    refusal = error;
  }
  if (exchange.session === undefined) {
    settle(service, exchange, engine.anonymousRateLimit.spend(addressOf(request)));
  } else {
    engine.lastUse.note(exchange.session.caller);
    await spend(service, exchange, exchange.session, 1);
  }
  return refusal;
}

async function spend(service: Service, exchange: Exchange, session: Session, cost: number): Promise<void> {
  settle(service, exchange, await service.engine.orgRateLimit.spend(session.caller.orgId, session.policy, cost));
}

/** The state of the limit rides along, so that every answer can report it. */
function settle(service: Service, exchange: Exchange, { granted, state }: Spent): void {
  exchange.rate = state;
  if (granted) return;
  service.metrics.countLimited(state.policy.name);
  throw rateLimited(state);
}

/** The key of the Authorization header. Two such headers are a mistake that must not pass as either. */
function bearerOf(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header === undefined) throw keyMissing();
  const match = countOf(request, 'authorization') === 1 ? /^bearer +([^\s]+) *$/i.exec(header) : null;
  return match?.[1] ?? '';
}

function problemFor(service: Service, exchange: Exchange, error: unknown): Problem {
  if (error instanceof Problem) {
    if (error.status >= 500) service.log.warn({ request_id: exchange.requestId, err: error }, 'request failed');
    return error;
  }
  service.log.error({ request_id: exchange.requestId, err: error }, 'request failed');
  return new Problem(
    'internal_error',
    undefined,
    'Something went wrong in the service. Its log tells what, under this request id.',
  );
}

function send(
  service: Service,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
): void {
  const { requestId, session } = exchange;
  const headers: Record<string, string | number> = Object.assign(corsHeaders(request, service.settings), reply.headers);
  // An answer without a body says nothing of the length that another would have (RFC 9110, 8.6).
  if (reply.status !== 304) headers['Content-Length'] = Buffer.byteLength(reply.body);
  // A body that nobody read would have to be waited for before the connection could carry another request.
  if (service.isDraining() || !request.complete) headers['Connection'] = 'close';
  response.writeHead(reply.status, headers);
  finish(request, response, reply.body);
  const seconds = (service.engine.clock.monotonicMs() - exchange.startedMs) / 1_000;
  service.metrics.observe(request.method ?? '', exchange.route, reply.status, seconds);
  logRequest(service.log, {
    requestId,
    method: request.method ?? '',
    route: exchange.route,
    status: reply.status,
    ms: Math.round(seconds * 1e6) / 1e3,
    orgId: session?.caller.orgId,
    credentialId: session?.caller.credentialId,
    address: addressOf(request),
  });
}

/**
 * Ends the answer: at once, or, if a body is still coming that nobody wants, when it has come or a second has passed.
 * A client whose connection is cut while it sends may never see the answer that was sent to it.
 */
function finish(request: IncomingMessage, response: ServerResponse, body: Reply['body']): void {
  if (request.complete) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  response.write(body);
  const timer = setTimeout(() => response.end(), bounds.http.lingerMs);
  request.once('close', () => {
    clearTimeout(timer);
    response.end();
  });
  request.resume();
}

/** Path and query of the request target, which may also come in absolute form (RFC 9112, 3.2.2). */
function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const cut = local.indexOf('?');
  return cut < 0 ? { path: local, search: '' } : { path: local.slice(0, cut), search: local.slice(cut + 1) };
}

/** Scheme and host as the client wrote them; a host that is none is not repeated in any answer. */
function originOf(request: IncomingMessage): string {
  const host = request.headers.host ?? '';
  const form = /^[A-Za-z0-9._~-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;
  if (form.test(host) && URL.canParse(`http://${host}`)) return `http://${host}`;
  return `http://localhost:${request.socket.localPort ?? 80}`;
}

function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '(none)';
}

/** RFC 9112, 3.2: one Host, and none only in HTTP/1.0. Two would let a proxy and this service disagree. */
function checkHost(request: IncomingMessage): void {
  const count = countOf(request, 'host');
  if (count === 1 || (count === 0 && request.httpVersion === '1.0')) return;
  throw new Problem('invalid_request', 'invalid_header', `A request has one Host header; this one has ${count}.`);
}

/** How often the header was sent; Node keeps the first of some, and joins others. */
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
  throw new Problem('invalid_request', 'invalid_header', 'The Expect header can only be 100-continue.');
}

function urlTooLong(): Problem {
  return new Problem('invalid_request', 'limit_out_of_range', `A URL may have at most ${bounds.http.urlBytes} bytes.`);
}

function rateLimited({ policy, resetSeconds }: RateState): Problem {
  const who = policy.name === 'org' ? 'The org' : 'An address without a valid key';
  return new Problem(
    'rate_limited',
    policy.name === 'org' ? 'org_limit' : 'anonymous_limit',
    `${who} may make ${policy.quota} requests in ${policy.windowSeconds} seconds. Try again in ${resetSeconds} seconds.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}
