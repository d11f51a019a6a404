// Records when each key was last used, and its member last seen: to the minute, in the background, without delaying a request
// and without a version of the record.
import type { Caller } from '../../access/caller.ts';
import { isoText } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import { openLateNotes } from '../process/late-notes.ts';
import { commit } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';

export interface LastUse {
  note(caller: Caller): void;
  /** Writes the noted uses and stops. */
  close(): Promise<void>;
}

export function openLastUse(engine: WorkingEngine, onFault: (error: unknown) => void): LastUse {
  const notes = openLateNotes<Caller>({
    clock: engine.clock,
    everyMs: bounds.engine.keyNotedMs,
    write: async (caller, usedAt) => {
      const known = await engine.directory.find(caller.orgId);
      if (known === undefined) return;
      await commit(systemCall(engine, known), (unit) => noteUse(unit, caller, isoText(usedAt.getTime())), 'assumed');
    },
    onFault,
  });
  return { note: (caller) => notes.note(caller.credentialId, caller), close: () => notes.close() };
}

async function noteUse(unit: Unit, { recordId, userId }: Caller, at: string): Promise<void> {
  await setDate(unit, platformTypes.member, userId ?? undefined, 'svc_last_seen_at', at);
  await setDate(unit, platformTypes.accessKey, recordId, 'svc_last_used_at', at);
}

async function setDate(
  unit: Unit,
  typeId: number,
  id: string | undefined,
  property: string,
  at: string,
): Promise<void> {
  const type = unit.call.session.orgTypes.get(typeId);
  const draft = id === undefined || type === undefined ? undefined : await unit.records.lock(type, id);
  const before = draft?.properties[property];
  if (draft === undefined || (typeof before === 'string' && before >= at)) return;
  draft.properties = { ...draft.properties, [property]: at };
}
