// What is done together: never more than one statement should carry, and never more than an org may keep waiting.
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Groups, type Member } from './groups.ts';

const small = { records: 1, bytes: 10 };

/** Groups whose work ends when the test says so. */
function workshop() {
  const begun: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const groups = new Groups<string, string>({
    clock: systemClock,
    tooBusy: 'Too much waits.',
    run: async (_, group: readonly Member<string, string>[]) => {
      begun.push(group.map(({ work }) => work));
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      for (const member of group) member.done(member.work);
    },
  });
  return { groups, begun, endOne: () => ends.shift()?.() };
}

test('what comes while others run is done together, and other names and orgs are apart', async () => {
  const { groups, begun, endOne } = workshop();
  const names = ['a', 'b', 'c', 'd'];
  const all = names.map((name) => groups.add(1, 'create', name, small));
  const other = [groups.add(1, 'update', 'u', small), groups.add(2, 'create', 'o', small)];
  expect(begun).toEqual([['a'], ['b'], ['u'], ['o']]);
  endOne();
  expect(await all[0]).toBe('a');
  await expect.poll(() => begun.at(-1)).toEqual(['c', 'd']);
  for (let left = 4; left > 0; left--) endOne();
  expect(await Promise.all([...all, ...other])).toEqual([...names, 'u', 'o']);
});

test.each([
  ['records', { records: bounds.engine.groupedWrites / 2, bytes: 1 }],
  ['bytes', { records: 1, bytes: bounds.engine.groupedBytes / 2 }],
])('a group has a bounded number of %s', async (_, size) => {
  const { groups, begun, endOne } = workshop();
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => groups.add(1, 'create', name, size));
  endOne();
  await all[0];
  await expect.poll(() => begun.length).toBe(3);
  expect(begun).toEqual([['a'], ['b'], ['c', 'd']]);
  endOne();
  await all[1];
  await expect.poll(() => begun.at(-1)).toEqual(['e']);
  endOne();
  endOne();
  await Promise.all(all);
});

test('an org has a bounded number of waiting ones under all names together', async () => {
  const { groups, endOne } = workshop();
  const running = bounds.engine.groupsAtOnce;
  const most = bounds.shares.waitingOfOrg;
  const all = Array.from({ length: most / 2 + running }, () => groups.add(1, 'one', 'x', small));
  const others = Array.from({ length: most / 2 + running }, () => groups.add(1, 'two', 'y', small));
  await expect(groups.add(1, 'three', 'z', small)).rejects.toMatchObject({ reason: 'overloaded' });
  const elsewhere = groups.add(2, 'one', 'e', small);
  const done = Promise.all([...all, ...others, elsewhere]);
  const timer = setInterval(endOne, 0);
  expect(await done).toHaveLength(most + 2 * running + 1);
  clearInterval(timer);
});
