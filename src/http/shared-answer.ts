// One answer for many callers, so that asking often costs no more than asking once.
import { type Clock, within } from '../base/clock.ts';

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

/**
 * As `shared`, for callers who cannot wait: each gets undefined as soon as the call has taken so long. It goes on, and there
 * is never a second one beside it.
 */
export function sharedWithin<T extends string>(
  clock: Clock,
  { keptMs, waitMs }: { readonly keptMs: number; readonly waitMs: number },
  run: () => Promise<T>,
): () => Promise<T | undefined> {
  let untilMs = 0;
  const ask = shared(clock, keptMs, () => {
    untilMs = clock.monotonicMs() + waitMs;
    return run();
  });
  return () => {
    const answer = ask();
    return within(Math.max(0, untilMs - clock.monotonicMs()), answer);
  };
}
