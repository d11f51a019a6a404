// Reads a JSON body of bounded size, with a declared length or in chunks. A body that is not declared as JSON is refused
// before a byte of it is read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shorten } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { Problem, problemOf } from '../base/problem.ts';
import { repeatedMember } from '../base/repeated-member.ts';

/** Counts bytes of the body before they arrive, or refuses them. */
type Reserve = (bytes: number) => void;

/** The bytes of the body. A client that waits for a 100 before it sends (RFC 9110, 10.1.1) gets it here and not earlier. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  reserve: Reserve,
): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > bytesMax) throw tooLarge(bytesMax);
  if (length === 0 && request.headers['transfer-encoding'] === undefined) throw bodyRequired();
  checkMediaType(request);
  checkSingle(request);
  if (length > bounds.shares.uncountedBytes) reserve(length);
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await collect(request, bytesMax, length === 0 ? reserve : () => {});
  if (bytes.length === 0) throw bodyRequired();
  return bytes;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of the bytes. Invalid UTF-8 becomes U+FFFD; only then is the strict, slower decoder needed to tell. */
function decode(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\ufffd') || text.startsWith('\ufeff') ? utf8.decode(bytes) : text;
}

export function parseJson(bytes: Buffer): unknown {
  const { text, value } = parsed(bytes);
  const repeated = repeatedMember(text, value);
  if (repeated === undefined) return value;
  const detail = `The member ${JSON.stringify(shorten(repeated, 64))} is repeated in one object. Send it once.`;
  throw problemOf('invalid_request', [{ pointer: '', reason: 'malformed_json', detail }]);
}

function parsed(bytes: Buffer): { readonly text: string; readonly value: unknown } {
  try {
    const text = decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw malformed(error);
  }
}

/** A body without a declared length is counted as it arrives. */
function collect(request: IncomingMessage, bytesMax: number, reserve: Reserve): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (problem: unknown): void => {
      clearTimeout(timer);
      // The rest is discarded as it arrives; the answer does not wait for it.
      request.removeAllListeners('data');
      reject(problem);
    };
    const timer = setTimeout(() => refuse(tooSlow()), bounds.http.stalledMs);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > bytesMax) throw tooLarge(bytesMax);
        reserve(chunk.length);
        chunks.push(chunk);
        timer.refresh();
      } catch (error) {
        refuse(error);
      }
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('close', () => {
      clearTimeout(timer);
      if (!request.complete) reject(brokenOff());
    });
    request.once('error', () => {});
  });
}

/** Requires `application/json` without a content coding; a charset, if given, must be UTF-8. */
function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupported(`The Content-Encoding is ${JSON.stringify(shorten(coding))}. Send the body without an encoding.`);
  }
  if (type === 'application/json') return;
  const form = /^application\/json\s*(;\s*(charset\s*=\s*"?utf-8"?\s*)?)*$/i;
  if (type !== undefined && form.test(type.trim())) return;
  const sent = type === undefined ? 'missing' : JSON.stringify(shorten(type));
  throw unsupported(`The Content-Type is ${sent}. Send "Content-Type: application/json".`);
}

/** Node keeps the first of two media types, while a proxy in front of it may have kept the second. */
function checkSingle({ rawHeaders }: IncomingMessage): void {
  const sent = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  if (sent.length === 1) return;
  const detail = `The header Content-Type is sent ${sent.length} times. Send it once.`;
  throw problemOf('invalid_request', [{ parameter: 'Content-Type', reason: 'invalid_header', detail }]);
}

function unsupported(detail: string): Problem {
  return new Problem('unsupported_media_type', undefined, detail);
}

function tooLarge(bytesMax: number): Problem {
  return new Problem(
    'payload_too_large',
    'body_too_large',
    `The body is larger than the ${bytesMax} bytes that this operation accepts. Send less at once.`,
  );
}

function tooSlow(): Problem {
  return new Problem('invalid_request', 'request_too_slow', 'The body did not arrive in time.');
}

function bodyRequired(): Problem {
  const detail = 'This operation requires a JSON body.';
  return problemOf('invalid_request', [{ pointer: '', reason: 'body_required', detail }]);
}

function brokenOff(): Problem {
  return new Problem('invalid_request', 'malformed_http', 'The request ended before its body did.');
}

/** The parser's own message may quote the body, so only the position is passed on. */
function malformed(error: unknown): Problem {
  const place = error instanceof SyntaxError ? / position ([0-9]+)/.exec(error.message)?.[1] : undefined;
  const where = place === undefined ? '' : ` The error is at character ${place}.`;
  const encoded = error instanceof TypeError ? 'The body is not UTF-8.' : `The body is not well-formed JSON.${where}`;
  return problemOf('invalid_request', [{ pointer: '', reason: 'malformed_json', detail: encoded }]);
}
