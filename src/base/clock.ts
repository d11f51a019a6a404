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

let printedMs = Number.NaN;
let printed = '';

/** A time as ISO 8601 in UTC with milliseconds. The last text is kept, because a request prints it several times. */
export function isoText(ms: number): string {
  if (ms !== printedMs) {
    printed = new Date(ms).toISOString();
    printedMs = ms;
  }
  return printed;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The result of the promise, or undefined if it takes longer. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
