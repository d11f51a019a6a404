// The socket side of the service: limits on time and size, malformed HTTP, and a stop that lets requests finish.
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { Failure } from '../base/failure.ts';
import { newId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { handle } from './handle.ts';
import type { Metrics } from './metrics.ts';
import { printDocument } from './openapi.ts';
import { problemReply, standardHeaders } from './respond.ts';
import type { HttpSettings, Service } from './service.ts';

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
}

export async function startServer(request: ServerRequest): Promise<RunningServer> {
  const { host, port, engine, settings } = request;
  let draining = false;
  const service: Service = { ...request, isDraining: () => draining, isReachable: once(() => engine.ping()) };
  const document = printDocument(settings);
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    // What `handle` could not answer is a connection that broke under it.
    handle(service, () => document, incoming, response).catch((error: unknown) => {
      request.log.error({ err: error }, 'answer failed');
      response.destroy();
    });
  };
  const server = createServer({
    maxHeaderSize: bounds.headerBytes,
    headersTimeout: bounds.headersTimeoutMs,
    requestTimeout: bounds.requestTimeoutMs,
    keepAliveTimeout: bounds.keepAliveTimeoutMs,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = bounds.connections;
  server.on('request', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => refuse(service, error, socket));
  await listen(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    host,
    port: address.port,
    drain: () => {
      draining = true;
      return closeWithin(server, bounds.drainTimeoutMs);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => reject(addressFailure(error, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function addressFailure(error: Error & { code?: string }, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program.`,
    EACCES: `This user may not listen on port ${port}.`,
    EADDRNOTAVAIL: `This machine has no address ${host}.`,
    ENOTFOUND: `The host name ${host} has no address.`,
  };
  const sentence = reasons[error.code ?? ''];
  if (sentence === undefined) return error;
  const fix = error.code === 'EADDRINUSE' || error.code === 'EACCES' ? '--port' : '--host';
  return new Failure('address_unavailable', sentence, `Choose another one with ${fix}.`, error);
}

async function closeWithin(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
}

/** Answers what Node's parser refused: it is no request yet, but it gets a problem and the headers all the same. */
function refuse(service: Service, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const problem = malformed(error.code);
  const origin = service.settings.publicUrl ?? `http://localhost:${socket.localPort ?? 80}`;
  const reply = problemReply(problem, origin, requestId);
  const { state } = service.engine.anonymousLimiter.spend(socket.remoteAddress ?? '(none)');
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
}

function malformed(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const bytes = bounds.headerBytes;
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
