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
import { purgeMerges } from '../../store/records/merge-links.ts';
import { lockHousekeeping, lockPurges, purgeAnswers, purgeFeed, purgeTrash } from '../../store/records/purge.ts';
import { purgeHistory } from '../../store/records/purge-history.ts';
import { purgeLinks } from '../../store/sign-in/links.ts';
import { purgeTries } from '../../store/sign-in/passwords.ts';
import { purgeSessions } from '../../store/sign-in/sessions.ts';
import { purgeDefinitions } from '../platform/definitions/purge-definitions.ts';
import { beginJob, type Job } from '../platform/jobs.ts';
import { notePurge } from '../platform/note-in-audit.ts';
import type { WorkingEngine } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';

interface Retention {
  /** How long deleted records can be restored. */
  readonly trashSeconds: number;
  /** How long the change feed can be read. */
  readonly changesSeconds: number;
  /** How long entries of the audit and ended jobs can be read. */
  readonly auditSeconds: number;
}

type HouseDatabase = WorkDatabase & Pick<Database, 'connect'>;
type HouseEngine = WorkingEngine & { readonly database: HouseDatabase };

interface Housekeeping {
  close(): Promise<void>;
}

export function openHousekeeping(
  engine: HouseEngine,
  retention: Retention,
  onFault: (error: unknown) => void,
): Housekeeping {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      running = keepRound(engine, retention, { isClosed: () => closed, onFault })
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

/** A round without a service around it. */
export function keepHouse(
  database: Database,
  { auditSeconds = bounds.engine.auditKeptSeconds, ...retention }: Omit<Retention, 'auditSeconds'> & Partial<Retention>,
  round: Round = alone,
): Promise<void> {
  return withCommandEngine(database, (engine) => keepRound(engine, { ...retention, auditSeconds }, round));
}

/** One round over all orgs. It ends at once if another process is doing one. An org that fails does not end it. */
async function keepRound(engine: HouseEngine, retention: Retention, round: Round): Promise<void> {
  for (const { orgId } of await listOrgs(engine.database)) {
    try {
      if (!(await purgeOrg(engine, retention, orgId, round))) return;
      const deletedBefore = new Date(engine.clock.nowMs() - retention.trashSeconds * 1_000);
      await purgeDefinitions(engine, orgId, { deletedBefore });
    } catch (error) {
      reportUnlessDown(error, round);
    }
  }
  await countOrgs(engine.database, round);
}

/** False if another process is keeping house, or this one is closing. */
async function purgeOrg(
  engine: HouseEngine,
  { trashSeconds, changesSeconds, auditSeconds }: Retention,
  orgId: number,
  { isClosed }: Round,
): Promise<boolean> {
  const { database } = engine;
  const job = openPurgeJob(engine, orgId);
  try {
    // Bounded, so that one org with much to purge does not delay the others: the next round continues with it.
    for (let step = 0; step < bounds.engine.housekeepingSteps; step++) {
      const purged = await database.transaction(async (transaction) => {
        if (isClosed() || !(await lockHousekeeping(transaction))) return undefined;
        await lockPurges(transaction, orgId);
        const trash = await purgeTrash(transaction, orgId, trashSeconds);
        await notePurge(engine, transaction, orgId, trash.records);
        await purgeMerges(transaction, orgId, Math.max(trashSeconds, changesSeconds));
        for (const purge of [purgeSessions, purgeLinks, purgeTries]) await purge(transaction, orgId);
        return {
          trash,
          others: [
            await purgeAnswers(transaction, orgId, bounds.engine.idempotencyKeptSeconds),
            await purgeFeed(transaction, orgId, changesSeconds),
            await purgeHistory(transaction, orgId, auditSeconds),
          ],
        };
      });
      if (purged === undefined) {
        await job.end('done');
        return false;
      }
      const steps = [purged.trash, ...purged.others];
      const bytes = steps.reduce((sum, each) => sum + each.bytes, 0);
      // After the transaction: nobody who adds to what the org stores waits for a purge.
      if (bytes !== 0) await addStorage(database, orgId, -bytes);
      await job.show(purged.trash.records);
      if (!steps.some(({ more }) => more)) break;
    }
    await job.end('done');
    return true;
  } catch (error) {
    await job.end('failed');
    throw error;
  }
}

/** A purge of the trash as a job, from the first record that it removes. */
function openPurgeJob(engine: WorkingEngine, orgId: number) {
  let job: Job | undefined;
  let done = 0;
  return {
    show: async (records: number): Promise<void> => {
      if (records === 0) return;
      done += records;
      job ??= await beginJob(engine, { orgId, kind: 'purge' });
      job?.show({ done });
    },
    end: async (state: 'done' | 'failed'): Promise<void> => job?.end({ state, done, total: done }),
  };
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
