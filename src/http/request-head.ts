// Reads the head of a request: its target, its host, the address it comes from, and the headers that every operation
// treats alike.
import type { IncomingMessage } from 'node:http';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { keyMissing } from '../engine/process/authenticate.ts';

/** Path and query of the request target, which may also be in absolute form (RFC 9112, 3.2.2). */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const cut = local.indexOf('?');
  return cut < 0 ? { path: local, search: '' } : { path: local.slice(0, cut), search: local.slice(cut + 1) };
}

/** Scheme and host as the client sent them. An invalid host is never repeated in an answer. */
export function originOf(request: IncomingMessage): string {
  const host = request.headers.host ?? '';
  const form = /^[A-Za-z0-9._~-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;
  if (form.test(host) && URL.canParse(`http://${host}`)) return `http://${host}`;
  return `http://localhost:${request.socket.localPort ?? 80}`;
}

export function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '(none)';
}

export function checkUrl({ url = '' }: IncomingMessage): void {
  const { urlBytes } = bounds.http;
  if (Buffer.byteLength(url) <= urlBytes) return;
  throw new Problem('invalid_request', 'limit_out_of_range', `A URL may have at most ${urlBytes} bytes.`);
}

/** RFC 9112, 3.2: exactly one Host, or none in HTTP/1.0. With two, a proxy and this service could disagree. */
export function checkHost(request: IncomingMessage): void {
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

export function checkExpect(request: IncomingMessage): void {
  const { expect } = request.headers;
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw new Problem(
    'invalid_request',
    'invalid_header',
    'The only supported value of the Expect header is 100-continue.',
  );
}

/** The key of the Authorization header. Two such headers are ambiguous, so neither is accepted. */
export function bearerOf(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header === undefined) throw keyMissing();
  const match = countOf(request, 'authorization') === 1 ? /^bearer +([^\s]+) *$/i.exec(header) : null;
  return match?.[1] ?? '';
}
