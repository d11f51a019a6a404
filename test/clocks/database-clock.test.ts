// The clock of the database as a process carries it on: right within the time that a reading takes, whatever the clock of
// the process shows.
import { expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { openDatabaseClock } from '../../src/engine/process/database-clock.ts';

const noon = Date.parse('2024-02-29T12:00:00Z');
const hour = 3_600_000;

/** A process whose clock is off, and a database that is asked at one monotonic time and answers at another. */
function processOff(offMs: number) {
  let passedMs = 0;
  const clock = openDatabaseClock({ nowMs: () => noon + passedMs + offMs, monotonicMs: () => 5_000 + passedMs });
  return {
    clock,
    pass: (ms: number) => {
      passedMs += ms;
    },
    /** The database reads its clock between question and answer. */
    ask: (toDatabaseMs: number, backMs: number, databaseOffMs = 0): boolean => {
      const askedAtMs = clock.monotonicMs();
      const databaseMs = noon + passedMs + toDatabaseMs + databaseOffMs;
      passedMs += toDatabaseMs + backMs;
      return clock.read(databaseMs, askedAtMs);
    },
    offMs: () => clock.nowMs() - noon - passedMs,
  };
}

test.each([
  ['hours ahead', 5 * hour, 3],
  ['hours behind', -5 * hour, -4],
  ['a little ahead', 2, 2],
  ['right', 0, 0],
])('a process that is %s has the time of the database, as well as it can know it', (_, offMs, leftMs) => {
  const { clock, ask, pass, offMs: left } = processOff(offMs);
  expect(left()).toBe(offMs);
  expect(ask(3, 4)).toBe(false);
  expect(left()).toBe(leftMs);
  pass(10_000);
  expect(left()).toBe(leftMs);
  expect(clock.monotonicMs()).toBe(15_007);
});

test.each([5 * hour, -5 * hour])('a slow reading does not spoil a quick one before it: %i', (offMs) => {
  const { ask, pass, offMs: left } = processOff(offMs);
  ask(1, 1);
  pass(500);
  ask(400, 400);
  expect(Math.abs(left())).toBeLessThanOrEqual(3);
  pass(500);
  ask(0, 0);
  expect(left()).toBe(0);
});

test('a clock of the database that was set back is noticed, and its drift is not taken for that', () => {
  const { ask, pass, offMs } = processOff(0);
  ask(1, 1);
  pass(60_000);
  expect(ask(1, 1, -60_000 * bounds.engine.clockDrift)).toBe(false);
  expect(ask(1, 1, -hour)).toBe(true);
  expect(offMs()).toBe(1 - hour);
  expect(ask(1, 1, -hour)).toBe(false);
  expect(ask(1, 1, hour)).toBe(false);
  expect(offMs()).toBe(hour - 1);
});
