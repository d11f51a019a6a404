// Parses the JSON of a body: at once, or in slices of its org's turns on the thread if it is long. The outcome is the same.
import { isUtf8 } from 'node:buffer';
import { repeatedMember } from '../../client/import/cells/repeated-member.ts';
import { shorten } from '../../client/import/described.ts';
import { parsePieces } from '../base/json-text/pieces.ts';
import type { JsonScan } from '../base/json-text/scan.ts';
import { type Problem, problemOf } from '../base/problem.ts';
import { inSlices, type Slice } from '../engine/shares/thread.ts';

/** Returns the JSON that was sent, or throws a Problem if it is not well formed. */
export type ToJson = () => unknown;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of the bytes. Invalid UTF-8 becomes U+FFFD; only then is the strict, slower decoder needed to tell. */
function decode(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\ufffd') || text.startsWith('\ufeff') ? utf8.decode(bytes) : text;
}

/** `names` is the number of names in the text. */
export function parseShort(bytes: Buffer, names: number): unknown {
  const { text, value } = parsed(bytes);
  return withoutRepeated(value, repeatedMember(text, value, names));
}

function parsed(bytes: Buffer): { readonly text: string; readonly value: unknown } {
  try {
    const text = decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw malformed(error);
  }
}

const byteOrderMark = Buffer.from('\ufeff');

/** The outcome is known before the body is checked further. */
export async function parseLong(bytes: Buffer, { longStrings }: JsonScan, slice: Slice): Promise<ToJson> {
  await slice.next();
  if (!isUtf8(bytes)) return () => throwMalformed(new TypeError('not UTF-8'));
  const from = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const shifted = new Map([...longStrings].map(([open, end]) => [open - from, end - from]));
  try {
    const steps = parsePieces(bytes.subarray(from), shifted);
    const { value, repeated } = await inSlices(slice, steps);
    return () => withoutRepeated(value, repeated);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return () => throwMalformed(error);
  }
}

function throwMalformed(error: Error): never {
  throw malformed(error);
}

function withoutRepeated(value: unknown, repeated: string | undefined): unknown {
  if (repeated === undefined) return value;
  const detail = `The member ${JSON.stringify(shorten(repeated, 64))} is repeated in one object. Send it once.`;
  throw problemOf('invalid_request', [{ pointer: '', reason: 'malformed_json', detail }]);
}

/** The parser's own message may quote the body, so only the position is passed on. */
function malformed(error: unknown): Problem {
  const place = error instanceof SyntaxError ? / position ([0-9]+)/.exec(error.message)?.[1] : undefined;
  const where = place === undefined ? '' : ` The error is at character ${place}.`;
  const encoded = error instanceof TypeError ? 'The body is not UTF-8.' : `The body is not well-formed JSON.${where}`;
  return problemOf('invalid_request', [{ pointer: '', reason: 'malformed_json', detail: encoded }]);
}
