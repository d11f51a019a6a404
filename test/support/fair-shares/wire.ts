// A connection on a bare socket for one request after the other, whose bytes are given as they are sent.
import { connect, type Socket } from 'node:net';
import { type Reply, ReplyReader } from './replies.ts';

export interface Place {
  readonly port: number;
  /** The address that connections come from; limits of anonymous requests count by it. */
  readonly from?: string | undefined;
}

/** Opens a socket whose errors only close it. */
export function openSocket({ port, from }: Place): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...(from === undefined ? {} : { localAddress: from }) });
  socket.setNoDelay(true);
  socket.on('error', () => {});
  return socket;
}

export class Wire {
  readonly socket: Socket;
  /** When the last answer came. */
  idleSinceMs = performance.now();
  #settle: ((reply: Reply | undefined) => void) | undefined;
  #isClosed = false;

  constructor(place: Place, bodies: 'kept' | 'dropped' = 'dropped') {
    this.socket = openSocket(place);
    const reader = new ReplyReader((reply) => this.#answer(reply), bodies);
    this.socket.on('data', (bytes: Buffer) => reader.take(bytes));
    this.socket.on('close', () => {
      this.#isClosed = true;
      this.#answer(undefined);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The answer; undefined if the connection closes before it has come. */
  ask(bytes: Buffer | string): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed) {
        resolve(undefined);
        return;
      }
      this.#settle = resolve;
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.socket.destroy();
  }

  #answer(reply: Reply | undefined): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.idleSinceMs = performance.now();
    if (reply?.closes === true) this.close();
    settle?.(reply);
  }
}

/** The bytes of one request; a body is sent as JSON. */
export function requestBytes(
  method: string,
  path: string,
  { key, body, headers = [] }: { key?: string; body?: string; headers?: readonly string[] } = {},
): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
