// What a change of keys or schema may take to reach a running process (contract 7), as a helper for tests.
import { sleep } from '../../src/base/clock.ts';

/** Asks until the answer is as wanted, for a little over a second at most; the last answer, wanted or not. */
export async function withinASecond<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const endsAt = performance.now() + 1_000;
  for (;;) {
    const began = performance.now();
    const answer = await ask();
    if (wanted(answer) || began > endsAt) return answer;
    await sleep(50);
  }
}

/** Waits until it holds, or fails. */
export async function until(holds: () => Promise<boolean>, ms: number): Promise<void> {
  const endsAt = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`It did not come to be in ${ms} ms.`);
    await sleep(50);
  }
}
