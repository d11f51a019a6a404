// Places for waiting requests, turns of their reads, and equal reads that are shared.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { openFeedWaits } from './feed-waits.ts';

const page = { rows: [], place: { epoch: 'e', from: null, after: '0', window: null } };

test('an org has its places, all orgs have theirs, and leaving twice frees one', () => {
  const { feedWaits, feedWaitsOfOrg } = bounds.shares;
  const waits = openFeedWaits();
  const leaves: (() => void)[] = [];
  for (let orgId = 1; orgId <= feedWaits / feedWaitsOfOrg; orgId++) {
    for (let index = 0; index < feedWaitsOfOrg; index++) leaves.push(waits.enter(orgId));
    expect(() => waits.enter(orgId)).toThrow(`${feedWaitsOfOrg} requests of the org are already waiting`);
  }
  expect(() => waits.enter(9_999)).toThrow(`${feedWaits} requests of all orgs are already waiting`);
  leaves[0]?.();
  leaves[0]?.();
  waits.enter(9_999);
  expect(() => waits.enter(9_999)).toThrow('requests of all orgs');
});

test('few reads of an org run at once, each in its turn, and a failed one makes room', async () => {
  const waits = openFeedWaits();
  const started: string[] = [];
  const ends = new Map<string, { end: () => void; fail: (error: Error) => void }>();
  const read = (orgId: number, name: string) =>
    waits.inTurn(orgId, () => {
      started.push(name);
      return new Promise((resolve, reject) => ends.set(name, { end: () => resolve(page), fail: reject }));
    });
  const running = ['a1', 'a2', 'a3', 'a4'].map((name) => read(1, name));
  const other = read(2, 'b1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  ends.get('a2')?.fail(new Error('no'));
  await expect(running[1]).rejects.toThrow('no');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'a4', 'b1']) {
    ends.get(name)?.end();
    await new Promise(setImmediate);
  }
  expect(await Promise.all([running[0], running[2], running[3], other])).toEqual([page, page, page, page]);
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
