// Purges expired data in the background, a little at a time. Every process tries, and one at a time does it: the others
// find the lock taken and stop.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Database, WorkDatabase } from '../../store/database.ts';
import { countStorageUnlessCounting, findUncounted } from '../../store/org/count-storage.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { addStorage } from '../../store/org/storage.ts';
import { isUnreachable } from '../../store/pg-error.ts';
import { lockHousekeeping, lockPurges, purgeAnswers, purgeFeed, purgeTrash } from '../../store/records/purge.ts';

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
      running = keepHouse(database, retention, { isClosed: () => closed, onFault })
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

interface Round {
  readonly isClosed: () => boolean;
  readonly onFault: (error: unknown) => void;
}

/** Without a service around it, it ends with the first error. */
const alone: Round = {
  isClosed: () => false,
  onFault: (error) => {
    throw error;
  },
};

/** One round over all orgs. It ends at once if another process is doing one. An org that fails does not end it. */
export async function keepHouse(database: HouseDatabase, retention: Retention, round: Round = alone): Promise<void> {
  for (const { orgId } of await listOrgs(database)) {
    try {
      if (!(await purgeOrg(database, retention, orgId, round))) return;
    } catch (error) {
      reportUnlessDown(error, round);
    }
  }
  await countOrgs(database, round);
}

/** False if another process is keeping house, or this one is closing. */
async function purgeOrg(
  database: HouseDatabase,
  { trashSeconds, changesSeconds }: Retention,
  orgId: number,
  { isClosed }: Round,
): Promise<boolean> {
  // Bounded, so that one org with much to purge does not delay the others: the next round continues with it.
  for (let step = 0; step < bounds.engine.housekeepingSteps; step++) {
    const purged = await database.transaction(async (transaction) => {
      if (isClosed() || !(await lockHousekeeping(transaction))) return undefined;
      await lockPurges(transaction, orgId);
      return [
        await purgeTrash(transaction, orgId, trashSeconds),
        await purgeAnswers(transaction, orgId, bounds.engine.idempotencyKeptSeconds),
        await purgeFeed(transaction, orgId, changesSeconds),
      ];
    });
    if (purged === undefined) return false;
    const bytes = purged.reduce((sum, step) => sum + step.bytes, 0);
    // After the transaction: nobody who adds to what the org stores waits for a purge.
    if (bytes !== 0) await addStorage(database, orgId, -bytes);
    if (!purged.some((step) => step.more)) break;
  }
  return true;
}

/** Counts what orgs store, those first that were counted longest ago. */
async function countOrgs(database: HouseDatabase, round: Round): Promise<void> {
  const untilMs = systemClock.monotonicMs() + bounds.shares.storageCountMs;
  const { storageCountedEverySeconds, storageCountedOrgs } = bounds.shares;
  for (const orgId of await findUncounted(database, storageCountedEverySeconds, storageCountedOrgs)) {
    if (round.isClosed() || systemClock.monotonicMs() > untilMs) return;
    try {
      await countStorageUnlessCounting(database, orgId, round.isClosed);
    } catch (error) {
      reportUnlessDown(error, round);
    }
  }
}

/** Without a database every org would fail: that ends the round. */
function reportUnlessDown(error: unknown, { onFault }: Round): void {
  if (isUnreachable(error instanceof Problem ? error.cause : error)) throw error;
  onFault(error);
}
