// Waiting for something to become true, without failing on a machine that is busy with something else.
import { sleep } from '../../src/base/clock.ts';

const pauseMs = 50;

/**
 * Asks until the answer is the wanted one, for a second at most: the time in which a change of keys or schema reaches a
 * running process (contract 7). Only pauses count, not the answers, which take longer on a busy machine, as the change
 * itself does. Returns the last answer, wanted or not.
 */
export async function withinASecond<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const answer = await ask();
    if (wanted(answer) || waitedMs > 1_000) return answer;
    await sleep(pauseMs);
  }
}

/** Waits until it holds. The bound is there to end a test that would hang, not to promise anything. */
export async function until(holds: () => Promise<boolean>, boundMs = 120_000): Promise<void> {
  const endsAt = performance.now() + boundMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`It was not true after ${boundMs} ms.`);
    await sleep(pauseMs);
  }
}
