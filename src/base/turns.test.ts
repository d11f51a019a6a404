// Pauses that last until the thread has rested.
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterRest } from './turns.ts';

/** How long the thread has worked and rested. */
let used: { active: number; idle: number };
let runs: number;

beforeEach(() => {
  used = { active: 0, idle: 0 };
  runs = 0;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((before) => ({
    active: used.active - (before?.active ?? 0),
    idle: used.idle - (before?.idle ?? 0),
    utilization: 0,
  }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Another millisecond, in which the thread worked so long. */
function pass(active: number): void {
  used = { active: used.active + active, idle: used.idle + 1 - active };
  vi.advanceTimersByTime(1);
}

function begin(): void {
  afterRest(() => runs++, { pauseMs: 1, pausesMost: 5 });
}

test('it runs after one pause if the thread has rested for half of it', () => {
  begin();
  expect(runs).toBe(0);
  pass(0.5);
  expect(runs).toBe(1);
});

test('what the thread did before does not count, and what it does meanwhile delays it', () => {
  for (let ms = 0; ms < 50; ms++) pass(1);
  begin();
  pass(1);
  pass(0.2);
  expect(runs).toBe(0);
  pass(0.1);
  expect(runs).toBe(1);
});

test('it runs after so many pauses, even if the thread never rests', () => {
  begin();
  for (let ms = 0; ms < 4; ms++) pass(1);
  expect(runs).toBe(0);
  pass(1);
  expect(runs).toBe(1);
  pass(0);
  expect(runs).toBe(1);
});
