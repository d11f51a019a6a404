// The body of an answer, and its division into pieces: a long body is never joined or encoded as a whole.
import { asString, type TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';

/** The parts of a text follow each other. Bytes are those of a document, or of an answer that was compressed. */
export type Body = string | Buffer | readonly TextPart[];

export interface Content {
  readonly body: Body;
  /** The body stays in memory in any case, so that it does not count as bytes in flight. */
  readonly isKept?: true;
}

export function bodyBytes(body: Body): number {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.byteLength(body);
  let bytes = 0;
  for (const part of body) bytes += Buffer.byteLength(part);
  return bytes;
}

export function bodyText(body: Body): string {
  return typeof body === 'string' || Buffer.isBuffer(body) ? asString(body) : body.map(asString).join('');
}

/** A part of a body, on its way to a reader. */
export interface Piece {
  readonly bytes: Buffer;
  /** It has left, so that its memory may be used again. */
  left(): void;
}

/** Returns the next piece of the body at each call; undefined after the last one. */
export function piecesOf(body: Body): () => Piece | undefined {
  if (Buffer.isBuffer(body)) return piecesOfBytes(body);
  return piecesOfParts(typeof body === 'string' ? [body] : [...body]);
}

function piecesOfBytes(bytes: Buffer): () => Piece | undefined {
  let begin = 0;
  return () => {
    const piece = bytes.subarray(begin, begin + bounds.http.pieceBytes);
    begin += piece.length;
    return piece.length === 0 ? undefined : { bytes: piece, left: () => {} };
  };
}

const encoder = new TextEncoder();

/**
 * Memory of pieces that have left. Long answers would otherwise fill the heap with texts and buffers that are gone a moment
 * later, and everybody would wait while they are collected.
 */
const unused: Buffer[] = [];

/** Short parts are joined and long ones are cut. A part is forgotten as soon as its last piece is taken. */
function piecesOfParts(parts: TextPart[]): () => Piece | undefined {
  let index = 0;
  let begin = 0;
  return () => {
    if (index === parts.length) return undefined;
    const { pieceBytes, piecesKept } = bounds.http;
    const memory = unused.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
    let length = 0;
    for (; index < parts.length; index++, begin = 0) {
      const part = parts[index] as TextPart;
      const { read, written } = write(part, begin, memory.subarray(length));
      begin += read;
      length += written;
      if (begin < part.length) break;
      parts[index] = '';
    }
    const left = () => {
      if (unused.length < piecesKept && memory.length === pieceBytes) unused.push(memory);
    };
    if (length > 0) return { bytes: memory.subarray(0, length), left };
    left();
    return undefined;
  };
}

/** Writes as much of the part as fits, from there on. */
function write(part: TextPart, begin: number, memory: Buffer): { readonly read: number; readonly written: number } {
  if (typeof part === 'string') {
    return encoder.encodeInto(part.slice(begin, endOfPiece(part, begin + memory.length)), memory);
  }
  const copied = part.copy(memory, 0, begin);
  return { read: copied, written: copied };
}

/** Halves of a surrogate pair stay together, because each alone would be encoded as U+FFFD. */
function endOfPiece(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end;
}
