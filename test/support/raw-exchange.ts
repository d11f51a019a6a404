// One HTTP/1.1 exchange over a bare socket: for requests that `fetch` will not send, such as two headers of one name, no Accept
// or Host at all, a body on GET, or an unknown method.
import { connect } from 'node:net';
import type { Answer } from './answer.ts';

/** Sent as they are, in this order; a value of null sends none. */
export type WireHeaders = readonly (readonly [name: string, value: string | null])[];

interface WireRequest {
  readonly method?: string;
  /** The request target as it is sent, such as /rest/v1/self/. */
  readonly target: string;
  /** `Host` is added unless it is among them. */
  readonly headers?: WireHeaders;
  readonly body?: string;
}

export async function exchange(port: number, request: WireRequest): Promise<Answer> {
  const { method = 'GET', target, headers = [], body = '' } = request;
  const named = headers.some(([name]) => name.toLowerCase() === 'host');
  const all = [
    ...(named ? [] : [['Host', `127.0.0.1:${port}`] as const]),
    ...headers,
    ['Connection', 'close'] as const,
  ];
  const lines = all.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  return parse(await send(port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`));
}

function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const chunks: Buffer[] = [];
    socket.setTimeout(120_000, () => socket.destroy(new Error('The service did not answer in time.')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    // Not `end`: a half-closed socket is not what a client sends while it waits.
    socket.write(text);
  });
}

function parse(response: string): Answer {
  const cut = response.indexOf('\r\n\r\n');
  const [statusLine = '', ...fields] = response.slice(0, cut).split('\r\n');
  const headers = new Headers();
  for (const field of fields) headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1));
  const text = response.slice(cut + 4);
  const json = headers.get('content-type')?.includes('json') === true && text !== '';
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: json ? JSON.parse(text) : undefined };
}
