// Sees to it that the definitions of an org's schema are records before somebody looks at them.
import { systemCall, type WorkingEngine } from '../../process/call.ts';
import type { Session } from '../../process/session.ts';
import { transact } from '../../unit/transact.ts';
import { SchemaBook } from './schema-book.ts';

export interface Definitions {
  /** Writes them if that was not done. Requests of an org share the work. */
  record(session: Session): Promise<void>;
}

export function openDefinitions(engine: WorkingEngine): Definitions {
  const running = new Map<number, Promise<void>>();
  return {
    record: ({ caller: { orgId } }) => {
      const known = running.get(orgId);
      if (known !== undefined) return known;
      const started = recordOf(engine, orgId).finally(() => running.delete(orgId));
      running.set(orgId, started);
      return started;
    },
  };
}

/** The same for one who needs them now. */
export async function recordOf(engine: WorkingEngine, orgId: number): Promise<void> {
  const known = await engine.directory.find(orgId);
  if (known === undefined || known.recorded) return;
  await transact(systemCall(engine, known), async (unit) => void (await unit.book(SchemaBook).read(unit)));
}
