// What is asked once more of work that has waited for its place.
import { sleep } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded, type Problem } from '../../base/problem.ts';
import type { Bytes } from './bytes.ts';

/**
 * While it waited, answers may have become ready that nobody reads: it must not add another one. One refusal leads to the
 * next, so there is a pause after each: a hundred of them in one piece would delay everybody.
 */
export async function admitLate(bytes: Pick<Bytes, 'admit'>, orgId: number, isAbandoned: () => boolean): Promise<void> {
  try {
    bytes.admit(orgId);
    if (isAbandoned()) throw abandoned();
  } catch (error) {
    await sleep(bounds.shares.refusalPauseMs);
    throw error;
  }
}

/** Nobody gets it, but the log has it. */
export function abandoned(): Problem {
  return overloaded('The client closed the connection while its request waited.');
}
