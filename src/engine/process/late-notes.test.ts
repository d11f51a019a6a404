import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { openLateNotes } from './late-notes.ts';

let nowMs = 0;
let written: string[] = [];
const onFault = vi.fn();
const everyMs = 60_000;
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  written = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function open(write = async (used: string) => void written.push(used)) {
  return openLateNotes<string>({ clock, everyMs, write, onFault });
}

test('one use stands for those that follow in the time', async () => {
  const notes = open();
  for (const at of [0, 1, everyMs - 1, everyMs]) {
    nowMs = at;
    notes.note('key', `at ${at}`);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await notes.close();
  expect(written).toEqual(['at 0', `at ${everyMs}`]);
});

test('a use that could not be written is reported, and noted again next time', async () => {
  let isBroken = true;
  const fault = new Error('no connection');
  const notes = open(async (used) => {
    if (isBroken) throw fault;
    written.push(used);
  });
  notes.note('key', 'first');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onFault).toHaveBeenCalledExactlyOnceWith(fault);
  isBroken = false;
  notes.note('key', 'second');
  await notes.close();
  expect(written).toEqual(['second']);
});

test('no more than a bounded number wait to be written, and the others are noted when they are used again', async () => {
  const notes = open();
  const names = Array.from({ length: bounds.engine.notesWaiting + 1 }, (_, index) => `key ${index}`);
  for (const name of names) notes.note(name, name);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(names.slice(0, -1));
  for (const name of names) notes.note(name, name);
  await notes.close();
  expect(written).toEqual(names);
});
