// Waiting by turns of the event loop, in each of which Node looks once at everything that may have arrived.
import { systemClock } from './clock.ts';

/** In one turn Node accepts one connection of a listener, and reads once from each connection. */
const quietTurns = 3;

/**
 * Resolves when nothing has arrived in several turns: nothing that had come before is left. `arrivals` counts what has
 * arrived so far, and is undefined while something is still under way. Ends at its bound in any case.
 */
export async function untilQuiet(arrivals: () => number | undefined, boundMs: number): Promise<void> {
  const endsAtMs = systemClock.monotonicMs() + boundMs;
  let before = arrivals();
  for (let quiet = 0; quiet < quietTurns && systemClock.monotonicMs() < endsAtMs; ) {
    await nextTurn();
    const now = arrivals();
    quiet = now !== undefined && now === before ? quiet + 1 : 0;
    before = now;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Runs after a pause, once the thread has rested for as long as it has worked meanwhile: so that it is free half of the time,
 * whatever is done after each pause. If it does not come to rest, it runs after so many pauses.
 */
export function afterRest(
  run: () => void,
  { pauseMs, pausesMost }: { readonly pauseMs: number; readonly pausesMost: number },
): void {
  const before = performance.eventLoopUtilization();
  let pauses = 0;
  const look = (): void => {
    const { active, idle } = performance.eventLoopUtilization(before);
    if (idle >= active || ++pauses >= pausesMost) run();
    else setTimeout(look, pauseMs);
  };
  setTimeout(look, pauseMs);
}
