// What a run needs, whatever it does.
import type { Client } from '../../../../client/main.ts';
import type { ImportStore } from '../kept-import.ts';
import type { Progress } from '../messages.ts';

export interface RunContext {
  readonly client: Client;
  readonly store: ImportStore;
  readonly tell: (progress: Progress) => void;
  /** Ends the run after what was sent. */
  readonly stop: AbortSignal;
  /** The time of the service. */
  readonly nowMs: () => number;
}
