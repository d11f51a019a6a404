// Who gets a place, and in which order. The clock stands still unless a test moves it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { type Place, Places, type Purpose } from './places.ts';
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

function open(connections: number): void {
  nowMs = 0;
  running = [];
  ends = new Map();
  places = new Places(connections, { nowMs: () => nowMs, monotonicMs: () => nowMs }, openWaitingRoom());
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

test('while two long reads of an org run, no other begins, but its writes and other orgs go on', async () => {
  await visit();
  await ask(1, 2);
  nowMs = bounds.shares.longWorkMs;
  await ask(1, 1, 'read', 'late');
  await ask(1, 1, 'write', 'w');
  await ask(2, 1);
  expect(running).toEqual(['1.1', '1.2', '1w.1', '2.1']);
  await end('1.1');
  expect(running).toContain('1late.1');
});

test('an org alone may use all its places for long work, until another comes', async () => {
  await ask(1, 5);
  nowMs = bounds.shares.longWorkMs;
  await ask(1, 1, 'read', 'more');
  expect(running).toHaveLength(6);
  await visit();
  await ask(1, 1, 'read', 'late');
  expect(running).toHaveLength(6);
  // The places that it has are long ones, so it waits until only one of them is left.
  await end('1.1', '1.2', '1.3', '1.4');
  expect(running).toEqual(['1.5', '1more.1']);
  await end('1.5');
  expect(running).toEqual(['1more.1', '1late.1']);
  nowMs += bounds.shares.aloneAfterMs + 1;
  await ask(1, 5, 'read', 'alone');
  expect(running).toHaveLength(7);
});

test('where all work takes long, none of it counts as long', async () => {
  for (let round = 0; round < 3_000; round++) {
    await ask(1 + (round % 2), 1, 'write', `r${round}`);
    nowMs += 20;
    await end(...[...running]);
  }
  await ask(1, 2);
  await ask(9, 1);
  nowMs += 100;
  await ask(1, 4, 'read', 'more');
  expect(countOf(1)).toBe(6);
});

test('after long work few of the org begin at once, until short work has ended', async () => {
  await visit();
  await ask(1, 7);
  nowMs = 100;
  await end(...[...running]);
  await ask(1, 30, 'read', 'next');
  expect(running).toHaveLength(2);
  // Each piece of short work lets one more begin.
  await end('1next.1');
  expect(running).toHaveLength(3);
  await end('1next.2', '1next.3', '1next.4', '1next.5', '1next.6');
  expect(running).toHaveLength(7);
});

test('short work never waits for more than its own share', async () => {
  for (let round = 0; round < 20; round++) {
    await ask(1, 7, 'read', `r${round}`);
    expect(running).toHaveLength(7);
    nowMs += bounds.shares.longWorkMs - 1;
    await end(...running);
  }
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

test('a read from the lane is the next of its org, and does not wait long', async () => {
  await ask(1, 10);
  const fromLane = Promise.resolve(places.enterFromLane(1)).then((place) => {
    running.push('lane');
    return place;
  });
  await end('1.1');
  expect(running.at(-1)).toBe('lane');
  (await fromLane).end();
  await settled();
  const late = Promise.resolve(places.enterFromLane(1)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(bounds.shares.lanePlaceMs);
  expect(await late).toMatchObject({ reason: 'overloaded' });
});
