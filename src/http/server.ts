// The socket side of the service: limits on time and size, malformed HTTP, and a stop that lets requests finish.
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { newId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Engine } from '../engine/process/engine.ts';
import { listen } from './address.ts';
import type { HttpSettings, Service } from './context.ts';
import { handle } from './handle.ts';
import type { Metrics } from './metrics.ts';
import { printDocument } from './openapi/document.ts';
import { problemReply, standardHeaders } from './respond.ts';

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Stops accepting, lets what is under way finish within its time, then cuts the rest. */
  drain(): Promise<void>;
}

export interface ServerRequest {
  readonly host: string;
  readonly port: number;
  readonly engine: Engine;
  readonly settings: HttpSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** For those who cannot wait as long as the service does. */
  readonly timeouts?: Partial<Timeouts>;
}

type Timeouts = Record<'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs' | 'drainTimeoutMs', number>;

export async function startServer(request: ServerRequest): Promise<RunningServer> {
  const { host, port, engine, settings } = request;
  const timeouts: Timeouts = { ...bounds.http, ...request.timeouts };
  let draining = false;
  const service: Service = { ...request, isDraining: () => draining, isReachable: once(() => engine.ping()) };
  // Printed when somebody asks for it, so that no start waits for it, and kept.
  let printed: string | undefined;
  const document = () => (printed ??= JSON.stringify(printDocument(settings)));
  const known: Known = { latest: new WeakMap(), refused: new WeakSet() };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    known.latest.set(incoming.socket, response);
    // What `handle` could not answer is a connection that broke under it.
    handle(service, document, incoming, response).catch((error: unknown) => {
      request.log.error({ err: error }, 'answer failed');
      response.destroy();
    });
  };
  const server = openListener(timeouts);
  const sockets = openSockets(server);
  server.on('request', listener);
  server.on('checkExpectation', listener);
  // A client that waits before it sends its body is told to go on by whoever reads the body, or gets its answer.
  server.on('checkContinue', listener);
  server.on('connect', (_, socket) => refuse(service, known, socket as Socket, tunnelWanted()));
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) =>
    refuse(service, known, socket, malformed(error.code)),
  );
  await listen(server, host, port);
  server.on('error', (error) => request.log.error({ err: error }, 'a connection could not be accepted'));
  const address = server.address() as AddressInfo;
  return {
    host,
    port: address.port,
    drain: () => {
      draining = true;
      // Those who wait for changes get their answer now.
      engine.signal.release();
      // Node counts a connection as busy that has not said a word yet, and would wait for it.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      return closeWithin(server, timeouts.drainTimeoutMs);
    },
  };
}

function openListener({ headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs }: Timeouts): Server {
  const server = createServer({
    maxHeaderSize: bounds.http.headerBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // Node would answer without our headers; `handle` checks it.
    requireHostHeader: false,
  });
  // Node would drop headers past a number without a word; their bytes are bounded already.
  server.maxHeadersCount = 0;
  server.maxConnections = bounds.http.connections;
  // A client that does not read its answer must not keep the connection.
  server.timeout = keepAliveTimeoutMs;
  return server;
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function closeWithin(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
}

/** What is known of connections: the response to the last request of each, and those that brought something else. */
interface Known {
  readonly latest: WeakMap<Socket, ServerResponse>;
  readonly refused: WeakSet<Socket>;
}

/**
 * Answers what Node's parser refused, but never in the place of another answer: a client reads the first thing that
 * comes as the answer to its first open request.
 */
function refuse(service: Service, { latest, refused }: Known, socket: Socket, problem: Problem): void {
  // The parser complains of everything that follows, too.
  if (refused.has(socket)) return;
  refused.add(socket);
  // Node has taken its own listener away, and an error that nobody hears would end the process.
  socket.on('error', () => socket.destroy());
  const last = latest.get(socket);
  if (last === undefined || last.req.complete) {
    // What comes after a whole request waits for its turn.
    if (last?.writableFinished === false) last.once('close', () => answerMalformed(service, socket, problem));
    else answerMalformed(service, socket, problem);
  } else if (!last.headersSent) {
    // The body of a request is broken. Behind an answer that is under way it cannot have its own.
    if (last.socket === null) socket.destroy();
    else answerMalformed(service, socket, problem);
  }
}

/** It is no request yet, but it gets a problem and the headers all the same. */
function answerMalformed(service: Service, socket: Socket, problem: Problem): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const address = socket.remoteAddress ?? '(none)';
  const origin = service.settings.publicUrl ?? `http://localhost:${socket.localPort ?? 80}`;
  const reply = problemReply(problem, origin, requestId);
  const { state } = service.engine.anonymousRateLimit.spend(address);
  const headers = {
    ...standardHeaders(requestId, state, service.settings),
    ...reply.headers,
    'Content-Length': String(Buffer.byteLength(reply.body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n${reply.body}`);
  // A client that never reads must not keep the socket.
  setTimeout(() => socket.destroy(), 1_000).unref();
  service.log.info({ request_id: requestId, status: reply.status, reason: problem.reason, address }, 'refused');
}

function tunnelWanted(): Problem {
  return new Problem('method_not_allowed', undefined, 'This service is no proxy and opens no tunnel.', {
    headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  });
}

function malformed(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const bytes = bounds.http.headerBytes;
    return new Problem(
      'invalid_request',
      'invalid_header',
      `URL and headers may have at most ${bytes} bytes together.`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('invalid_request', 'request_too_slow', 'The request did not arrive in time.');
  }
  return new Problem('invalid_request', 'malformed_http', 'This is not a well-formed HTTP/1.1 request.');
}

/** Concurrent callers share one run. */
function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
