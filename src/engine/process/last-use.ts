// Records when each key was last used: to the minute, in the background, without delaying a request.
import type { Caller } from '../../access/caller.ts';
import type { Clock } from '../../base/clock.ts';
import type { Transaction } from '../../store/database.ts';
import { touchCredential } from '../../store/org/credentials.ts';
import { openLateNotes } from './late-notes.ts';

export interface LastUse {
  note(caller: Caller): void;
  /** Writes the noted uses and stops. */
  close(): Promise<void>;
}

export function openLastUse(database: Transaction, clock: Clock, onFault: (error: unknown) => void): LastUse {
  const notes = openLateNotes<Caller>({
    clock,
    everyMs: 60_000,
    write: ({ orgId, credentialId }, usedAt) => touchCredential(database, orgId, credentialId, usedAt),
    onFault,
  });
  return { note: (caller) => notes.note(caller.credentialId, caller), close: () => notes.close() };
}
