// Who gets a place, and in which order. The clock stands still unless a test moves it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import type { Place } from './line.ts';
import { Places, type Purpose } from './places.ts';
import { openWaitingRoom } from './waiting-room.ts';

let nowMs = 0;
let places: Places;
/** The names of the work that has begun and not ended, in order. */
let running: string[];
let ends: Map<string, Place>;

beforeEach(() => {
  vi.useFakeTimers();
  open(10);
});
afterEach(() => {
  vi.useRealTimers();
});

function open(connections: number, cores = 8): void {
  nowMs = 0;
  running = [];
  ends = new Map();
  places = new Places(connections, { nowMs: () => nowMs, monotonicMs: () => nowMs }, openWaitingRoom(), cores);
}

/** Work of the org whose number the name begins with. */
async function begin(name: string, purpose: Purpose = 'read'): Promise<void> {
  ends.set(name, await places.enter(Number.parseInt(name, 10), purpose));
  running.push(name);
}

/** Begins work with these names, as far as there are places. */
async function ask(org: number, count: number, purpose: Purpose = 'read', label = ''): Promise<void> {
  for (let index = 1; index <= count; index++) void begin(`${org}${label}.${index}`, purpose);
  await settled();
}

async function end(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    ends.get(name)?.end();
    running.splice(running.indexOf(name), 1);
    await settled();
  }
}

async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

const countOf = (org: number) => running.filter((name) => Number.parseInt(name, 10) === org).length;

test('an org alone leaves one place, and more as soon as there is another', async () => {
  await ask(1, 30);
  expect(running).toHaveLength(9);
  await ask(2, 1);
  await end('1.1', '1.2');
  expect([1, 2].map(countOf)).toEqual([7, 1]);
  await ask(3, 1);
  await ask(4, 1);
  expect([1, 2, 3, 4].map(countOf)).toEqual([7, 1, 1, 1]);
});

test('an org beside others leaves some places, which others get at once', async () => {
  await visit();
  await ask(1, 30);
  expect(running).toHaveLength(7);
  await ask(2, 30);
  await ask(3, 1);
  await ask(4, 1);
  await ask(5, 1);
  expect([1, 2, 3, 4, 5].map(countOf)).toEqual([7, 1, 1, 1, 0]);
  expect(places.waiting).toBe(23 + 29 + 1);
  // The next place that ends is for the org that has none.
  await end('1.1');
  expect(countOf(5)).toBe(1);
});

test('orgs that wait get places until all have the same number', async () => {
  await ask(1, 40);
  await ask(2, 40);
  for (let round = 1; round <= 12; round++) await end(running.find((name) => name.startsWith('1.')) ?? '');
  expect(new Set([countOf(1), countOf(2)])).toEqual(new Set([3, 4]));
});

test('orgs with as many places are served in turn', async () => {
  open(1);
  await ask(1, 3);
  await ask(2, 3);
  await ask(3, 3);
  const order: string[] = [];
  for (let round = 0; round < 9; round++) {
    const [name = ''] = running;
    order.push(name);
    await end(name);
  }
  expect(order).toEqual(['1.1', '2.1', '3.1', '1.2', '2.2', '3.2', '1.3', '2.3', '3.3']);
});

/** A short visit of another org, after which the first one is not alone. */
async function visit(): Promise<void> {
  await ask(9, 1, 'read', `visit${nowMs}`);
  await end(`9visit${nowMs}.1`);
}

test('beside others an org uses a burst of time, and then as many places as it may have all the time', async () => {
  await visit();
  await ask(1, 5);
  expect(running).toHaveLength(5);
  // Five places for as long take three more than the two that it may have.
  nowMs += bounds.shares.burstMs / 3 + 1;
  await ask(1, 1, 'read', 'late');
  await ask(1, 1, 'write', 'w');
  await ask(2, 1);
  expect(running).toEqual(['1.1', '1.2', '1.3', '1.4', '1.5', '1w.1', '2.1']);
  await end('1.1', '1.2', '1.3');
  expect(running).not.toContain('1late.1');
  await end('1.4');
  expect(running).toContain('1late.1');
});

test.each([
  [2, 1],
  [3, 2],
  [32, 2],
])('with %i cores, long work of an org holds %i of ten places beside others', async (cores, most) => {
  open(10, cores);
  await visit();
  await ask(1, 30);
  for (let round = 0; round < 20; round++) {
    nowMs += 100;
    await visit();
    await end(running[0] ?? '');
  }
  expect(running).toHaveLength(most);
});

test('an org alone may use all its places for long work, until another comes', async () => {
  await ask(1, 5);
  nowMs = 50;
  await ask(1, 1, 'read', 'more');
  expect(running).toHaveLength(6);
  await visit();
  await ask(1, 1, 'read', 'late');
  expect(running).toHaveLength(6);
  // It has taken more than its time, so it waits until only one of its places is left.
  await end('1.1', '1.2', '1.3', '1.4');
  expect(running).toEqual(['1.5', '1more.1']);
  await end('1.5');
  expect(running).toEqual(['1more.1', '1late.1']);
  nowMs += bounds.shares.aloneAfterMs + 1;
  await ask(1, 5, 'read', 'alone');
  expect(running).toHaveLength(7);
});

/** How many of seven reads of the first org begin at once, beside others, after so many short ones. */
async function countAfterShort(pieces: number): Promise<number> {
  for (let piece = 0; piece < pieces; piece++) {
    await ask(1, 1, 'read', `short${nowMs}`);
    nowMs += 1;
    await end(...[...running]);
    nowMs += 100;
  }
  await visit();
  await ask(1, 7, 'read', `all${nowMs}`);
  const count = running.length;
  while (running.length > 0) await end(running[0] ?? '');
  return count;
}

test('what an org took while it was alone is soon forgotten', async () => {
  await ask(1, 9);
  nowMs = 3_600_000;
  await end(...[...running]);
  expect(await countAfterShort(0)).toBe(2);
  expect(await countAfterShort(80)).toBe(7);
});

test('where all work takes long, because the database is far away, it does not count', async () => {
  for (let round = 0; round < 3_000; round++) {
    await ask(1 + (round % 2), 1, 'write', `r${round}`);
    nowMs += 20;
    await end(...[...running]);
  }
  for (let round = 0; round < 20; round++) {
    await ask(1, 7, 'read', `far${round}`);
    expect(running).toHaveLength(7);
    nowMs += 20;
    await end(...[...running]);
  }
});

test('after long work few of the org begin at once, until its work has been short for a while', async () => {
  await visit();
  await ask(1, 2);
  nowMs += 30;
  await end(...[...running]);
  nowMs += 1_000;
  expect(await countAfterShort(0)).toBe(2);
  expect(await countAfterShort(5)).toBeLessThan(4);
  expect(await countAfterShort(40)).toBe(7);
});

test('a write that waits for a lock does not stop the other writes of its org', async () => {
  open(10, 2);
  await visit();
  await ask(1, 1, 'write', 'waits');
  nowMs += 5_000;
  for (let round = 0; round < 5; round++) {
    await visit();
    await ask(1, 1, 'write', `short${round}`);
    expect(running).toEqual(['1waits.1', `1short${round}.1`]);
    await end(`1short${round}.1`);
  }
});

test('a write that goes on does stop them, until one of its statements is not answered for long', async () => {
  open(10, 2);
  await visit();
  const move = async (ms: number): Promise<void> => {
    nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  await ask(1, 1, 'write', 'first');
  await move(100);
  await end('1first.1');
  await ask(1, 1, 'write', 'long');
  await ask(1, 1, 'write', 'next');
  for (let round = 0; round < 5; round++) {
    await visit();
    await move(bounds.shares.stuckMs * 0.6);
    ends.get('1long.1')?.moved();
  }
  expect(running).toEqual(['1long.1']);
  await move(bounds.shares.stuckMs * 0.6);
  expect(running).toEqual(['1long.1']);
  await move(bounds.shares.stuckMs);
  expect(running).toEqual(['1long.1', '1next.1']);
});

test('the service itself is not held to the time of few cores', async () => {
  open(10, 2);
  await visit();
  await ask(0, 3);
  nowMs += 1_000;
  await visit();
  await ask(0, 3, 'read', 'more');
  expect(running).toHaveLength(6);
});

test('a scan delays no reads and no writes of its org', async () => {
  open(10, 2);
  await visit();
  await ask(1, 1, 'scan');
  nowMs += 1_000;
  await ask(1, 2, 'read', 'r');
  nowMs += 1_000;
  await ask(1, 2, 'write', 'w');
  expect(running.slice(0, 2)).toEqual(['1.1', '1r.1']);
  expect(running).toContain('1w.1');
});

test('after a long answer the reads of its org rest, unless it is alone', async () => {
  await ask(1, 1);
  await end('1.1');
  places.answered(1, 1_048_576);
  await ask(1, 1, 'read', 'alone');
  expect(running).toEqual(['1alone.1']);
  await end('1alone.1');
  await visit();
  places.answered(1, bounds.shares.longAnswerBytes - 1);
  await ask(1, 1, 'read', 'after a short one');
  expect(running).toHaveLength(1);
  await end(...running);
  places.answered(1, 1_048_576);
  places.answered(1, 1_048_576);
  await ask(1, 1, 'read', 'late');
  await ask(1, 1, 'write', 'w');
  await ask(2, 1);
  expect(running).toEqual(['1w.1', '2.1']);
  const wait = async (ms: number) => {
    nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  await wait(2 * bounds.shares.answerRestMs - 1);
  expect(running).toHaveLength(2);
  await wait(2);
  expect(running).toContain('1late.1');
  for (let answer = 0; answer < 100; answer++) places.answered(1, 4_194_304);
  await ask(1, 1, 'read', 'last');
  await wait(bounds.shares.restMs - 1);
  expect(running).not.toContain('1last.1');
  await wait(2);
  expect(running).toContain('1last.1');
});

test('the only connection is passed on from org to org', async () => {
  open(1);
  await ask(1, 2);
  await ask(2, 1, 'write');
  expect(running).toEqual(['1.1']);
  await end('1.1');
  expect(running).toEqual(['2.1']);
  await end('2.1');
  expect(running).toEqual(['1.2']);
});

test('too many waiting requests of an org, and those that wait too long, are asked to try again', async () => {
  await visit();
  await ask(1, 7);
  const waiting = Array.from({ length: bounds.shares.waitingOfOrg }, () =>
    Promise.resolve(places.enter(1, 'read')).catch((error: unknown) => error),
  );
  const refused = { code: 'unavailable', reason: 'overloaded', headers: { 'Retry-After': '1' } };
  await expect(begin('1.more')).rejects.toMatchObject(refused);
  await ask(2, 1);
  expect(countOf(2)).toBe(1);
  await vi.advanceTimersByTimeAsync(bounds.shares.waitMs);
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject(refused);
  expect(places.waiting).toBe(0);
  await ask(1, 1, 'read', 'again');
  await end('2.1', '1.1');
  expect(running).toContain('1again.1');
});

test('a scan is the next of its org, and does not wait long', async () => {
  await ask(1, 10);
  await ask(1, 1, 'scan', 'scan');
  await end('1.1');
  expect(running.at(-1)).toBe('1scan.1');
  const late = Promise.resolve(places.enter(1, 'scan')).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(bounds.shares.lanePlaceMs);
  expect(await late).toMatchObject({ reason: 'overloaded' });
});
