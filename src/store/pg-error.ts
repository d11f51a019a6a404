// What PostgreSQL or the way to it reports, as a Problem. The closed list of states we expect stands here; anything else
// is a fault of ours, logged in full and answered as internal_error. No text of PostgreSQL ever reaches a client.
import { limits } from '../base/limits.ts';
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
    const seconds = limits.statementSeconds;
    return new Problem(
      'timeout',
      'statement_timeout',
      `The database ended the statement after ${seconds} seconds. Ask for less at once.`,
      {
        cause: error,
      },
    );
  }
  if (isUnreachable(error) || isRolledBack(error) || unavailableStates.has(code ?? '')) return unavailable(error);
  return error;
}

/** Whether the connection itself failed, so that nothing is known of the statement but that it was not answered. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  // With a state of 57P.. PostgreSQL ends the session, or does not begin one.
  if (code !== undefined) return unreachableCodes.has(code) || /^(08|57P)/.test(code);
  return /^(Connection terminated|timeout expired|Query read timeout|Client has encountered)/.test(error.message);
}

/**
 * A serialization failure or a deadlock, or a restore replaced what the statement was about to use: the transaction was
 * rolled back, and may succeed when it is run again.
 */
export function isRolledBack(error: unknown): boolean {
  const code = errorCode(error);
  return code === '40001' || code === '40P01' || (code === 'XX000' && isReplaced(String((error as Error).message)));
}

/** A table or a function that went between the planning of a statement and its run; PostgreSQL has no code for it. */
function isReplaced(message: string): boolean {
  return /^(could not open relation with OID|cache lookup failed for)/.test(message);
}

/**
 * A unique value was taken, or a link or the record of an external id made, by another transaction in the meantime. A
 * cluster puts the number of a shard behind the name of a table.
 */
export function isMadeMeanwhile(error: unknown): boolean {
  const table = errorCode(error) === '23505' ? String((error as { table?: unknown }).table) : '';
  return /^(unique_value|association|external_id)/.test(table);
}

/** A lock was not to be had in the time that the transaction had set itself. */
export function isLockMissed(error: unknown): boolean {
  return errorCode(error instanceof Problem ? error.cause : error) === '55P03';
}

/** Every connection was in use for as long as a request may wait for one. */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect');
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
