// Who begins when many requests arrive at once: one request of a crowd at a time, senders in turn, slowly beside others.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { type Crowd, openCrowd, type Sender } from './crowd.ts';

let crowd: Crowd;
let nowMs: number;
/** What is to run, in the next pass or after a pause. */
let passes: (() => void)[];
let pauses: (() => void)[];
let begun: string[];

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  passes = [];
  pauses = [];
  begun = [];
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  crowd = openCrowd(clock, { nextPass: (run) => passes.push(run), afterPause: (run) => pauses.push(run) });
});

afterEach(() => {
  vi.useRealTimers();
});

function arrive(who: Sender, count: number): void {
  for (let index = 1; index <= count; index++) {
    const turn = crowd.enter(who);
    if (turn === undefined) begun.push(`${who}.${index}`);
    else void turn.then(() => begun.push(`${who}.${index}`));
  }
}

async function pass(): Promise<void> {
  for (const run of passes.splice(0)) run();
  await Promise.resolve();
}

async function pause(): Promise<void> {
  for (const run of pauses.splice(0)) run();
  await Promise.resolve();
}

const few = bounds.shares.requestsAtOnce;
const fewer = bounds.shares.requestsBesideOthers;

test('a few requests begin at once, and the others of somebody alone one in each pass', async () => {
  arrive(1, few + 3);
  expect(begun).toHaveLength(few);
  await pass();
  expect(begun.slice(few)).toEqual([`1.${few + 1}`]);
  await pass();
  await pass();
  expect(begun.slice(few)).toEqual([1, 2, 3].map((more) => `1.${few + more}`));
  expect([passes, pauses]).toEqual([[], []]);
});

test('beside others they begin after pauses, and a request of somebody else at once', async () => {
  arrive(2, 1);
  arrive(1, fewer + 2);
  expect(begun).toHaveLength(1 + fewer);
  expect(passes).toEqual([]);
  await pause();
  expect(begun.at(-1)).toBe(`1.${fewer + 1}`);
  arrive(2, 1);
  expect(begun.at(-1)).toBe('2.1');
  nowMs += bounds.shares.aloneAfterMs + 1;
  await pause();
  arrive(1, few - fewer - 1);
  expect(passes).toHaveLength(1);
});

test('an address without a key is no company', () => {
  arrive('192.0.2.1', 1);
  arrive(1, few + 1);
  expect([passes.length, pauses.length]).toEqual([1, 0]);
});

test('two crowds take turns', async () => {
  arrive(1, few + 2);
  const fewest = bounds.shares.requestsOfAddressAtOnce;
  arrive('192.0.2.1', fewest + 2);
  expect(begun).toHaveLength(few + fewest);
  await pass();
  for (let count = 0; count < 3; count++) await pause();
  const late = [`1.${few + 1}`, `192.0.2.1.${fewest + 1}`, `1.${few + 2}`, `192.0.2.1.${fewest + 2}`];
  expect(begun.slice(-4)).toEqual(late);
});

test('requests that have left do not count, and too many are refused', () => {
  for (let round = 0; round < 3; round++) {
    arrive(1, few);
    for (let count = 0; count < few; count++) crowd.leave(1);
  }
  expect(begun).toHaveLength(3 * few);
  arrive(1, few + bounds.shares.crowdWaiting);
  expect(() => crowd.enter(1)).toThrow('Too many requests arrived at once');
  expect(crowd.enter(2)).toBeUndefined();
});

test('a request that was refused counts a little longer', async () => {
  for (let count = 0; count < few; count++) {
    arrive(1, 1);
    crowd.leave(1, 'refused');
  }
  arrive(1, 1);
  expect(begun).toHaveLength(few);
  await pass();
  expect(begun).toHaveLength(few + 1);
  crowd.leave(1);
  vi.advanceTimersByTime(bounds.shares.refusedStayMs);
  arrive(1, few);
  expect(begun).toHaveLength(2 * few + 1);
});

test('whoever has just been refused begins less often beside others, without delaying the crowd of another', async () => {
  arrive(1, few);
  crowd.leave(1, 'refused');
  arrive(2, fewer);
  begun = [];
  arrive(1, 3);
  arrive(2, 3);
  for (let count = 0; count < 4; count++) await pause();
  expect(begun).toEqual([1, 2, 3].map((more) => `2.${more}`));
  nowMs += bounds.shares.refusedPauseMs;
  for (let count = 0; count < 4; count++) await pause();
  expect(begun.slice(3)).toEqual(['1.1']);
  vi.advanceTimersByTime(bounds.shares.refusedStayMs);
  for (let count = 0; count < 2; count++) await pause();
  expect(begun.slice(3)).toEqual(['1.1', '1.2', '1.3']);
});

test('somebody alone who is refused waits for nobody', async () => {
  arrive(1, few);
  crowd.leave(1, 'refused');
  arrive(1, 2);
  await pass();
  await pass();
  expect(begun).toHaveLength(few + 2);
});
