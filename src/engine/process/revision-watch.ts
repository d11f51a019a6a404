// Keeps the caches of a process no older than a second, without a permanent connection and without work while idle:
// before a request uses a cache, the revision must have been read within the last 0.9 seconds. Under load a read starts
// ahead of time, so requests rarely wait for it; after a pause the first request waits for one read. Each read also tells
// the time of the database.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Transaction } from '../../store/database.ts';
import { orgsChangedAfter, type Revision, readRevision } from '../../store/org/revision.ts';
import type { DatabaseClock } from './database-clock.ts';

interface RevisionWatch {
  /**
   * Undefined when the caches are fresh; otherwise resolves once they are. Rejects when the database cannot be asked: a
   * stale cache is never used.
   */
  fresh(): Promise<void> | undefined;
  /** Resolves when the revision was read after this call. */
  newest(): Promise<void>;
}

const refreshAfterMs = 400;

interface Listener {
  /** The org has changed. */
  orgChanged(orgId: number): void;
  /** Another database is in the place of the one that was read. */
  replaced(): void;
  /** The clock of the database was set back. */
  setBack(): void;
}

export function watchRevision(database: Transaction, clock: Clock | DatabaseClock, listener: Listener): RevisionWatch {
  let known: Revision | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let next: Promise<void> | undefined;
  let running: { readonly sinceMs: number; readonly done: Promise<void> } | undefined;

  const check = async (sinceMs: number) => {
    const current = await readRevision(database);
    if ('read' in clock && clock.read(current.atMs, sinceMs)) listener.setBack();
    if (known !== undefined && current.number > known.number) {
      for (const orgId of await orgsChangedAfter(database, known.number)) listener.orgChanged(orgId);
    }
    // A counter that went back, or another life, belongs to another database: one that was restored or that replaced it.
    if (known !== undefined && (current.number < known.number || current.life !== known.life)) listener.replaced();
    // Two checks can overlap. The slower one can set the number back, which only makes the next one forget all.
    known = current;
    checkedAtMs = Math.max(checkedAtMs, sinceMs);
  };

  const start = (sinceMs: number) => {
    const done = check(sinceMs).finally(() => {
      if (running === started) running = undefined;
    });
    const started = { sinceMs, done };
    return started;
  };

  return {
    fresh: () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - checkedAtMs < refreshAfterMs) return undefined;
      // A check that hangs cannot see changes made since it began, so another one starts.
      if (running === undefined || nowMs - running.sinceMs >= bounds.engine.cacheTrustedMs) running = start(nowMs);
      if (nowMs - checkedAtMs >= bounds.engine.cacheTrustedMs) return running.done;
      // Read ahead of need: if it fails, the next request past the limit asks again and gets the error itself.
      running.done.catch(() => {});
      return undefined;
    },
    // Those who ask meanwhile share the next one.
    newest: () => {
      next ??= (running?.done ?? Promise.resolve())
        .catch(() => {})
        .then(() => {
          next = undefined;
          running = start(clock.monotonicMs());
          return running.done;
        });
      return next;
    },
  };
}
