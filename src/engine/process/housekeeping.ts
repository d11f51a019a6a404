// Purges expired data in the background, a little at a time. Every process tries, and one at a time does it: the others
// find the lock taken and stop.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Database, WorkDatabase } from '../../store/database.ts';
import { indexDeferredWords } from '../../store/import/deferred-words.ts';
import { countStorage, findUncounted } from '../../store/org/count-storage.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { addStorage } from '../../store/org/storage.ts';
import { lockHousekeeping, purgeAnswers, purgeFeed, purgeTrash } from '../../store/records/purge.ts';

interface Retention {
  /** How long deleted records can be restored. */
  readonly trashSeconds: number;
  /** How long the change feed can be read. */
  readonly changesSeconds: number;
}

type HouseDatabase = WorkDatabase & Pick<Database, 'connect'>;

interface Housekeeping {
  close(): Promise<void>;
}

export function openHousekeeping(
  database: HouseDatabase,
  retention: Retention,
  onFault: (error: unknown) => void,
): Housekeeping {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      running = keepHouse(database, retention, () => closed)
        .catch(onFault)
        .finally(() => {
          if (!closed) wait(bounds.engine.housekeepingEveryMs);
        });
    }, ms);
    timer.unref();
  };
  wait(bounds.engine.housekeepingFirstMs);
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** One round over all orgs. It ends at once if another process is doing one. */
export async function keepHouse(
  database: HouseDatabase,
  { trashSeconds, changesSeconds }: Retention,
  isClosed: () => boolean = () => false,
): Promise<void> {
  for (const { orgId } of await listOrgs(database)) {
    // Bounded, so that one org with much to purge does not delay the others: the next round continues with it.
    for (let step = 0; step < bounds.engine.housekeepingSteps; step++) {
      const purged = await database.transaction(async (transaction) => {
        if (isClosed() || !(await lockHousekeeping(transaction))) return undefined;
        return [
          await purgeTrash(transaction, orgId, trashSeconds),
          await purgeAnswers(transaction, orgId, bounds.engine.idempotencyKeptSeconds),
          await purgeFeed(transaction, orgId, changesSeconds),
        ];
      });
      if (purged === undefined) return;
      const bytes = purged.reduce((sum, step) => sum + step.bytes, 0);
      // After the transaction: nobody who adds to what the org stores waits for a purge.
      if (bytes !== 0) await addStorage(database, orgId, -bytes);
      if (!purged.some((step) => step.more)) break;
    }
  }
  if (!isClosed()) await indexDeferredWords(database);
  await countOrgs(database, isClosed);
}

/** Counts what orgs store, those first that were counted longest ago. */
async function countOrgs(database: HouseDatabase, isClosed: () => boolean): Promise<void> {
  const untilMs = systemClock.monotonicMs() + bounds.shares.storageCountMs;
  const { storageCountedEverySeconds, storageCountedOrgs } = bounds.shares;
  for (const orgId of await findUncounted(database, storageCountedEverySeconds, storageCountedOrgs)) {
    if (isClosed() || systemClock.monotonicMs() > untilMs) return;
    await countStorage(database, orgId, isClosed);
  }
}
