// Work of the operator as jobs of the orgs that it concerns, and the list of an org's jobs.
import { newId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Database } from '../../store/database.ts';
import { migrationStatus } from '../../store/migrate.ts';
import { type ListedJob, listJobs as listJobsOf } from '../../store/org/jobs.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { beginJob, type Job, type JobKind } from '../platform/jobs.ts';
import type { CommandEngine } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { requireOrg } from './orgs.ts';

/** The last jobs come first. */
export async function listJobs(database: Database, orgId: number): Promise<readonly ListedJob[]> {
  await requireOrg(database, orgId);
  return listJobsOf(database, orgId, bounds.cli.jobsListed);
}

/** Does work that is a job of one org. `finished` names its end in the audit, and what has been counted by then. */
export async function asJob<T>(
  engine: CommandEngine,
  begun: Parameters<typeof beginJob>[1],
  work: (job: Pick<Job, 'id' | 'show'>) => Promise<T>,
  finished: (result: T) => Omit<Parameters<Job['end']>[0], 'state'>,
): Promise<T> {
  const job = await beginJob(engine, begun);
  try {
    const result = await work(job ?? { id: newId(), show: () => {} });
    await job?.end({ state: 'done', ...finished(result) });
    return result;
  } catch (error) {
    // The work has failed: that it could not be noted as well is no news.
    await job?.end({ state: 'failed', message: messageOf(error) }).catch(() => undefined);
    throw error;
  }
}

/** Those who see the job must not learn about the server, so only messages meant for clients are shown. */
function messageOf(error: unknown): string {
  return error instanceof Problem ? error.message : 'It failed. Ask the operator of the service.';
}

/** Makes a backup, as a job of each org. A database of an earlier release has no jobs. */
export async function asBackupJobs<T>(database: Database, work: () => Promise<T>): Promise<T> {
  if (!(await isCurrent(database))) return work();
  return withCommandEngine(database, async (engine) => {
    const jobs = await beginInEveryOrg(engine, 'backup');
    const result = await work().catch((error: unknown) => endAll(jobs, error));
    // The backup is made, whether that can be noted or not.
    for (const job of jobs) {
      await job.end({ state: 'done', audit: { action: 'backup.finished' } }).catch(() => undefined);
    }
    return result;
  });
}

/** The same for a restore, which takes the jobs that are under way along with the database. The restored orgs have others. */
export async function asRestoreJobs<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const restored = !(await isCurrent(database))
    ? await work()
    : await withCommandEngine(database, async (engine) => {
        const jobs = await beginInEveryOrg(engine, 'restore');
        const result = await work().catch((error: unknown) => endAll(jobs, error));
        for (const job of jobs) job.leave();
        return result;
      });
  await withCommandEngine(database, async (engine) => {
    for (const job of await beginInEveryOrg(engine, 'restore')) {
      await job.end({ state: 'done', audit: { action: 'restore.finished' } });
    }
  });
  return restored;
}

/** A database that only accepts reads can be saved all the same. */
async function beginInEveryOrg(engine: CommandEngine, kind: JobKind): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  for (const { orgId } of await listOrgs(engine.database)) {
    const job = await beginJob(engine, { orgId, kind }).catch(() => undefined);
    if (job === undefined) break;
    jobs.push(job);
  }
  return jobs;
}

async function endAll(jobs: readonly Job[], error: unknown): Promise<never> {
  for (const job of jobs) await job.end({ state: 'failed', message: messageOf(error) }).catch(() => undefined);
  throw error;
}

async function isCurrent(database: Database): Promise<boolean> {
  const { current, pending } = await migrationStatus(database);
  return current > 0 && pending.length === 0;
}
