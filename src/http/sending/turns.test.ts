// The turns of long answers: a few pieces in each pass of the event loop, and the owners in turn.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { openSendingTurns } from './turns.ts';

function openTestTurns() {
  let passes: (() => void)[] = [];
  const turns = openSendingTurns((run) => passes.push(run));
  const written: string[] = [];
  return {
    written,
    /** An answer of so many pieces, each of which the reader takes at once. */
    send: (owner: number, name: string, pieces: number) => {
      let left = pieces;
      const write = (): void => {
        written.push(name);
        if (--left > 0) turns.take(owner, write);
      };
      turns.take(owner, write);
    },
    /** One pass of the event loop; false if there was nothing to do. */
    pass: () => {
      const due = passes;
      passes = [];
      for (const run of due) run();
      return due.length > 0;
    },
  };
}

test('the first pieces are written at once, and then a few in each pass', () => {
  const { written, send, pass } = openTestTurns();
  send(1, 'a', 10);
  expect(written).toHaveLength(bounds.http.piecesAtOnce);
  pass();
  expect(written).toHaveLength(2 * bounds.http.piecesAtOnce);
  while (pass());
  expect(written).toHaveLength(10);
});

test('an answer of one owner is not delayed by a hundred of another', () => {
  const { written, send, pass } = openTestTurns();
  for (let index = 0; index < 100; index++) send(1, 'many', 10);
  send(2, 'one', 3);
  for (let count = 0; count < 3; count++) pass();
  expect(written.filter((name) => name === 'one')).toHaveLength(3);
  expect(written.length).toBeLessThanOrEqual(4 * bounds.http.piecesAtOnce);
  while (pass());
  expect(written).toHaveLength(1_003);
});
