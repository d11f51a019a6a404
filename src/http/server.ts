// The sockets of the service: bounds on time and size, malformed HTTP, and a stop that lets requests finish.
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { newId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { overloaded, Problem } from '../base/problem.ts';
import { openDefinitions } from '../engine/platform/definitions/open-definitions.ts';
import { openKeyNotes } from '../engine/platform/key-notes.ts';
import type { Engine } from '../engine/process/engine.ts';
import { openSignIn } from '../engine/sign-in/open-sign-in.ts';
import type { DocumentAnswer } from '../operations/operation.ts';
import { listen } from './address.ts';
import { openProviders } from './auth/provider.ts';
import type { HttpContext, HttpSettings } from './context.ts';
import { handle } from './handle.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { printDocument } from './openapi/document.ts';
import { problemReply, standardHeaders } from './respond.ts';
import { openCompression } from './sending/compression.ts';
import { openOutgoing } from './sending/outgoing.ts';
import { shared, sharedWithin } from './shared-answer.ts';
import { joinChunks } from './sockets/chunks.ts';
import { openDoor } from './sockets/door.ts';
import { drain, openEnding } from './sockets/drain.ts';
import { openRefusedInput } from './sockets/refused-input.ts';

interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** From now on the process is not ready, and each answer is the last one of its connection. */
  announceEnd(): void;
  /** Accepts what has come and then nothing more, gives open requests time to finish, then closes the rest. */
  drain(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly engine: Engine;
  readonly settings: HttpSettings;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Shorter timeouts for tests. */
  readonly timeouts?: Partial<Timeouts>;
}

type Timeouts = Record<'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs' | 'drainTimeoutMs', number>;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, engine, settings } = options;
  const timeouts: Timeouts = { ...bounds.http, ...options.timeouts };
  const ending = openEnding(engine.clock, timeouts.drainTimeoutMs);
  const context = openContext(options, ending);
  // Printed on the first request for it and then kept, so that it does not slow down the start.
  let printed: DocumentAnswer | undefined;
  const document = () => (printed ??= tagged(JSON.stringify(printDocument(settings))));
  const known: Known = { latest: new WeakMap(), behind: new WeakMap(), refused: new WeakSet() };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    joinChunks(incoming);
    if (known.refused.has(incoming.socket)) return;
    const last = known.latest.get(incoming.socket);
    if (isFlooded(known, incoming.socket, response)) {
      refuseFlood(context, known, incoming.socket, last);
      return;
    }
    // `handle` answers every error itself, so it fails only when the connection breaks.
    handle(context, document, incoming, response).catch((error: unknown) => {
      options.log.error({ err: error }, 'answer failed');
      response.destroy();
    });
  };
  const server = openListener(timeouts);
  const door = await openDoor(server, engine.clock);
  server.on('request', listener);
  server.on('checkExpectation', listener);
  // A client that waits before it sends its body gets the 100 from `readBody`, or the final answer instead.
  server.on('checkContinue', listener);
  server.on('connect', (_, socket) => refuse(context, known, socket as Socket, tunnelWanted()));
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    // Nobody waits for an answer on a connection that was never used and whose time is over.
    if (socket.bytesRead === 0) context.refusedInput.close(socket);
    else refuse(context, known, socket, malformed(error.code));
  });
  await listen(door.server, host, port);
  door.server.on('error', (error) => options.log.error({ err: error }, 'a connection could not be accepted'));
  const address = door.server.address() as AddressInfo;
  return {
    host,
    port: address.port,
    announceEnd: () => ending.announce(),
    drain: async () => {
      ending.announce();
      // Requests that wait for changes are answered now.
      engine.feedWatch.release();
      await drain(door, server, timeouts.drainTimeoutMs);
      await context.keyNotes.close();
      context.signIn.digests.close();
      await context.signIn.refusals.close();
    },
  };
}

function tagged(document: string): DocumentAnswer {
  return { document, tag: `W/"${hash('sha256', document, 'base64url')}"` };
}

function openContext(options: ServerOptions, ending: ReturnType<typeof openEnding>): HttpContext {
  const { engine, log, metrics } = options;
  const refusedInput = openRefusedInput();
  const working = { ...engine, database: engine.connections.service };
  return {
    ...options,
    keyNotes: openKeyNotes(working, engine.onFault),
    definitions: openDefinitions(working),
    signIn: openSignIn(working, engine.onFault),
    providers: openProviders(engine.clock),
    compression: openCompression(),
    outgoing: openOutgoing(engine, log, refusedInput),
    refusedInput,
    isDraining: () => ending.isAnnounced(),
    isTooLate: () => ending.isNear(),
    readiness: sharedReadiness(engine),
    printMetrics: shared(engine.clock, bounds.http.metricsKeptMs, () => metrics.print()),
  };
}

function sharedReadiness(engine: Engine): HttpContext['readiness'] {
  const { readinessKeptMs: keptMs, readinessMs: waitMs } = bounds.http;
  return sharedWithin(engine.clock, { keptMs, waitMs }, () => engine.ping());
}

function openListener({ headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs }: Timeouts): Server {
  const server = createServer({
    maxHeaderSize: bounds.http.headerBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // Node would answer without our headers, so `handle` checks it.
    requireHostHeader: false,
  });
  // Node would silently drop headers past this count; their bytes are bounded already.
  server.maxHeadersCount = 0;
  // A client that does not read its answer must not hold the connection.
  server.timeout = keepAliveTimeoutMs;
  return server;
}

interface Known {
  /** The response to the latest request of each connection. */
  readonly latest: WeakMap<Socket, ServerResponse>;
  /** How many requests of a connection wait for the answer to an earlier one. */
  readonly behind: WeakMap<Socket, number>;
  /** The connections that sent malformed HTTP, or too many requests at once: nothing more is read from them. */
  readonly refused: WeakSet<Socket>;
}

/**
 * Whether a connection has too many requests that wait for the answer to an earlier one. Node reads on while the first of
 * them is being answered, so that one connection could fill the memory with the others.
 */
function isFlooded({ latest, behind }: Known, socket: Socket, response: ServerResponse): boolean {
  const last = latest.get(socket);
  latest.set(socket, response);
  if (last === undefined || last.writableFinished) return false;
  const count = (behind.get(socket) ?? 0) + 1;
  behind.set(socket, count);
  response.once('close', () => behind.set(socket, (behind.get(socket) ?? 1) - 1));
  return count > bounds.http.requestsBehind;
}

/**
 * Earlier requests are answered, then this one, and the connection ends. Until then nothing is read: Node would parse it.
 * `last` is the answer before this one.
 */
function refuseFlood(context: HttpContext, { refused }: Known, socket: Socket, last: ServerResponse | undefined): void {
  refused.add(socket);
  socket.pause();
  const most = bounds.http.requestsBehind;
  const problem = overloaded(
    `A connection may send ${most} requests ahead. Wait for answers, or use more connections.`,
  );
  last?.once('close', () => {
    answerMalformed(context, socket, problem);
    context.refusedInput.discard(socket);
  });
}

/**
 * Answers input that Node's parser refused, but never ahead of another answer: a client takes whatever arrives first as
 * the answer to its first open request.
 */
function refuse(context: HttpContext, { latest, refused }: Known, socket: Socket, problem: Problem): void {
  // The parser also reports everything that follows.
  if (refused.has(socket)) return;
  refused.add(socket);
  // Node has removed its own listener, and an unhandled error would end the process.
  socket.on('error', () => socket.destroy());
  const last = latest.get(socket);
  if (last === undefined || last.req.complete) {
    // The input after a complete request is answered after that request.
    if (last?.writableFinished === false) last.once('close', () => answerMalformed(context, socket, problem));
    else answerMalformed(context, socket, problem);
  } else if (!last.headersSent) {
    // The body of a request is broken. While an earlier answer is still being sent, this one has no place.
    if (last.socket === null) socket.destroy();
    else answerMalformed(context, socket, problem);
  }
}

/** Malformed input is answered like a request: with a problem and the headers of every response. */
function answerMalformed(context: HttpContext, socket: Socket, problem: Problem): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalReply(context, socket, problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // A client that never reads must not keep the socket.
  setTimeout(() => socket.destroy(), 1_000).unref();
}

/** The last answer on a connection, to a request that nobody looked at. It counts against the address. */
function refusalReply(context: HttpContext, socket: Socket, problem: Problem) {
  const requestId = newId();
  const address = socket.remoteAddress ?? '(none)';
  const origin = context.settings.publicUrl ?? `http://localhost:${socket.localPort ?? 80}`;
  const reply = problemReply(problem, origin, requestId);
  const { state } = context.engine.anonymousRateLimit.spend(address);
  const headers = {
    ...standardHeaders(requestId, state, context.settings),
    ...reply.headers,
    'Content-Length': String(Buffer.byteLength(reply.body)),
    Connection: 'close',
  };
  const { code, reason } = problem;
  context.log.info({ request_id: requestId, status: reply.status, code, reason, address }, 'refused');
  return { status: reply.status, headers, body: reply.body };
}

function tunnelWanted(): Problem {
  return new Problem('method_not_allowed', undefined, 'This service is not a proxy and does not open tunnels.', {
    headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  });
}

function malformed(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const bytes = bounds.http.headerBytes;
    return new Problem(
      'invalid_request',
      'invalid_header',
      `The URL and headers together exceed ${bytes} bytes. Send fewer or shorter headers.`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('invalid_request', 'request_too_slow', 'The request did not arrive in time.');
  }
  return new Problem('invalid_request', 'malformed_http', 'This is not a well-formed HTTP/1.1 request.');
}
