// What PostgreSQL or the way to it reports, as a Problem. The closed list of states we expect stands here; anything else
// is a fault of ours, logged in full and answered as internal_error. No text of PostgreSQL ever reaches a client.
import { Problem } from '../base/problem.ts';

/** PostgreSQL is out of connections or out of room, takes no writes, or a lock was not to be had; nothing was written. */
const unavailableStates = new Set(['53300', '53100', '53200', '25006', '55P03']);
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function toProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  const code = errorCode(error);
  if (code === '57014') {
    return new Problem('timeout', 'statement_timeout', 'The database ended the statement after 10 seconds.', {
      cause: error,
    });
  }
  if (isUnreachable(error) || unavailableStates.has(code ?? '')) return unavailable(error);
  return error;
}

/** Whether the connection itself failed, so that nothing is known of the statement but that it was not answered. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  // With a state of 57P.. PostgreSQL ends the session, or does not begin one.
  if (code !== undefined) return unreachableCodes.has(code) || /^(08|57P)/.test(code);
  return /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered)/.test(
    error.message,
  );
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', 'storage_unavailable', 'The database cannot be reached right now. Try again.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}
