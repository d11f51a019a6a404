// Work that takes long, as records that can be seen while it is done. Its progress makes no version and no entry in the feed;
// its end makes one. A job whose process has died is marked as interrupted by another one.
import { isoText } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { findOrgsWithJobs, keepRunning, noteEnded, noteRunning, takeSilent } from '../../store/org/jobs.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import { type Draft, newDraft, textOf, touch } from '../unit/draft.ts';
import { withoutLong } from '../unit/long-values.ts';
import { commit } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { Administration, type AuditNote } from './administration.ts';

export type JobKind = 'import' | 'export' | 'backup' | 'restore' | 'index' | 'purge' | 'erase' | 'revert';

interface Progress {
  readonly done?: number | undefined;
  readonly failed?: number | undefined;
  readonly total?: number | undefined;
}

/** How it ended, and what the audit says of it. */
interface JobEnd extends Progress {
  readonly state: 'done' | 'failed';
  readonly message?: string;
  readonly audit?: AuditNote;
}

export interface Job {
  readonly id: string;
  /** Written in the background, at most once in a while. */
  show(progress: Progress): void;
  /** Written before it resolves. */
  end(end: JobEnd): Promise<void>;
  /** Ends nothing: the database in which the job was is no longer there. */
  leave(): void;
}

interface JobRequest {
  readonly orgId: number;
  readonly kind: JobKind;
  readonly message?: string;
  readonly total?: number;
  readonly audit?: AuditNote;
  /** The job that this one continues, if it is still known: then it is the same. */
  readonly continues?: string | undefined;
}

/** Begins a job of an org; undefined if the org does not exist. */
export async function beginJob(engine: WorkingEngine, request: JobRequest): Promise<Job | undefined> {
  const { orgId, kind, message, total, audit, continues } = request;
  const id = await inOrg(engine, orgId, async (unit) => {
    const runs = { svc_state: 'running', ...(message === undefined ? {} : { svc_message: message }) };
    const again = { ...runs, svc_ended_at: null };
    const isKnown = continues !== undefined && (await changeJob(unit, continues, again, 'with_entry'));
    const first = {
      svc_kind: kind,
      svc_started_at: isoText(unit.nowMs()),
      ...progressValues({ done: 0, failed: 0, total }),
    };
    const jobId = isKnown ? continues : addJob(unit, { ...first, ...runs }).id;
    if (audit !== undefined) unit.book(Administration).note(audit);
    await noteRunning(unit.transaction, orgId, jobId);
    return jobId;
  });
  return id === undefined ? undefined : openJob(engine, orgId, id);
}

function addJob(unit: Unit, values: Readonly<Record<string, Json>>): Draft {
  const type = unit.call.session.orgTypes.get(platformTypes.job);
  if (type === undefined) throw new TypeError('Every org has the type of jobs.');
  const draft = newDraft(type, unit.call.session.ids.next(), new Map(Object.entries(values)));
  draft.orgVisible = false;
  unit.announce(draft.id);
  unit.records.add(draft);
  unit.noteEntry(draft, 'record.created', withoutLong(draft.properties, textOf(draft)));
  return draft;
}

function openJob(engine: WorkingEngine, orgId: number, id: string): Job {
  let shown: Progress = {};
  let isNew = false;
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    if (!isNew) return;
    isNew = false;
    const values = progressValues(shown);
    // What a job has done so far may be missing for a moment: its end has it.
    await inOrg(engine, orgId, (unit) => changeJob(unit, id, values, 'quietly')).catch(() => undefined);
  };
  const showing = setInterval(() => {
    writing = writing.then(write);
  }, bounds.engine.jobShownMs).unref();
  const pulse = setInterval(() => {
    // If one sign of life is lost, the next is soon enough.
    keepRunning(engine.database, orgId, [id]).catch(() => undefined);
  }, bounds.engine.jobPulseMs).unref();
  const leave = () => {
    clearInterval(showing);
    clearInterval(pulse);
  };
  return {
    id,
    leave,
    show: (progress) => {
      shown = { ...shown, ...progress };
      isNew = true;
    },
    end: async ({ state, message, audit, ...progress }) => {
      leave();
      await writing;
      await inOrg(engine, orgId, async (unit) => {
        const ended = { svc_state: state, svc_ended_at: isoText(unit.nowMs()) };
        const values = { ...progressValues({ ...shown, ...progress }), ...ended };
        await changeJob(unit, id, message === undefined ? values : { ...values, svc_message: message }, 'with_entry');
        if (audit !== undefined) unit.book(Administration).note(audit);
        await noteEnded(unit.transaction, orgId, id);
      });
    },
  };
}

function progressValues({ done, failed, total }: Progress): Readonly<Record<string, Json>> {
  return {
    ...(done === undefined ? {} : { svc_done: String(done) }),
    ...(failed === undefined ? {} : { svc_failed: String(failed) }),
    ...(total === undefined ? {} : { svc_total: String(total) }),
  };
}

/** Null clears a value. False if there is no such job. */
async function changeJob(
  unit: Unit,
  id: string,
  values: Readonly<Record<string, Json>>,
  how: 'quietly' | 'with_entry',
): Promise<boolean> {
  const type = unit.call.session.orgTypes.get(platformTypes.job);
  const draft = type && (await unit.records.lock(type, id));
  if (draft === undefined) return false;
  const before = draft.properties;
  const all = Object.entries({ ...before, ...values });
  draft.properties = Object.fromEntries(all.filter(([, value]) => value !== null));
  if (how === 'quietly') return true;
  touch(draft, unit.nowMs());
  const changed = Object.entries(values).map(([name, value]) => [
    name,
    { ...(before[name] === undefined ? {} : { old: before[name] }), ...(value === null ? {} : { new: value }) },
  ]);
  unit.noteEntry(draft, 'record.updated', JSON.stringify(Object.fromEntries(changed)));
  return true;
}

async function inOrg<T>(
  engine: WorkingEngine,
  orgId: number,
  work: (unit: Unit) => Promise<T>,
): Promise<T | undefined> {
  const known = await engine.directory.find(orgId);
  return known && commit(systemCall(engine, known), work, 'assumed');
}

/** Marks jobs whose process has died. */
async function interruptSilent(engine: WorkingEngine): Promise<void> {
  for (const orgId of await findOrgsWithJobs(engine.database)) {
    await inOrg(engine, orgId, async (unit) => {
      for (const id of await takeSilent(unit.transaction, orgId, bounds.engine.jobSilentMs)) {
        const values = { svc_state: 'interrupted', svc_ended_at: isoText(unit.nowMs()) };
        await changeJob(unit, id, values, 'with_entry');
      }
    });
  }
}

interface JobWatch {
  close(): Promise<void>;
}

/** Looks for dead jobs as long as the service runs. */
export function openJobWatch(engine: WorkingEngine, onFault: (error: unknown) => void): JobWatch {
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(() => interruptSilent(engine)).catch(onFault);
  }, bounds.engine.jobLookMs).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
