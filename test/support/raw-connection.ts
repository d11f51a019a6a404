// A bare connection to a service: bytes go out as they are, answers are cut by their Content-Length. For tests
// of requests that no HTTP client would send, and of when each side closes.
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { ProblemCode } from '../../src/base/problem.ts';
import type { Answer } from './answer.ts';

interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** The next answer; fails when the connection closes before it has come. */
  answer(): Promise<Answer>;
  /** Any bytes after the answers, once the service has closed the connection. */
  closed(): Promise<string>;
  destroy(): void;
}

const waitMsMax = 120_000;

export function openConnection(port: number): Promise<RawConnection> {
  let received = Buffer.alloc(0);
  const arrived: Buffer[] = [];
  let isClosed = false;
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('data', (chunk: Buffer) => {
    arrived.push(chunk);
  });
  /** Everything that no answer was taken from. Chunks are joined when somebody looks: each time would be very slow. */
  const join = (): Buffer => {
    if (arrived.length > 0) received = Buffer.concat([received, ...arrived.splice(0)]);
    return received;
  };
  // A reset is a way of closing.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  const until = async <T>(what: string, look: () => T | undefined): Promise<T> => {
    const endsAtMs = performance.now() + waitMsMax;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() > endsAtMs) throw new Error(`${what} did not come. Received: ${join().toString()}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  };
  const takeAnswer = (): Answer | undefined => {
    const taken = parseAnswer(join());
    if (taken === undefined && isClosed) throw new Error(`Closed without an answer: ${received.toString()}`);
    if (taken !== undefined) received = received.subarray(taken.bytes);
    return taken?.answer;
  };
  const connection: RawConnection = {
    socket,
    send: (text) => {
      socket.write(text, 'latin1');
    },
    answer: () => until('An answer', takeAnswer),
    closed: () => until('The end of the connection', () => (isClosed ? join().toString() : undefined)),
    destroy: () => socket.destroy(),
  };
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection));
    socket.once('error', reject);
  });
}

/** Sends the text on a connection of its own and returns the first answer, and whether the service closed after it. */
export async function sendOnce(port: number, text: string): Promise<Answer & { readonly closes: boolean }> {
  const connection = await openConnection(port);
  try {
    connection.send(text);
    const answer = await connection.answer();
    const closes = answer.headers.get('connection') === 'close';
    if (closes) expect(await connection.closed(), 'a second answer').toBe('');
    return { ...answer, closes };
  } finally {
    connection.destroy();
  }
}

/** Checks that an answer is a problem of the service with the headers of every response (contract 2 and 8). */
export function expectProblem(answer: Answer, status: number, code: ProblemCode, reason?: string): void {
  expectStandardHeaders(answer);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.body).toMatchObject({ status, code, request_id: answer.headers.get('svc-request-id') });
  expect(answer.body.reason).toBe(reason);
  expect(answer.status).toBe(status);
}

export function expectStandardHeaders({ headers, text }: Answer): void {
  expect(headers.get('svc-request-id'), text).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('ratelimit-policy')).toMatch(/^"(org|anonymous)";q=[1-9][0-9]*;w=[1-9][0-9]*$/);
  expect(headers.get('ratelimit')).toMatch(/^"(org|anonymous)";r=[0-9]+;t=[0-9]+$/);
}

function parseAnswer(received: Buffer): { readonly answer: Answer; readonly bytes: number } | undefined {
  const cut = received.indexOf('\r\n\r\n');
  if (cut < 0) return undefined;
  const [statusLine = '', ...fields] = received.toString('latin1', 0, cut).split('\r\n');
  const headers = new Headers();
  for (const field of fields) headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1));
  const bytes = cut + 4 + Number(headers.get('content-length') ?? 0);
  if (received.length < bytes) return undefined;
  const text = received.toString('utf8', cut + 4, bytes);
  const json = headers.get('content-type')?.includes('json') === true && text !== '';
  const status = Number(statusLine.split(' ')[1]);
  return { answer: { status, headers, text, body: json ? JSON.parse(text) : undefined }, bytes };
}
