// An import as this browser keeps it, so that it can go on after a reload, and where it is kept. A batch is stored before it is sent
// and with its counts once it is answered, both at once: whatever happens between, it is known what may have been written.
import type { Choice, ColumnUse, Counts, Progress } from './messages.ts';
import type { PreparedBatch } from './run/prepare-batch.ts';

export interface KeptImport {
  readonly id: string;
  readonly fileName: string;
  readonly startedAt: string;
  readonly choice: Choice;
  /** With the styles that were settled. */
  readonly columns: readonly ColumnUse[];
  readonly total: number;
  readonly counts: Counts;
  readonly batches: number;
  /** The batch that was sent, and whose answer is not known. */
  readonly pending: PendingBatch | null;
  /** Of the requests that have written, in their order: by them the import can be taken back. */
  readonly requestIds: readonly string[];
  readonly state: Extract<Progress['state'], 'stopped' | 'in doubt' | 'done' | 'failed'>;
  readonly undone?: NonNullable<Progress['undone']>;
}

export interface PendingBatch extends PreparedBatch {
  readonly number: number;
  readonly sentAtMs: number;
}

/** Where imports are kept: one for each org and account. */
export interface ImportStore {
  load: () => Promise<{ readonly kept: KeptImport; readonly file: Blob } | undefined>;
  /** Replaces what was kept before. */
  begin: (kept: KeptImport, file: Blob) => Promise<void>;
  /** Stores the import, and refused rows that came to it, both or neither. Refuses it if another one has taken its place. */
  save: (kept: KeptImport, refused?: string) => Promise<void>;
  /** The refused rows, in their order. */
  refused: () => Promise<readonly Blob[]>;
  forget: () => Promise<void>;
  /** Does work that no other tab may do meanwhile; refuses it while another tab does such work. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether a tab does such work, this one included. */
  isTaken: () => Promise<boolean>;
  /** Resolves when no tab does such work. */
  untilFree: () => Promise<void>;
}
