// The answers that their readers have not taken yet. They count as bytes in flight of their org, and a reader that makes
// no progress, or too little, is cut off.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bounds } from '../../base/limits.ts';
import type { Engine } from '../../engine/process/engine.ts';
import type { ByteOwner } from '../../engine/shares/bytes.ts';
import type { Log } from '../log.ts';

/** Whose answer it is, and the request that the log names. */
export interface Recipient {
  readonly owner: ByteOwner;
  readonly requestId: string;
}

export interface UnreadAnswer {
  /** Some bytes have left. */
  moved(bytes: number): void;
}

interface UnreadAnswers {
  /** Watches an answer until it has left or its connection has closed. */
  watch(response: ServerResponse, recipient: Recipient, size: AnswerSize): UnreadAnswer;
}

interface AnswerSize {
  readonly whole: number;
  /** The bytes that only this answer keeps in memory. */
  readonly counted: number;
}

interface Watched {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly recipient: Recipient;
  /** How long the whole answer may take. */
  readonly allowedMs: number;
  /** The bytes that still count. */
  counted: number;
  movedAtMs: number;
  dueAtMs: number;
}

export function openUnreadAnswers({ bytes: account, clock }: Pick<Engine, 'bytes' | 'clock'>, log: Log): UnreadAnswers {
  const all = new Set<Watched>();
  let sweeping: NodeJS.Timeout | undefined;

  const settle = (answer: Watched): void => {
    if (!all.delete(answer)) return;
    account.remove(answer.recipient.owner, answer.counted);
    answer.counted = 0;
    if (all.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  };

  const sweep = (): void => {
    const nowMs = clock.monotonicMs();
    for (const answer of all) {
      // Node does not report the end of the connection to an answer that never had its turn.
      if (answer.socket.destroyed) settle(answer);
      else if (answer.response.socket === null) begin(answer, nowMs);
      else if (nowMs - answer.movedAtMs > bounds.http.stalledMs || nowMs > answer.dueAtMs) {
        cut(answer, log);
        settle(answer);
      }
    }
  };

  return {
    watch: (response, recipient, { whole, counted }) => {
      const allowedMs = bounds.http.answerMs + (whole / bounds.http.answerBytesPerSecond) * 1_000;
      const answer = { response, socket: response.req.socket, recipient, allowedMs, counted, movedAtMs: 0, dueAtMs: 0 };
      begin(answer, clock.monotonicMs());
      all.add(answer);
      account.add(recipient.owner, counted);
      response.once('close', () => settle(answer));
      // One timer for all, and none while there is nothing to watch.
      sweeping ??= setInterval(sweep, bounds.http.stallSweepMs).unref();
      return {
        moved: (left) => {
          const gone = Math.min(left, answer.counted);
          answer.counted -= gone;
          answer.movedAtMs = clock.monotonicMs();
          account.remove(recipient.owner, gone);
        },
      };
    },
  };
}

/** The time begins when it is the answer's turn: until then an earlier answer of the connection is made or read. */
function begin(answer: Watched, nowMs: number): void {
  answer.movedAtMs = nowMs;
  answer.dueAtMs = nowMs + answer.allowedMs;
}

/** A reset also frees the bytes in the buffers of the operating system. */
function cut({ socket, recipient }: Watched, log: Log): void {
  log.info({ request_id: recipient.requestId, address: socket.remoteAddress }, 'cut off: the answer was not read');
  socket.resetAndDestroy();
}
