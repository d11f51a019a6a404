// The only place that reads time. Wall time dates things; monotonic time measures waits, because wall clocks step back.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment; never decreases. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
