// The disk of the database, when it is full. PostgreSQL then refuses to write and goes on reading, or ends if it cannot even
// continue its log. The disk of a server is known only by what its PostgreSQL says; that of a data folder can be measured.
import { statfs } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { isDiskFull } from '../pg-error.ts';

/** What is known of the disk by the errors of statements. */
export class Disk {
  readonly #clock: Clock;
  #fullUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  note(error: unknown): void {
    if (isDiskFull(error)) this.#fullUntilMs = this.#clock.monotonicMs() + bounds.store.diskFullKnownMs;
  }

  get isFull(): boolean {
    return this.#clock.monotonicMs() < this.#fullUntilMs;
  }
}

/**
 * An error explained by a full disk, if it is one. A PostgreSQL that cannot write ends statements, sessions or itself,
 * and its clients learn only that nothing answers: then the disk is checked.
 */
export async function explainFullDisk(dataDir: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'unavailable') return error;
  if (!isDiskFull(error) && !(await isFolderFull(dataDir))) return error;
  const sentence = `The disk of the data folder ${dataDir} is full.`;
  return new Failure('data_folder', sentence, 'Free at least 200 MB on it, then start again.', error);
}

/** Whether the disk of the folder has too little space for PostgreSQL to continue. */
export async function isFolderFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < bounds.store.diskSpareBytes;
  } catch {
    // A folder that cannot be read says nothing about its disk.
    return false;
  }
}
