// How far a heap may grow: a small one fourfold as V8 has it, a larger one to the bound, and a very large one by half.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { growthPercent } from './garbage.ts';

const nothing = { outsideBytes: 0, besideBytes: 0 };

test('a heap grows to the bound, but neither more than fourfold nor less than by half', () => {
  const { heapBytes } = bounds.cli;
  const grown = (alive: number) => alive * (1 + growthPercent(alive, nothing) / 100);
  for (const alive of [heapBytes / 100, heapBytes / 10, heapBytes / 4]) expect(grown(alive)).toBe(alive * 4);
  for (const part of [0.3, 0.5, 0.6]) expect(grown(heapBytes * part) / heapBytes).toBeCloseTo(1, 2);
  for (const alive of [heapBytes, heapBytes * 3]) expect(grown(alive)).toBe(alive * 1.5);
});

test('what is held outside the heap takes from its room', () => {
  const { heapBytes } = bounds.cli;
  expect(growthPercent(heapBytes / 4, { ...nothing, outsideBytes: heapBytes / 2 })).toBe(100);
  expect(growthPercent(heapBytes / 4, { ...nothing, outsideBytes: heapBytes * 2 })).toBe(bounds.cli.heapGrowthLeast);
});

test('a process that is large already lets its heap grow less', () => {
  const { heapBytes, processBytes } = bounds.cli;
  const beside = (room: number) => ({ ...nothing, besideBytes: processBytes - room });
  expect(growthPercent(heapBytes / 4, beside(heapBytes * 2))).toBe(300);
  expect(growthPercent(heapBytes / 4, beside(heapBytes / 2))).toBe(100);
  expect(growthPercent(heapBytes / 4, beside(-heapBytes))).toBe(bounds.cli.heapGrowthLeast);
});
