// Indexes new words in the background. They wait in a list, and the write that makes the list too long has to index all of
// them. Here it is done before, when this process has written enough, by nobody's request. More words gather while it waits
// and works: the more are written, the less each costs.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Reads } from '../../store/database.ts';
import { indexWaitingWords } from '../../store/records/waiting-words.ts';

export interface WordIndex {
  /** So many characters of new words are about to be committed. */
  wrote(characters: number): void;
  close(): Promise<void>;
}

export function openWordIndex(database: Reads, clock: Clock, onFault: (error: unknown) => void): WordIndex {
  let waiting = 0;
  let running: Promise<void> | undefined;
  let endPause = () => {};
  let closed = false;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    // It works for a third of the time at most.
    let tookMs = 0;
    while (waiting >= bounds.engine.wordsIndexedCharacters) {
      await pause(Math.max(bounds.engine.wordsRestMs, 2 * tookMs));
      if (closed) return;
      waiting = 0;
      const beganMs = clock.monotonicMs();
      await indexWaitingWords(database).catch(onFault);
      tookMs = clock.monotonicMs() - beganMs;
    }
    running = undefined;
  };
  return {
    wrote: (characters) => {
      waiting += characters;
      if (waiting >= bounds.engine.wordsIndexedCharacters && !closed) running ??= run();
    },
    close: async () => {
      closed = true;
      endPause();
      await running;
    },
  };
}
