// One answer for many callers, so that asking often costs no more than asking once.
import type { Clock } from '../base/clock.ts';

/** Concurrent callers share one call of `run`, and those of the next moment its answer. A failure is not kept. */
export function shared<T>(clock: Clock, keptMs: number, run: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined;
  let untilMs = 0;
  return () => {
    if (latest !== undefined && clock.monotonicMs() < untilMs) return latest;
    const asked = run();
    latest = asked;
    untilMs = Number.POSITIVE_INFINITY;
    asked.then(
      () => {
        untilMs = clock.monotonicMs() + keptMs;
      },
      () => {
        latest = undefined;
      },
    );
    return asked;
  };
}
