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

/** Returns the next piece of the body at each call; undefined after the last one. */
export function piecesOf(body: Body): () => string | Buffer | undefined {
  if (Buffer.isBuffer(body)) return piecesOfBytes(body);
  return piecesOfText(typeof body === 'string' ? [body] : [...body]);
}

function piecesOfBytes(bytes: Buffer): () => Buffer | undefined {
  let begin = 0;
  return () => {
    const piece = bytes.subarray(begin, begin + bounds.http.pieceCharacters);
    begin += piece.length;
    return piece.length === 0 ? undefined : piece;
  };
}

/** Short parts are joined and long ones are cut. A part is forgotten as soon as its last piece is taken. */
function piecesOfText(parts: string[]): () => string | undefined {
  let index = 0;
  let begin = 0;
  return () => {
    let piece = '';
    for (; index < parts.length; index++, begin = 0) {
      const part = parts[index] as string;
      const room = bounds.http.pieceCharacters - piece.length;
      if (part.length - begin > room) {
        const end = endOfPiece(part, begin + room);
        piece += part.slice(begin, end);
        begin = end;
        return piece;
      }
      piece += begin === 0 ? part : part.slice(begin);
      parts[index] = '';
    }
    return piece === '' ? undefined : piece;
  };
}

/** Halves of a surrogate pair stay together, because each alone would be encoded as U+FFFD. */
function endOfPiece(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end;
}
