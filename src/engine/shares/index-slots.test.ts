// Who gets a slot for an automatic index, and whose place it takes. The database side is in test/fair-shares.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import type { IndexSlot } from '../../store/query/property-indexes.ts';
import { chooseSlot, openWishes } from './index-slots.ts';

const all = bounds.store.indexesPerType;
const half = bounds.shares.indexesOfKey;
const free = { inPlaceOf: undefined };

function slot(propertyId: number, credentialId: string | null, more: Partial<IndexSlot> = {}): IndexSlot {
  return { propertyId, credentialId, state: 'ready', idle: false, ...more };
}

function slots(count: number, credentialId: string | null, first = 0): readonly IndexSlot[] {
  return Array.from({ length: count }, (_, index) => slot(first + index, credentialId));
}

test('a key gets free slots until it holds half of them', () => {
  expect(half * 2).toBe(all);
  expect(chooseSlot([], 'a')).toEqual(free);
  expect(chooseSlot(slots(half - 1, 'a'), 'a')).toEqual(free);
  expect(chooseSlot(slots(half, 'a'), 'a')).toBeUndefined();
  expect(chooseSlot(slots(half, 'a'), 'b')).toEqual(free);
  expect(chooseSlot([...slots(half, 'a'), ...slots(half - 1, 'b', half)], 'b')).toEqual(free);
});

test('when all are taken, only an index that nobody asks for gives up its place, the first of them', () => {
  const asked = [...slots(half, 'a'), ...slots(half, null, half)];
  expect(chooseSlot(asked, 'b')).toBeUndefined();
  const idle = [slot(90, 'a', { idle: true }), slot(91, null, { idle: true }), ...asked.slice(2)];
  expect(chooseSlot(idle, 'b')).toEqual({ inPlaceOf: 90 });
});

test('a key with its whole share gives up only an index of its own', () => {
  const others = slots(half, null, half);
  const mine = slots(half - 1, 'a');
  const idle = (credentialId: string | null) => slot(90, credentialId, { idle: true });
  expect(chooseSlot([idle(null), ...mine, slot(91, 'a'), ...others.slice(1)], 'a')).toBeUndefined();
  expect(chooseSlot([idle('a'), ...mine, ...others], 'a')).toEqual({ inPlaceOf: 90 });
  // Even if other slots are free.
  expect(chooseSlot([idle('a'), ...mine], 'a')).toEqual({ inPlaceOf: 90 });
});

test('one index at a time loses its place', () => {
  const full = [slot(90, 'a', { idle: true }), ...slots(all - 1, null)];
  expect(chooseSlot(full, 'b')).toEqual({ inPlaceOf: 90 });
  for (const state of ['retired', 'dropping'] as const) {
    expect(chooseSlot([...full, slot(91, 'a', { state, idle: true })], 'b')).toBeUndefined();
    // It does not count against anybody.
    expect(chooseSlot([...slots(half - 1, 'b'), slot(91, 'b', { state })], 'b')).toEqual(free);
  }
});

test('an index that is being built holds a slot, and can lose it', () => {
  const building = slot(90, 'a', { state: 'building', idle: true });
  expect(chooseSlot([building, ...slots(all - 1, null)], 'b')).toEqual({ inPlaceOf: 90 });
});

function movableClock() {
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { clock, advance };
}

const { wishRepeatedMs, wishKeptMs, wishTriedMs, wishesOfKey, wishingKeys } = bounds.shares;

test('a wish counts when it is repeated later, by the same key', () => {
  const { clock, advance } = movableClock();
  const wishes = openWishes(clock);
  expect(wishes.repeats('a', '1/1')).toBe(false);
  expect(wishes.repeats('a', '1/1')).toBe(false);
  advance(wishRepeatedMs - 1);
  expect(wishes.repeats('a', '1/1')).toBe(false);
  advance(1);
  expect(wishes.repeats('b', '1/1')).toBe(false);
  expect(wishes.repeats('a', '1/2')).toBe(false);
  expect(wishes.repeats('a', '1/1')).toBe(true);
});

test('a wish that was tried is tried again after a while, and one that is not repeated is forgotten', () => {
  const { clock, advance } = movableClock();
  const wishes = openWishes(clock);
  wishes.repeats('a', '1/1');
  advance(wishRepeatedMs);
  expect(wishes.repeats('a', '1/1')).toBe(true);
  advance(wishTriedMs - 1);
  expect(wishes.repeats('a', '1/1')).toBe(false);
  advance(1);
  expect(wishes.repeats('a', '1/1')).toBe(true);
  advance(wishTriedMs + wishKeptMs);
  expect(wishes.repeats('a', '1/1')).toBe(false);
});

test('a key with many wishes loses its own oldest ones, not those of others', () => {
  const { clock, advance } = movableClock();
  const wishes = openWishes(clock);
  wishes.repeats('quiet', '1/1');
  for (let index = 0; index <= wishesOfKey; index++) wishes.repeats('noisy', `1/${index}`);
  advance(wishRepeatedMs);
  expect(wishes.repeats('quiet', '1/1')).toBe(true);
  expect(wishes.repeats('noisy', `1/${wishesOfKey}`)).toBe(true);
  expect(wishes.repeats('noisy', '1/0')).toBe(false);
});

test('of very many keys the oldest are forgotten', () => {
  const { clock, advance } = movableClock();
  const wishes = openWishes(clock);
  for (let index = 0; index <= wishingKeys; index++) wishes.repeats(`key${index}`, '1/1');
  advance(wishRepeatedMs);
  expect(wishes.repeats('key1', '1/1')).toBe(true);
  expect(wishes.repeats('key0', '1/1')).toBe(false);
});
