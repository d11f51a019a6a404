// What is read aloud of a long run: what changes, and now and then how far it is.
import { expect, test, vi } from 'vitest';
import type { Progress } from '../../../data/import/messages.ts';

// The locale of the reader is that of the browser.
vi.stubGlobal('navigator', { languages: ['en-GB'] });
const { announced } = await import('./announcement.ts');

const nothing = { created: 0, updated: 0, unchanged: 0, refused: 0, linked: 0, unlinked: 0, targetsCreated: 0 };
const at = (rows: number, change: Partial<Progress> = {}): Progress => ({
  ...nothing,
  kind: 'import',
  state: 'running',
  rows,
  total: 1_000,
  rowsPerSecond: 100,
  secondsLeft: 90,
  ...change,
});

/** The announcements of a run, without those that repeat the one before. */
function heard(steps: readonly (readonly [seconds: number, progress: Progress])[]): readonly string[] {
  const said: string[] = [];
  let last: ReturnType<typeof announced> | undefined;
  for (const [seconds, progress] of steps) {
    last = announced(last, progress, seconds * 1_000);
    if (said.at(-1) !== last.text) said.push(last.text);
  }
  return said;
}

test('a tenth more is told, but not sooner than after 15 seconds', () => {
  const everySecond = Array.from({ length: 50 }, (_, second) => [second, at(second * 20)] as const);
  expect(heard(everySecond)).toEqual([
    'Importing, 0%, about 2 minutes left',
    'Importing, 30%, about 2 minutes left',
    'Importing, 60%, about 2 minutes left',
    'Importing, 90%, about 2 minutes left',
  ]);
});

test('nothing is told while nothing moves', () => {
  expect(heard([0, 20, 40, 60].map((second) => [second, at(10)] as const))).toHaveLength(1);
});

test('each change of state is told at once, with what it says', () => {
  expect(
    heard([
      [0, at(0, { secondsLeft: undefined })],
      [1, at(10, { state: 'waiting', secondsLeft: undefined })],
      [2, at(20, { secondsLeft: 30 })],
      [3, at(30, { state: 'failed', detail: 'The session has ended.' })],
    ]),
  ).toEqual([
    'Importing, 0%',
    'Waiting for the service, 1%',
    'Importing, 2%, less than a minute left',
    'It did not finish. The session has ended.',
  ]);
});
