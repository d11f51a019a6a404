// What PostgreSQL or the way to it reports, as a Problem. The closed list of states we expect stands here; anything else
// is a fault of ours, logged in full and answered as internal_error. No text of PostgreSQL ever reaches a client.
import { Failure } from '../base/failure.ts';
import { Problem } from '../base/problem.ts';

/** PostgreSQL is starting, stopping, out of connections or out of room; the write did not happen. */
const unavailableStates = new Set(['57P01', '57P02', '57P03', '53300', '53100', '53200', '25006', '55P03']);
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
  // A Failure here is the embedded engine's: it could not be started again.
  if (error instanceof Failure || isUnreachable(error) || unavailableStates.has(code ?? '')) return unavailable(error);
  return error;
}

/** Whether the connection itself failed, so that nothing is known of the statement but that it was not answered. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  if (code !== undefined) return unreachableCodes.has(code) || code.startsWith('08') || code === '57P03';
  return /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered)/.test(
    error.message,
  );
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function unavailable(cause: Error): Problem {
  return new Problem('unavailable', 'storage_unavailable', 'The database cannot be reached right now. Try again.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}
