// Hands an answer to its socket: a short one at once, a long one piece by piece, as fast as its reader takes them.
import type { ServerResponse } from 'node:http';
import { bounds } from '../base/limits.ts';
import type { Engine } from '../engine/process/engine.ts';
import type { Log } from './log.ts';
import { type Body, type Content, piecesOf } from './pieces.ts';
import type { RefusedInput } from './sockets/refused-input.ts';
import { openUnreadAnswers, type Recipient, type UnreadAnswer } from './unread.ts';

export interface Outgoing {
  /** Writes the body, which has so many bytes, and ends the response. */
  send(response: ServerResponse, recipient: Recipient, content: Content, bytes: number): void;
}

export function openOutgoing(engine: Pick<Engine, 'bytes' | 'clock'>, log: Log, refused: RefusedInput): Outgoing {
  const unread = openUnreadAnswers(engine, log);
  const watch = (response: ServerResponse, recipient: Recipient, { body, isKept }: Content, bytes: number) =>
    unread.watch(response, recipient, {
      whole: bytes,
      counted: isKept === true || Buffer.isBuffer(body) ? 0 : bytes,
    });
  return {
    // No function made here may keep the body: it is forgotten piece by piece, while the connection may stay for long.
    send: (response, recipient, content, bytes) => {
      const { body } = content;
      // The client is gone. Node would report writing to it as an error.
      if (response.req.socket.destroyed) return;
      if (!response.req.complete) {
        response.req.resume();
        response.flushHeaders();
        writePieces(response, watch(response, recipient, content, bytes), piecesOf(body), (each) =>
          refused.linger(each),
        );
      } else if (response.req.method === 'HEAD') {
        response.end();
      } else if (isShort(body)) {
        response.end(body);
        if (!isTaken(response)) watch(response, recipient, content, bytes);
      } else {
        writePieces(response, watch(response, recipient, content, bytes), piecesOf(body), end);
      }
    },
  };
}

function end(response: ServerResponse): void {
  response.end();
}

function isShort(body: Body): body is string | Buffer {
  return (typeof body === 'string' || Buffer.isBuffer(body)) && body.length <= bounds.http.pieceCharacters;
}

/** Usually the operating system takes a short answer at once, so that nothing of it is left to be watched. */
function isTaken({ socket }: ServerResponse): boolean {
  return socket !== null && socket.writableLength === 0;
}

function writePieces(
  response: ServerResponse,
  unread: UnreadAnswer,
  next: () => string | Buffer | undefined,
  last: (response: ServerResponse) => void,
): void {
  let written = 0;
  const go = (): void => {
    for (let isTaken = true; isTaken; ) {
      unread.moved(written);
      const piece = next();
      if (piece === undefined) {
        response.off('drain', go);
        last(response);
        return;
      }
      written = Buffer.byteLength(piece);
      isTaken = response.write(piece);
    }
  };
  response.on('drain', go);
  go();
}
