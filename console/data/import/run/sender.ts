// Sends what may be sent again until it is answered: a lost connection, a busy service and a spent rate limit are waited out, with
// growing pauses, until somebody stops.
import { OrreryAnswerError, OrreryError, OrreryProblem } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';

/** Somebody has stopped while nothing was under way. */
export class Stopped extends Error {}

export class Sender {
  readonly #stop: AbortSignal;
  readonly #waits: (detail: string | undefined) => void;

  /** `stop` ends waits, not requests; `waits` is told why it waits, and undefined once that is over. */
  constructor(stop: AbortSignal, waits: (detail: string | undefined) => void) {
    this.#stop = stop;
    this.#waits = waits;
  }

  async send<T>(request: () => Promise<T>): Promise<T> {
    let hasWaited = false;
    for (let attempt = 0; ; attempt++) {
      if (this.#stop.aborted) throw new Stopped();
      try {
        const answer = await request();
        if (hasWaited) this.#waits(undefined);
        return answer;
      } catch (error) {
        if (!isPassing(error)) throw error;
        hasWaited = true;
        const pause = pauseMs(error, attempt);
        this.#waits(runTexts.waits(error.message, Math.max(1, Math.round(pause / 1_000))));
        await this.#pause(pause);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      this.#stop.addEventListener('abort', done, { once: true });
      const stop = this.#stop;
      function done(): void {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): error is OrreryError {
  if (error instanceof OrreryProblem) {
    return [429, 503, 504].includes(error.status) || error.reason === 'idempotency_in_progress';
  }
  if (error instanceof OrreryAnswerError) return [429, 502, 503, 504].includes(error.status);
  return error instanceof OrreryError;
}

function pauseMs(error: OrreryError, attempt: number): number {
  const asked =
    error instanceof OrreryProblem || error instanceof OrreryAnswerError ? error.retryAfterSeconds : undefined;
  const grown = Math.min(importBounds.longestPauseMs, importBounds.firstPauseMs * 2 ** Math.min(attempt, 10));
  return asked === undefined ? grown : Math.max(asked * 1_000, 100);
}
