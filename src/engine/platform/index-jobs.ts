// Automatic indexes that are being built, as jobs. Each step of this process is shown; a process that dies in the middle
// leaves an interrupted job, and the one that goes on begins another.

import { bounds } from '../../base/limits.ts';
import type { WorkingEngine } from '../process/call.ts';
import type { IndexStep } from '../process/index-steps.ts';
import { beginJob, type Job } from './jobs.ts';

interface IndexJobs {
  note(step: IndexStep): void;
  /** Called once the engine is there, whose steps they are. */
  attach(engine: WorkingEngine): void;
  close(): Promise<void>;
}

export function openIndexJobs(onFault: (error: unknown) => void): IndexJobs {
  const jobs = new Map<string, { readonly job: Job; readonly steppedAtMs: number }>();
  let engine: WorkingEngine | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = async ({ orgId, typeName, property, filled, ready }: IndexStep) => {
    const name = `${typeName}.${property}`;
    const key = `${orgId}/${name}`;
    if (engine === undefined) return;
    const job = jobs.get(key)?.job ?? (await beginJob(engine, { orgId, kind: 'index', message: name }));
    if (job === undefined) return;
    jobs.set(key, { job, steppedAtMs: engine.clock.monotonicMs() });
    job.show({ done: filled });
    if (!ready) return;
    jobs.delete(key);
    await job.end({ state: 'done', total: filled });
  };
  // Another process may have taken the last step, or given the index up.
  const look = setInterval(() => {
    for (const [key, { job, steppedAtMs }] of jobs) {
      if (engine === undefined || engine.clock.monotonicMs() - steppedAtMs < bounds.engine.jobSilentMs) continue;
      jobs.delete(key);
      writing = writing.then(() => job.end({ state: 'done' })).catch(onFault);
    }
  }, bounds.engine.jobLookMs).unref();
  return {
    note: (step) => {
      writing = writing.then(() => write(step)).catch(onFault);
    },
    attach: (opened) => {
      engine = opened;
    },
    close: async () => {
      clearInterval(look);
      await writing;
      for (const { job } of jobs.values()) job.leave();
    },
  };
}
