// What refused clients still send. It is read and dropped, because a client whose connection is cut while it sends may never
// see its answer. They take turns: the thread would not do anything else while fifty of them send as fast as they can.
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { bounds } from '../../base/limits.ts';
import { chunksOf, isFlood } from './chunks.ts';

export interface RefusedInput {
  /**
   * Ends the response when the unwanted body that is still arriving has arrived, when a second has passed, or when too much
   * of it came.
   */
  linger(response: ServerResponse): void;
  /** Drops everything that comes on a connection that is about to close. */
  discard(socket: Readable): void;
  /** Closes a connection, but of many that end together only a few at once. */
  close(socket: Readable): void;
}

export function openRefusedInput(): RefusedInput {
  const waiting: Readable[] = [];
  const closing: Readable[] = [];
  let turns: NodeJS.Timeout | undefined;
  const next = (): void => {
    waiting.shift()?.resume();
    for (const socket of closing.splice(0, bounds.http.closedAtOnce)) socket.destroy();
    if (waiting.length + closing.length > 0) return;
    clearInterval(turns);
    turns = undefined;
  };
  const takeTurns = (): void => {
    turns ??= setInterval(next, bounds.http.discardPauseMs);
  };
  /** It gives no more data until its next turn. */
  const rest = (input: Readable): void => {
    input.pause();
    waiting.push(input);
    takeTurns();
  };
  const discard = (socket: Readable): void => {
    let bytes = 0;
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bounds.http.lingerBytes) socket.destroy();
      else rest(socket);
    });
    socket.on('error', () => socket.destroy());
    socket.resume();
  };
  return {
    discard,
    close: (socket) => {
      closing.push(socket);
      takeTurns();
    },
    linger: (response) => {
      const { req } = response;
      let bytes = 0;
      const stop = (): void => {
        clearTimeout(timer);
        req.off('data', drop);
        response.end();
      };
      const drop = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (bytes > bounds.http.lingerBytes || chunksOf(req) > bounds.http.lingerChunks) stop();
        else rest(req);
      };
      const timer = setTimeout(stop, bounds.http.lingerMs);
      req.on('data', drop);
      req.once('close', stop);
      if (isFlood(req)) discard(req.socket);
    },
  };
}
