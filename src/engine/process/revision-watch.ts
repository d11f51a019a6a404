// Keeps what a process has cached no older than a second, without a standing connection and without work while idle:
// before a request uses the cache, the epoch's one row must have been read within the last 0.9 seconds. Under load a
// read is started ahead of time, so requests seldom wait for it; after a pause the first request waits for one read.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Transaction } from '../../store/database.ts';
import { orgsChangedAfter, readEpoch } from '../../store/org/revision.ts';

export interface Epoch {
  /** Resolves once the cache may be used. Rejects when the database cannot be asked: a stale answer is never given. */
  settled(): Promise<void> | undefined;
}

const refreshAfterMs = 400;

export function watchEpoch(
  database: Transaction,
  clock: Clock,
  forget: (orgId: number) => void,
  forgetAll: () => void,
): Epoch {
  let known: { readonly version: bigint; readonly life: string } | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let running: { readonly sinceMs: number; readonly done: Promise<void> } | undefined;

  const check = async (sinceMs: number) => {
    const current = await readEpoch(database);
    if (known !== undefined && current.version > known.version) {
      for (const orgId of await orgsChangedAfter(database, known.version)) forget(orgId);
    }
    // A counter that went back is another database's, and so is another life: a restored or a replacing one.
    if (known !== undefined && (current.version < known.version || current.life !== known.life)) forgetAll();
    // Two checks can overlap. The slower one can take the version back, which only makes the next one forget all.
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
    settled: () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - checkedAtMs < refreshAfterMs) return undefined;
      // A check that hangs tells nothing of what has changed since it began.
      if (running === undefined || nowMs - running.sinceMs >= bounds.engine.cacheTrustedMs) running = start(nowMs);
      if (nowMs - checkedAtMs >= bounds.engine.cacheTrustedMs) return running.done;
      // Read ahead of need: if it fails, the next request past the limit asks again and meets the fault itself.
      running.done.catch(() => {});
      return undefined;
    },
  };
}
