// How much of the quota long reading of the feed takes, and when it waits.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FeedPace } from './feed-pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const limit = { policy: 'org', quota: 100, windowSeconds: 60, remaining: 99, resetSeconds: 60 };

test('it takes a twentieth of the quota in a window, then waits for the next one', async () => {
  const pace = new FeedPace();
  const { signal } = new AbortController();
  const atMs: number[] = [];
  const reading = (async () => {
    for (let page = 0; page < 11; page++) {
      await pace.turn(signal);
      atMs.push(Math.round(performance.now()));
      pace.note(limit);
    }
  })();
  const begunMs = Math.round(performance.now());
  await vi.advanceTimersByTimeAsync(130_000);
  await reading;
  const windows = atMs.map((ms) => Math.floor((ms - begunMs) / 60_000));
  expect(windows).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2]);
});

test('when others have used most of it, it waits until there is more, or until nobody wants it', async () => {
  const pace = new FeedPace();
  const stop = new AbortController();
  await pace.turn(stop.signal);
  pace.note({ ...limit, remaining: 24, resetSeconds: 30 });
  const begunMs = performance.now();
  const next = pace.turn(stop.signal);
  await vi.advanceTimersByTimeAsync(30_000);
  await next;
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(30_000);
  pace.note({ ...limit, remaining: 0, resetSeconds: 30 });
  const left = pace.turn(stop.signal);
  stop.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(pace.turn(stop.signal)).rejects.toThrow('left');
});
