// Hands an answer to its socket: a short one at once, a long one piece by piece, as fast as its reader takes them.
import type { ServerResponse } from 'node:http';
import { bounds } from '../../base/limits.ts';
import type { Engine } from '../../engine/process/engine.ts';
import type { Log } from '../log.ts';
import type { RefusedInput } from '../sockets/refused-input.ts';
import { openUnreadAnswers, type Recipient, type UnreadAnswer } from '../sockets/unread.ts';
import { type Body, type Content, type Piece, piecesOf } from './pieces.ts';
import { openSendingTurns } from './turns.ts';

export interface Outgoing {
  /** Writes the body, which has so many bytes, and ends the response. */
  send(response: ServerResponse, recipient: Recipient, content: Content, bytes: number): void;
}

export function openOutgoing(engine: Pick<Engine, 'bytes' | 'clock'>, log: Log, refused: RefusedInput): Outgoing {
  const unread = openUnreadAnswers(engine, log);
  const turns = openSendingTurns();
  const watch = (response: ServerResponse, recipient: Recipient, { isKept }: Content, bytes: number) =>
    unread.watch(response, recipient, {
      whole: bytes,
      counted: isKept === true ? 0 : bytes,
    });
  const sendPieces = (
    response: ServerResponse,
    recipient: Recipient,
    content: Content,
    bytes: number,
    last: (response: ServerResponse) => void,
  ): void =>
    writePieces({
      response,
      unread: watch(response, recipient, content, bytes),
      next: piecesOf(content.body),
      end: last,
      turn: (write) => turns.take(recipient.owner, write),
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
        sendPieces(response, recipient, content, bytes, (each) => refused.linger(each));
      } else if (response.req.method === 'HEAD') {
        response.end();
      } else if (isShort(body)) {
        response.end(body);
        if (!isTaken(response)) watch(response, recipient, content, bytes);
      } else {
        sendPieces(response, recipient, content, bytes, end);
      }
    },
  };
}

function end(response: ServerResponse): void {
  response.end();
}

function isShort(body: Body): body is string | Buffer {
  return (typeof body === 'string' || Buffer.isBuffer(body)) && body.length <= bounds.http.pieceBytes;
}

/** Usually the operating system takes a short answer at once, so that nothing of it is left to be watched. */
function isTaken({ socket }: ServerResponse): boolean {
  return socket !== null && socket.writableLength === 0;
}

interface Sending {
  readonly response: ServerResponse;
  readonly unread: UnreadAnswer;
  readonly next: () => Piece | undefined;
  readonly end: (response: ServerResponse) => void;
  readonly turn: (write: () => void) => void;
}

function writePieces({ response, unread, next, end: last, turn }: Sending): void {
  let written = 0;
  const go = (): void => {
    if (response.req.socket.destroyed) return;
    unread.moved(written);
    const piece = next();
    if (piece === undefined) {
      last(response);
      return;
    }
    written = piece.bytes.length;
    // After an error the system may still be reading it.
    const isAccepted = response.write(piece.bytes, (error) => {
      if (error === undefined || error === null) piece.left();
    });
    if (isAccepted) turn(go);
    else response.once('drain', () => turn(go));
  };
  turn(go);
}
