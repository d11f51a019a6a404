// The console's client of the public API. What it can do, any program can do with the same grants.
import { createClient, OrreryProblem } from '../../client/main.ts';
import { Refused } from '../app/auth.ts';
import { bearer, expire } from '../app/session.ts';
import { texts } from '../text/texts.ts';

export const api = createClient({ url: location.origin, key: bearer, attempts: 3, deadlineMs: 60_000 });

/** Whether the session is over. The page then asks to sign in again, and stays as it is. */
export function isSessionOver(error: unknown): boolean {
  if (error instanceof Refused) return error.reason === 'session_ended';
  if (!(error instanceof OrreryProblem) || error.code !== 'unauthenticated') return false;
  expire(texts.sessionEnded);
  return true;
}

/** The message of a failure, in the problem's own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof OrreryProblem ? error.requestId : undefined;
}
