// Erases the history of erased records that was too long for one transaction: as a job, in bounded steps. The list of erased
// records says what is left, so any process goes on after a kill.
import { bounds } from '../../base/limits.ts';
import type { Database } from '../../store/database.ts';
import { eraseSteps } from '../../store/erase/erase-history.ts';
import { findOrgsWithErasures, findUnfinished, noteFinished } from '../../store/erase/erased.ts';
import type { ErasedHistory, Redact } from '../../store/erase/steps.ts';
import { tryKeepLock } from '../../store/locks.ts';
import { addStorage } from '../../store/org/storage.ts';
import { beginJob, type Job } from '../platform/jobs.ts';
import type { WorkingEngine } from '../process/call.ts';

type ErasingEngine = WorkingEngine & { readonly database: Pick<Database, 'connect'> };

/** Finishes the erasures of an org; does nothing if there are none, or if another process is doing it. */
export async function finishErasures(
  engine: ErasingEngine,
  orgId: number,
  redact: Redact,
  isClosed: () => boolean = () => false,
): Promise<void> {
  if ((await findUnfinished(engine.database, orgId, 1)).length === 0) return;
  // The lock ends with the connection, and so with the process.
  const connection = await engine.database.connect();
  try {
    if (await tryKeepLock(connection, { use: 'erasure', key: orgId }))
      await finishAsJob(engine, orgId, redact, isClosed);
  } finally {
    await connection.close();
  }
}

async function finishAsJob(
  engine: ErasingEngine,
  orgId: number,
  redact: Redact,
  isClosed: () => boolean,
): Promise<void> {
  const next = () => findUnfinished(engine.database, orgId, bounds.engine.erasedTogether);
  let records = await next();
  if (records.length === 0) return;
  const job = await beginJob(engine, { orgId, kind: 'erase', message: 'The history of erased records' });
  let done = 0;
  try {
    // Ends, because each round finishes some of them.
    for (; records.length > 0; records = await next()) {
      if (!(await eraseInSteps(engine, { orgId, records, redact }, job, isClosed))) {
        job?.leave();
        return;
      }
      await noteFinished(engine.database, orgId, records);
      done += records.length;
      job?.show({ done });
    }
    await job?.end({ state: 'done', done, total: done });
  } catch (error) {
    await job?.end({ state: 'failed', done }).catch(() => undefined);
    throw error;
  }
}

/** Each step is a transaction. False if the process ends before the last one. */
async function eraseInSteps(
  { database }: ErasingEngine,
  erased: ErasedHistory,
  job: Job | undefined,
  isClosed: () => boolean,
): Promise<boolean> {
  for (const step of eraseSteps) {
    for (let next: string | undefined = ''; next !== undefined; ) {
      if (isClosed()) return false;
      const after: string = next;
      const { bytes, next: place } = await database.transaction((transaction) => step(transaction, erased, after));
      if (bytes !== 0) await addStorage(database, erased.orgId, -bytes);
      job?.show({ total: erased.records.length });
      next = place;
    }
  }
  return true;
}

interface ErasureWatch {
  close(): Promise<void>;
}

/** Looks for unfinished erasures as long as the service runs. */
export function openErasureWatch(
  engine: ErasingEngine,
  redact: Redact,
  onFault: (error: unknown) => void,
): ErasureWatch {
  let closed = false;
  let working: Promise<void> | undefined;
  const work = async () => {
    for (const orgId of await findOrgsWithErasures(engine.database)) {
      await finishErasures(engine, orgId, redact, () => closed).catch(onFault);
    }
  };
  const look = () => {
    working ??= work()
      .catch(onFault)
      .finally(() => {
        working = undefined;
      });
  };
  const timer = setInterval(look, bounds.engine.jobLookMs).unref();
  look();
  return {
    close: async () => {
      closed = true;
      clearInterval(timer);
      await working;
    },
  };
}
