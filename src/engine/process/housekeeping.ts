// Purges expired data in the background, a little at a time. Every process tries, and one at a time does it: the others
// find the lock taken and stop.
import { bounds } from '../../base/limits.ts';
import type { Database, WorkDatabase } from '../../store/database.ts';
import { indexDeferredWords } from '../../store/import/deferred-words.ts';
import { listOrgs } from '../../store/org/orgs.ts';
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
      const outcome = await database.transaction(async (transaction) => {
        if (isClosed() || !(await lockHousekeeping(transaction))) return 'taken';
        const trash = await purgeTrash(transaction, orgId, trashSeconds);
        const answers = await purgeAnswers(transaction, orgId, bounds.engine.idempotencyKeptSeconds);
        const changes = await purgeFeed(transaction, orgId, changesSeconds);
        return trash || answers || changes ? 'more' : 'done';
      });
      if (outcome === 'taken') return;
      if (outcome === 'done') break;
    }
  }
  if (!isClosed()) await indexDeferredWords(database);
}
