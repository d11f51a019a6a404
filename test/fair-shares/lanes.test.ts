// Lanes for statements that may take long: few of an org at a time, few of all orgs, and no request waits forever.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { Problem } from '../../src/base/problem.ts';
import { Lane, type Read, scanLane } from '../../src/engine/shares/lanes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reads that end when the test says so; `started` lists the names in the order in which they began. */
function workshop() {
  const started: string[] = [];
  const done = new Map<string, () => void>();
  const work = (name: string, isAbandoned = () => false): Read => ({
    name,
    run: () =>
      new Promise((resolve) => {
        started.push(name);
        done.set(name, () => resolve([{ name }]));
      }),
    isAbandoned,
  });
  return { started, work, finish: (name: string) => done.get(name)?.() };
}

test('scans of one org run one after the other, and other orgs do not wait for them', async () => {
  const scans = new Lane(scanLane);
  const { started, work, finish } = workshop();
  const first = scans.run(1, work('a1'));
  const second = scans.run(1, work('a2'));
  const third = scans.run(2, work('b1'));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a1', 'b1']);
  finish('a1');
  expect(await first).toEqual([{ name: 'a1' }]);
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a1', 'b1', 'a2']);
  finish('a2');
  finish('b1');
  await Promise.all([second, third]);
});

test('orgs are served in turn, however many scans of one of them wait', async () => {
  const lane = new Lane({ ofOrg: 1, ofAll: 1, waiting: 10 });
  const { started, work, finish } = workshop();
  const running = ['a1', 'a2', 'a3', 'a4'].map((name) => lane.run(1, work(name)));
  const others = [lane.run(2, work('b1')), lane.run(3, work('c1')), lane.run(2, work('b2'))];
  expect(lane.waiting).toBe(6);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
    await vi.advanceTimersByTimeAsync(0);
    expect(started.at(-1)).toBe(name);
    finish(name);
  }
  await Promise.all([...running, ...others]);
});

test('only so many run at once, and a scan that fails makes room', async () => {
  const scans = new Lane(scanLane);
  const { started, work, finish } = workshop();
  const failing = scans.run(1, { ...work('failing'), run: () => Promise.reject(new Error('no')) });
  const running = [2, 3, 4].map((orgId) => scans.run(orgId, work(`o${orgId}`)));
  await expect(failing).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toHaveLength(bounds.shares.scansAtOnce);
  finish('o2');
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['o2', 'o3', 'o4']);
  finish('o3');
  finish('o4');
  await Promise.all(running);
});

test('a request that waits too long, or arrives when too many wait, is asked to try again', async () => {
  const scans = new Lane(scanLane);
  const { work, finish } = workshop();
  const first = scans.run(1, work('a'));
  const waiting = Array.from({ length: bounds.shares.scansWaiting }, (_, index) =>
    scans.run(1, work(`w${index}`)).catch((error) => error),
  );
  await expect(scans.run(1, work('x'))).rejects.toMatchObject({ code: 'unavailable', reason: 'overloaded' });
  await vi.advanceTimersByTimeAsync(bounds.shares.scanWaitMs + 1);
  for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(Problem);
  finish('a');
  await first;
  const { started, work: again, finish: end } = workshop();
  const next = scans.run(1, again('n'));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['n']);
  end('n');
  await next;
});

test('a wider lane runs several of one org, and leaves room for the others', async () => {
  const lane = new Lane({ ofOrg: 2, ofAll: 3, waiting: 10 });
  const { started, work, finish } = workshop();
  const running = ['a1', 'a2', 'a3'].map((name) => lane.run(1, work(name)));
  const other = lane.run(2, work('b1'));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  finish('a1');
  await running[0];
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a2', 'a3', 'b1']) finish(name);
  await Promise.all([...running, other]);
});

test('equal reads that wait are run once, and those that come when it has begun wait for the next', async () => {
  const lane = new Lane(scanLane);
  const [own, other] = [workshop(), workshop()];
  const first = lane.run(1, own.work('a'));
  const equal = [lane.run(1, own.work('a')), lane.run(1, own.work('a'))];
  const elsewhere = lane.run(2, other.work('a'));
  expect([own.started, other.started]).toEqual([['a'], ['a']]);
  expect(lane.waiting).toBe(2);
  own.finish('a');
  await first;
  await vi.advanceTimersByTimeAsync(0);
  const late = lane.run(1, own.work('a'));
  expect(own.started).toEqual(['a', 'a']);
  own.finish('a');
  expect(await Promise.all(equal)).toEqual([[{ name: 'a' }], [{ name: 'a' }]]);
  await vi.advanceTimersByTimeAsync(0);
  expect(own.started).toEqual(['a', 'a', 'a']);
  own.finish('a');
  other.finish('a');
  await Promise.all([late, elsewhere]);
});

test('a read that nobody waits for any more does not begin, but one of several that are equal does', async () => {
  const lane = new Lane({ ofOrg: 1, ofAll: 1, waiting: 10 });
  const { started, work, finish } = workshop();
  const gone = () => true;
  const first = lane.run(1, work('a'));
  const abandoned = lane.run(1, work('b', gone));
  const half = [lane.run(1, work('c', gone)), lane.run(1, work('c'))];
  finish('a');
  await first;
  await expect(abandoned).rejects.toMatchObject({ reason: 'overloaded' });
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'c']);
  finish('c');
  expect(await Promise.all(half)).toEqual([[{ name: 'c' }], [{ name: 'c' }]]);
});

test('a read that one of several has left while it runs is still wanted', async () => {
  const lane = new Lane({ ofOrg: 1, ofAll: 1, waiting: 10 });
  const { work, finish } = workshop();
  let isGone = false;
  let isAbandoned = () => true;
  const first = lane.run(1, work('a'));
  const leaving: Read = {
    ...work('b', () => isGone),
    run: async (isLeft) => {
      isAbandoned = isLeft;
      return [{ name: 'b' }];
    },
  };
  const both = [lane.run(1, leaving), lane.run(1, work('b'))];
  finish('a');
  await first;
  expect(await Promise.all(both)).toEqual([[{ name: 'b' }], [{ name: 'b' }]]);
  isGone = true;
  expect(isAbandoned()).toBe(false);
});

test('only so many requests wait for equal reads', async () => {
  const lane = new Lane({ ofOrg: 1, ofAll: 1, waiting: 2 });
  const { work, finish } = workshop();
  const first = lane.run(1, work('a'));
  const equal = Array.from({ length: bounds.shares.waitingOfOrg }, () => lane.run(1, work('b')));
  await expect(lane.run(1, work('b'))).rejects.toMatchObject({ reason: 'overloaded' });
  finish('a');
  await first;
  await vi.advanceTimersByTimeAsync(0);
  finish('b');
  expect(await Promise.all(equal)).toHaveLength(bounds.shares.waitingOfOrg);
});
