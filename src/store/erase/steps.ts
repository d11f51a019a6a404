// What a step of erasing takes, and what it has done.
import type { Transaction } from '../database.ts';
import type { RecordRef } from '../record-ref.ts';

/** A kept answer without the values of erased records, and without values that were refused. */
export type Redact = (answer: string, erased: ReadonlySet<string>) => string;

/** Erased records of an org, and how answers about them are redacted. */
export interface ErasedHistory {
  readonly orgId: number;
  readonly records: readonly RecordRef[];
  readonly redact: Redact;
}

interface Done {
  /** The estimated bytes that the step freed. */
  readonly bytes: number;
  /** Where the next step begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Erases a bounded number of rows. The first step begins at an empty place. */
export type EraseStep = (transaction: Transaction, erased: ErasedHistory, after: string) => Promise<Done>;
