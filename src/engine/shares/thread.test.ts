// Turns on the thread: one slice in each pass of the event loop, orgs in turn, and the oldest request of an org first.
import { expect, test } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
import { inSlices, openThread, type Slice } from './thread.ts';

/** A thread whose clock and event loop the test moves. */
function openTestThread(isAlone = true) {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const passes: (() => void)[] = [];
  const pauses: (() => void)[] = [];
  const thread = openThread(clock, {
    isAlone: () => isAlone,
    nextPass: (run) => passes.push(run),
    // In a test of an org that is alone, the pauses beside others take no time.
    afterPause: (run) => (isAlone ? run() : pauses.push(run)),
  });
  return {
    thread,
    /** The end of the pauses that have begun. */
    endPauses: () => passes.push(...pauses.splice(0)),
    /** How many functions wait for the next pass. */
    waiting: () => passes.length,
    work: (ms: number) => {
      nowMs += ms;
    },
    /** One pass of the event loop, and everything that follows from it at once. */
    pass: async () => {
      for (const run of passes.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Work of `steps` steps, each of which takes `ms` and is noted. */
function* noted(note: () => void, steps: number, work: () => void): Steps<string> {
  for (let step = 0; step < steps; step++) {
    note();
    work();
    yield;
  }
  return 'done';
}

test('a slice begins with a turn and is over after its time', async () => {
  const { thread, work, pass } = openTestThread();
  const slice = thread.slice(1);
  expect(slice.isOver()).toBe(true);
  const turn = slice.next();
  await pass();
  await turn;
  expect(slice.isOver()).toBe(false);
  work(bounds.shares.sliceMs - 0.1);
  expect(slice.isOver()).toBe(false);
  work(0.1);
  expect(slice.isOver()).toBe(true);
});

test('work that has begun waits for a turn only when it becomes long', async () => {
  const { thread, work, pass, waiting } = openTestThread();
  const slice = thread.begunSlice(1);
  expect(slice.isOver()).toBe(false);
  work(bounds.shares.sliceMs);
  expect(slice.isOver()).toBe(true);
  expect(waiting()).toBe(0);
  const turn = slice.next();
  await pass();
  await turn;
  expect(slice.isOver()).toBe(false);
});

test('one slice runs in each pass, and the orgs take turns, however much work each of them has', async () => {
  const { thread, work, pass, waiting } = openTestThread();
  const ran: number[] = [];
  const results: Promise<string>[] = [];
  const start = (orgId: number) => {
    const steps = noted(
      () => ran.push(orgId),
      2,
      () => work(bounds.shares.sliceMs),
    );
    results.push(inSlices(thread.slice(orgId), steps));
  };
  for (let count = 0; count < 18; count++) start(1);
  start(2);
  start(3);
  const perPass: number[] = [];
  while (waiting() > 0) {
    expect(waiting()).toBe(1);
    const before = ran.length;
    await pass();
    perPass.push(ran.length - before);
  }
  expect(await Promise.all(results)).toEqual(Array(20).fill('done'));
  expect(Math.max(...perPass)).toBe(1);
  expect(ran.slice(0, 7)).toEqual([1, 2, 3, 1, 2, 3, 1]);
  expect(ran.filter((orgId) => orgId === 1)).toHaveLength(36);
});

test('beside others each slice begins after a pause', async () => {
  const { thread, work, pass, endPauses, waiting } = openTestThread(false);
  let ran = 0;
  const steps = noted(
    () => ran++,
    2,
    () => work(bounds.shares.sliceMs),
  );
  const result = inSlices(thread.slice(1), steps);
  for (const expected of [1, 2, 2]) {
    // The pause begins in the pass after the slice.
    endPauses();
    expect(waiting()).toBe(1);
    await pass();
    expect(waiting()).toBe(0);
    endPauses();
    await pass();
    expect(ran).toBe(expected);
  }
  expect(await result).toBe('done');
});

test('the oldest request of an org is finished before the next one works', async () => {
  const { thread, work, pass, waiting } = openTestThread();
  const ran: string[] = [];
  const start = (name: string, slice: Slice) => {
    const steps = noted(
      () => ran.push(name),
      3,
      () => work(bounds.shares.sliceMs),
    );
    void inSlices(slice, steps);
  };
  const [older, newer] = [thread.slice(1), thread.slice(1)];
  start('newer', newer);
  start('older', older);
  while (waiting() > 0) await pass();
  expect(ran).toEqual(['older', 'older', 'older', 'newer', 'newer', 'newer']);
});

test('short steps share a slice', async () => {
  const { thread, work, pass, waiting } = openTestThread();
  let steps = 0;
  const done = inSlices(
    thread.slice(1),
    noted(
      () => steps++,
      100,
      () => work(bounds.shares.sliceMs / 50),
    ),
  );
  let passes = 0;
  for (; waiting() > 0; passes++) await pass();
  expect(await done).toBe('done');
  expect(steps).toBe(100);
  expect(passes).toBeLessThanOrEqual(4);
});

test('too many requests of one org that wait for their first turn are refused, those of others are not', async () => {
  const { thread, pass } = openTestThread();
  const running = thread.slice(1);
  const first = running.next();
  await pass();
  await first;
  const waiting = Array.from({ length: bounds.shares.turnsWaiting }, () => thread.slice(1).next());
  await expect(thread.slice(1).next()).rejects.toMatchObject({ code: 'unavailable', reason: 'overloaded' });
  // One that has begun is not refused.
  const second = running.next();
  const other = thread.slice(2).next();
  await pass();
  await second;
  await pass();
  await other;
  for (let count = 0; count < waiting.length; count++) await pass();
  await Promise.all(waiting);
});

test('nothing is scheduled while nobody waits', async () => {
  const { thread, pass, waiting } = openTestThread();
  const turn = thread.slice(1).next();
  expect(waiting()).toBe(1);
  await pass();
  await turn;
  expect(waiting()).toBe(0);
});

test('work without slices is done at once', () => {
  let steps = 0;
  expect(
    atOnce(
      noted(
        () => steps++,
        10,
        () => {},
      ),
    ),
  ).toBe('done');
  expect(steps).toBe(10);
});
