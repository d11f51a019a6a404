// Notes in the background when something was last used, at most once in a while for each: a request never waits for it.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';

interface LateNotes<Used> {
  /** Notes the use of what the key names. */
  note(key: string, used: Used): void;
  /** Writes what is noted and stops. */
  close(): Promise<void>;
}

interface Options<Used> {
  readonly clock: Clock;
  /** How long one use stands for those that follow. */
  readonly everyMs: number;
  readonly write: (used: Used, usedAt: Date) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

const flushEveryMs = 500;

export function openLateNotes<Used>({ clock, everyMs, write, onFault }: Options<Used>): LateNotes<Used> {
  /** When each use was last noted. */
  const notedAtMs = new Map<string, number>();
  const waiting = new Map<string, { readonly used: Used; readonly usedAt: Date }>();
  let flushing: Promise<void> = Promise.resolve();

  const flush = async () => {
    const batch = [...waiting];
    waiting.clear();
    for (const [key, { used, usedAt }] of batch) {
      await write(used, usedAt).catch((error: unknown) => {
        // The next use is noted again at once.
        notedAtMs.delete(key);
        onFault(error);
      });
    }
  };
  const timer = setInterval(() => {
    if (waiting.size > 0) flushing = flushing.then(flush);
  }, flushEveryMs).unref();

  return {
    note: (key, used) => {
      const nowMs = clock.monotonicMs();
      const notedMs = notedAtMs.get(key);
      if (notedMs !== undefined && nowMs - notedMs < everyMs) return;
      // One that finds no room is noted when it is used again.
      if (waiting.size >= bounds.engine.notesWaiting) return;
      if (notedAtMs.size >= bounds.engine.lastUses) notedAtMs.clear();
      notedAtMs.set(key, nowMs);
      waiting.set(key, { used, usedAt: new Date(clock.nowMs()) });
    },
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
