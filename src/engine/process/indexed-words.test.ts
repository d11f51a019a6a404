import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { openWordIndex } from './indexed-words.ts';

const { wordsIndexedCharacters: enough, wordsRestMs } = bounds.engine;

function open(indexing: () => Promise<void> = async () => {}) {
  const faults: unknown[] = [];
  let begun = 0;
  const database = {
    query: async () => {
      begun++;
      await indexing();
      return [];
    },
  };
  const index = openWordIndex(database, systemClock, (error) => faults.push(error));
  return { index, faults, begun: () => begun };
}

test('words are indexed a moment after enough of them were written, all together', async () => {
  const { index, begun } = open();
  index.wrote(enough - 1);
  await setTimeout(2 * wordsRestMs);
  expect(begun()).toBe(0);
  for (let count = 0; count < 10; count++) index.wrote(enough);
  expect(begun()).toBe(0);
  await setTimeout(3 * wordsRestMs);
  expect(begun()).toBe(1);
  await index.close();
});

test('what is written while words are indexed is indexed next, after a rest', async () => {
  let end = () => {};
  const { index, begun } = open(() => new Promise((resolve) => (end = resolve)));
  index.wrote(enough);
  await setTimeout(2 * wordsRestMs);
  index.wrote(enough);
  await setTimeout(2 * wordsRestMs);
  expect(begun()).toBe(1);
  end();
  await expect.poll(begun, { timeout: 5_000 }).toBe(2);
  const closed = index.close();
  end();
  await closed;
});

test('an error is reported, and the next words are indexed', async () => {
  const { index, faults, begun } = open(() => Promise.reject(new Error('down')));
  index.wrote(enough);
  await expect.poll(() => faults.length).toBe(1);
  index.wrote(enough);
  await expect.poll(begun).toBe(2);
  await index.close();
});

test('a close begins nothing more', async () => {
  const { index, begun } = open();
  index.wrote(enough);
  await index.close();
  index.wrote(enough);
  await setTimeout(2 * wordsRestMs);
  expect(begun()).toBe(0);
});
