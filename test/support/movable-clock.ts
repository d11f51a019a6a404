// A clock that a test can put forward.
import { type Clock, systemClock } from '../../src/base/clock.ts';

interface MovableClock extends Clock {
  advance(ms: number): void;
}

export function movableClock(): MovableClock {
  let offsetMs = 0;
  return {
    nowMs: () => systemClock.nowMs() + offsetMs,
    monotonicMs: () => systemClock.monotonicMs() + offsetMs,
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}
