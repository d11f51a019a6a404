// Records when each key was last used: to the minute, in the background, without delaying a request.
import type { Caller } from '../../access/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Transaction } from '../../store/database.ts';
import { touchCredential } from '../../store/org/credentials.ts';

export interface LastUse {
  note(caller: Caller): void;
  /** Writes the noted uses and stops. */
  close(): Promise<void>;
}

const writeEveryMs = 60_000;
const flushEveryMs = 500;

export function openLastUse(database: Transaction, clock: Clock, onFault: (error: unknown) => void): LastUse {
  /** When each key's use was last noted. */
  const writtenAtMs = new Map<string, number>();
  const noted = new Map<string, { readonly orgId: number; readonly usedAt: Date }>();
  let flushing: Promise<void> = Promise.resolve();

  const flush = async () => {
    const batch = [...noted];
    noted.clear();
    for (const [credentialId, { orgId, usedAt }] of batch) {
      await touchCredential(database, orgId, credentialId, usedAt).catch((error: unknown) => {
        // Its next use is noted again at once.
        writtenAtMs.delete(credentialId);
        onFault(error);
      });
    }
  };
  const timer = setInterval(() => {
    if (noted.size > 0) flushing = flushing.then(flush);
  }, flushEveryMs);
  timer.unref();

  return {
    note: ({ orgId, credentialId }) => {
      const nowMs = clock.monotonicMs();
      const written = writtenAtMs.get(credentialId);
      if (written !== undefined && nowMs - written < writeEveryMs) return;
      if (writtenAtMs.size >= bounds.engine.lastUses) writtenAtMs.clear();
      writtenAtMs.set(credentialId, nowMs);
      noted.set(credentialId, { orgId, usedAt: new Date(clock.nowMs()) });
    },
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
