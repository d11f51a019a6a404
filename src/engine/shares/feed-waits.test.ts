// Places for waiting requests, turns of their reads, and equal reads that are shared.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { type FeedWaits, openFeedWaits, type WantedRead } from './feed-waits.ts';

const page = { rows: [], place: { life: 'e', log: '0', from: null, after: '0', window: null } };

test('an org has its places, all orgs have theirs, and leaving twice frees one', () => {
  const { feedWaits, feedWaitsOfOrg } = bounds.shares;
  const waits = openFeedWaits();
  const leaves: (() => void)[] = [];
  for (let orgId = 1; orgId <= feedWaits / feedWaitsOfOrg; orgId++) {
    for (let index = 0; index < feedWaitsOfOrg; index++) leaves.push(waits.enter(orgId));
    expect(() => waits.enter(orgId)).toThrow(`${feedWaitsOfOrg} requests of the org are already waiting`);
  }
  // All places are taken. Another org still gets an equal part of the bound, and no more.
  const part = Math.floor(feedWaits / (feedWaits / feedWaitsOfOrg + 1));
  for (let index = 0; index < part; index++) waits.enter(9_999);
  expect(() => waits.enter(9_999)).toThrow(`${feedWaits} requests of all orgs are already waiting`);
  const before = waits.count();
  leaves[0]?.();
  leaves[0]?.();
  expect(waits.count()).toBe(before - 1);
});

/** Reads that end when they are told to. */
function library(waits: FeedWaits) {
  const started: string[] = [];
  const ends = new Map<string, { end: () => void; fail: (error: Error) => void }>();
  const read = (orgId: number, name: string, { text, leftMs = () => 60_000 }: Partial<WantedRead> = {}) =>
    waits.shareInTurn(orgId, {
      text,
      leftMs,
      read: () => {
        started.push(name);
        return new Promise((resolve, reject) => ends.set(name, { end: () => resolve(page), fail: reject }));
      },
    });
  const end = async (name: string) => {
    ends.get(name)?.end();
    await new Promise(setImmediate);
  };
  return { started, read, end, fail: (name: string) => ends.get(name)?.fail(new Error('no')) };
}

test('few reads of an org run at once, each in its turn, and a failed one makes room', async () => {
  const { started, read, end, fail } = library(openFeedWaits());
  const running = ['a1', 'a2', 'a3', 'a4'].map((name) => read(1, name));
  const other = read(2, 'b1');
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  fail('a2');
  await expect(running[1]).rejects.toThrow('no');
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'a4', 'b1']) await end(name);
  expect(await Promise.all([running[0], running[2], running[3], other])).toEqual([page, page, page, page]);
});

test('a request whose time is over leaves the line, and its read is made only if another request wants it', async () => {
  const { started, read, end } = library(openFeedWaits());
  const running = ['a1', 'a2'].map((name) => read(1, name));
  const isOver = { leftMs: () => 0 };
  expect(await read(1, 'x', { text: 'x', ...isOver })).toBeUndefined();
  const patient = read(1, 'y', { text: 'y' });
  expect(await read(1, 'y again', { text: 'y', ...isOver })).toBeUndefined();
  await end('a1');
  await end('a2');
  expect(started).toEqual(['a1', 'a2', 'y']);
  await end('y');
  expect(await Promise.all([...running, patient])).toEqual([page, page, page]);
  // A read that was dropped is not in the way of the next one.
  const again = read(1, 'x', { text: 'x' });
  await new Promise(setImmediate);
  await end('x');
  expect(await again).toBe(page);
});

test('equal reads are one while it is under way, and a later one reads again', async () => {
  const waits = openFeedWaits();
  let reads = 0;
  const read = async () => {
    reads++;
    await new Promise(setImmediate);
    return page;
  };
  await Promise.all([waits.share('x', read), waits.share('x', read), waits.share('y', read)]);
  expect(reads).toBe(2);
  await waits.share('x', read);
  expect(reads).toBe(3);
  await expect(waits.share('x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await waits.share('x', read)).toBe(page);
});
