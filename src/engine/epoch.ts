// Keeps what a process has cached no older than a second, without a standing connection and without work while idle:
// before a request uses the cache, the epoch's one row must have been read within the last 0.9 seconds. Under load a
// read is started ahead of time, so requests seldom wait for it; after a pause the first request waits for one read.
import type { Clock } from '../base/clock.ts';
import type { Database } from '../store/database.ts';
import { orgsChangedAfter, readEpoch } from '../store/epochs.ts';

export interface Epoch {
  /** Resolves once the cache may be used. Rejects when the database cannot be asked: a stale answer is never given. */
  settled(): Promise<void> | undefined;
}

const refreshAfterMs = 400;
const trustedForMs = 900;

export function watchEpoch(database: Database, clock: Clock, forget: (orgId: number) => void): Epoch {
  let version: bigint | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  const check = async () => {
    const startedAtMs = clock.monotonicMs();
    const current = await readEpoch(database);
    if (version !== undefined && current !== version) {
      for (const orgId of await orgsChangedAfter(database, version)) forget(orgId);
    }
    version = current;
    checkedAtMs = startedAtMs;
  };

  return {
    settled: () => {
      const ageMs = clock.monotonicMs() - checkedAtMs;
      if (ageMs < refreshAfterMs) return undefined;
      running ??= check().finally(() => {
        running = undefined;
      });
      if (ageMs >= trustedForMs) return running;
      // Read ahead of need: if it fails, the next request past the limit asks again and meets the fault itself.
      running.catch(() => {});
      return undefined;
    },
  };
}
