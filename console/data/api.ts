// The console's client of the public API. What it can do, any program can do with the same grants.
import { createClient, OrreryProblem } from '../../client/main.ts';
import { Refused } from '../app/auth.ts';
import { bearer, expire } from '../app/session.ts';

export const api = createClient({ url: location.origin, key: bearer, attempts: 3, deadlineMs: 60_000, fetch: send });

/** A bearer that is refused ends the session: the page then asks to sign in again, and stays as it is. */
async function send(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  const [, refused] = /^Bearer (.+)$/.exec(new Headers(init.headers).get('Authorization') ?? '') ?? [];
  if (answer.status === 401 && refused !== undefined) expire(refused);
  return answer;
}

export function isSessionOver(error: unknown): boolean {
  if (error instanceof Refused) return error.reason === 'session_ended';
  return error instanceof OrreryProblem && error.code === 'unauthenticated';
}

/** The message of a failure, in the problem's own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof OrreryProblem ? error.requestId : undefined;
}
