import { expect, test } from 'vitest';
import { openProgress, type ProgressState } from './progress.ts';

/** Shows each state a second after the one before. */
function shown(terminal: { readonly columns: number } | undefined, states: readonly ProgressState[]): string {
  let text = '';
  let nowMs = 5_000;
  const stream = {
    ...(terminal === undefined ? {} : { isTTY: true, ...terminal }),
    write: (piece: string) => {
      text += piece;
    },
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const progress = openProgress('rows', { done: 1_000, fraction: 0.1 }, stream, clock);
  for (const state of states) {
    nowMs += 1_000;
    progress.show(state);
  }
  progress.clear();
  return text;
}

const states = Array.from({ length: 8 }, (_, index) => ({
  done: 1_000 + (index + 1) * 2_500,
  fraction: 0.1 + (index + 1) * 0.05,
  note: `${index} refused`,
}));

test('on a terminal there is one line, redrawn and removed in the end, never wider than the terminal', () => {
  const text = shown({ columns: 60 }, states);
  const drawn = text.split('\r\u001b[K');
  expect(drawn).toHaveLength(10);
  expect(drawn[1]).toBe('[###-----------------] 15 %  3,500 rows  2,500/s  0:17 left');
  expect(drawn.at(-1)).toBe('');
  expect(text).not.toContain('\n');
  expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(60);
});

test('elsewhere there is a plain line every few seconds', () => {
  expect(shown(undefined, states)).toBe('35 %, 13,500 rows, 2,500/s, 0:13 left, 4 refused\n');
});

test('a short command shows nothing, and one of unknown length no time', () => {
  expect(shown(undefined, states.slice(0, 4))).toBe('');
  const endless = states.map(({ done }) => ({ done: done * 1_000 }));
  expect(shown(undefined, endless)).toMatch(/^13,500,000 rows, [0-9,]+\/s\n$/);
});

test('long times have hours', () => {
  const slow = Array.from({ length: 5 }, () => ({ done: 1_001, fraction: 0.1002 }));
  expect(shown(undefined, slow)).toBe('10 %, 1,001 rows, 0/s, 6:14:55 left\n');
});
