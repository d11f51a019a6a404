// Turns at names: one at a time, in the order in which they were asked for, and nobody waits for ever.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { openRecordTurns, type RecordTurns } from './record-turns.ts';
import { openWaitingRoom } from './waiting-room.ts';

let turns: RecordTurns;
let begun: string[];
let ends: Map<string, () => void>;

beforeEach(() => {
  vi.useFakeTimers();
  turns = openRecordTurns(systemClock, openWaitingRoom());
  begun = [];
  ends = new Map();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends when the test says so. */
function work(label: string, names: readonly string[], orgId = 1): Promise<string> {
  return turns.run(
    orgId,
    names,
    () =>
      new Promise((resolve) => {
        begun.push(label);
        ends.set(label, () => resolve(label));
      }),
  );
}

async function end(label: string): Promise<void> {
  ends.get(label)?.();
  await vi.advanceTimersByTimeAsync(0);
}

test('writers of one record run one after the other, and those of other records and orgs do not wait', async () => {
  const all = [work('a', ['x']), work('b', ['x']), work('c', ['y']), work('d', ['x'], 2), work('e', [])];
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'c', 'd', 'e']);
  expect(turns.waiting).toBe(1);
  await end('a');
  expect(begun.at(-1)).toBe('b');
  for (const label of ['b', 'c', 'd', 'e']) await end(label);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(turns.isTaken(1, 'x')).toBe(false);
});

test('work that fails passes its turn on', async () => {
  const failing = turns.run(1, ['x'], () => Promise.reject(new Error('no')));
  const next = work('next', ['x']);
  await expect(failing).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['next']);
  await end('next');
  await next;
});

test('work on several records waits for all of them, and two never wait for each other', async () => {
  const all = [work('a', ['x', 'y', 'y']), work('b', ['y', 'x']), work('c', ['y']), work('d', ['z', 'x'])];
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a']);
  await end('a');
  // The second waited for x first, so that y went to the third.
  expect(begun).toEqual(['a', 'c']);
  await end('c');
  expect(begun).toEqual(['a', 'c', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'c', 'b', 'd']);
  await end('d');
  await Promise.all(all);
  expect(['x', 'y', 'z'].some((name) => turns.isTaken(1, name))).toBe(false);
});

test('too many waiting requests of an org, and those that wait too long, are asked to try again', async () => {
  const first = work('first', ['x']);
  const waiting = Array.from({ length: bounds.shares.waitingOfOrg }, (_, index) =>
    work(`w${index}`, index % 2 === 0 ? ['x'] : ['a', 'x', String(index)]).catch((error: unknown) => error),
  );
  const refused = { code: 'unavailable', reason: 'overloaded', headers: { 'Retry-After': '1' } };
  await vi.advanceTimersByTimeAsync(0);
  await expect(work('more', ['x'])).rejects.toMatchObject(refused);
  const other = work('other', ['x'], 2);
  await vi.advanceTimersByTimeAsync(bounds.shares.waitMs + 1_000);
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject(refused);
  expect(turns.waiting).toBe(0);
  expect(turns.isTaken(1, 'a')).toBe(false);
  expect(begun).toEqual(['first', 'other']);
  const again = work('again', ['x']);
  await end('first');
  await end('again');
  await end('other');
  await Promise.all([first, again, other]);
});
