// The body of an answer, and its division into pieces: a long body is never joined or encoded as a whole.
import { bounds } from '../base/limits.ts';

/** The parts of a text follow each other. Bytes are those of a document, which is kept in memory in any case. */
export type Body = string | Buffer | readonly string[];

export interface Content {
  readonly body: Body;
  /** The body stays in memory in any case, so that it does not count as bytes in flight. */
  readonly isKept?: true;
}

export function bodyBytes(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (Buffer.isBuffer(body)) return body.length;
  let bytes = 0;
  for (const part of body) bytes += Buffer.byteLength(part);
  return bytes;
}

export function bodyText(body: Body): string {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : body.join('');
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
  return piecesOfText(typeof body === 'string' ? [body] : [...body]);
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
function piecesOfText(parts: string[]): () => Piece | undefined {
  let index = 0;
  let begin = 0;
  return () => {
    if (index === parts.length) return undefined;
    const { pieceBytes, piecesKept } = bounds.http;
    const memory = unused.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
    let length = 0;
    for (; index < parts.length; index++, begin = 0) {
      const part = parts[index] as string;
      const text = part.slice(begin, endOfPiece(part, begin + memory.length - length));
      const { read, written } = encoder.encodeInto(text, memory.subarray(length));
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

/** Halves of a surrogate pair stay together, because each alone would be encoded as U+FFFD. */
function endOfPiece(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end;
}
