// Keeps long reading of the change feed to a small part of the org's quota, which keys and colleagues share. It knows what the last
// answer told of the rate limit, and nothing of what is read.
import type { RateLimit } from '../../../../client/main.ts';

/** The part of the quota that is used at most, and the part below which everything that is left is for others. */
export const paceBounds = { used: 1 / 20, leftToOthers: 1 / 4, pagesLeast: 2 };

export class FeedPace {
  #limit: RateLimit | undefined;
  #toldMs = 0;
  #windowMs = performance.now();
  #pages = 0;

  /** Resolves when the next page may be asked for; rejects as soon as nobody wants it any more. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const ms = this.#pauseMs();
    if (ms > 0) await pause(ms, signal);
    const nowMs = performance.now();
    if (nowMs - this.#windowMs >= this.#lengthMs()) {
      this.#windowMs = nowMs;
      this.#pages = 0;
    }
    this.#pages++;
  }

  /** What the answer told. */
  note(limit: RateLimit | undefined): void {
    this.#limit = limit;
    this.#toldMs = performance.now();
  }

  #pauseMs(): number {
    if (this.#limit === undefined) return 0;
    const { quota, remaining, resetSeconds } = this.#limit;
    const nowMs = performance.now();
    const most = Math.max(paceBounds.pagesLeast, Math.floor(quota * paceBounds.used));
    const spentMs = this.#pages >= most ? this.#windowMs + this.#lengthMs() - nowMs : 0;
    const scarceMs = remaining < quota * paceBounds.leftToOthers ? this.#toldMs + resetSeconds * 1_000 - nowMs : 0;
    return Math.max(spentMs, scarceMs);
  }

  #lengthMs(): number {
    return (this.#limit?.windowSeconds ?? 0) * 1_000;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
