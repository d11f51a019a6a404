// What is noted of keys in the background: that one was used, and that one was refused.
import type { WorkingEngine } from '../process/call.ts';
import { type LastUse, openLastUse } from './last-use.ts';
import { openRefusedKeys, type RefusedKeys } from './refused-keys.ts';

export interface KeyNotes {
  readonly used: LastUse['note'];
  readonly refused: RefusedKeys['note'];
  /** Writes what is noted and stops. */
  close(): Promise<void>;
}

export function openKeyNotes(engine: WorkingEngine, onFault: (error: unknown) => void): KeyNotes {
  const uses = openLastUse(engine, onFault);
  const refusals = openRefusedKeys(engine, onFault);
  return {
    used: (caller) => uses.note(caller),
    refused: (header, refusal, address) => refusals.note(header, refusal, address),
    close: async () => {
      for (const notes of [uses, refusals]) await notes.close();
    },
  };
}
