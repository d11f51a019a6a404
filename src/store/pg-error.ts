// Errors of PostgreSQL and of the connection to it, as Problems. This is the closed list of expected states; anything
// else is our own error, logged in full and answered as internal_error. No text of PostgreSQL ever reaches a client.
import pg from 'pg';
import { bounds, limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';

/** PostgreSQL is out of connections or memory, or a lock timed out; nothing was written. */
const unavailableStates = new Set(['53300', '53200', '55P03']);
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
  if (code === '53400') {
    const detail =
      'The request needs more temporary space than the database allows (temp_file_limit). Ask for less at once: narrow the filter, or group by fewer keys.';
    return new Problem('timeout', 'temporary_space_exceeded', detail, { cause: error });
  }
  if (isDiskFull(error)) return diskFull(error);
  const isAway = isUnreachable(error) || isWorkerAway(error);
  if (isAway || isRolledBack(error) || isReadOnly(error) || unavailableStates.has(code ?? '')) {
    return unavailable(error);
  }
  return error;
}

/** PostgreSQL's and the system's codes for a disk on which a file cannot grow. */
const diskFullCodes = new Set(['53100', 'ENOSPC', 'EDQUOT']);

/**
 * Whether the disk of the database is full, by its code or in the words of the system: where PostgreSQL cannot continue its
 * log, it ends with another code.
 */
export function isDiskFull(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  return diskFullCodes.has(errorCode(cause) ?? '') || /No space left on device|Disk quota exceeded/.test(cause.message);
}

/** Nothing was written; reading usually works. */
function diskFull(cause: unknown): Problem {
  const detail =
    'The disk of the database is full: nothing can be written until its operator frees space. Try again later.';
  return new Problem('unavailable', 'storage_unavailable', detail, {
    cause,
    headers: { 'Retry-After': String(bounds.store.diskRetrySeconds) },
  });
}

/** Errors that the first server of a cluster has answered. */
const ofClusters = new WeakSet<Error>();

/** Notes that an error comes from a connection to a database whose tables are distributed. */
export function notedOfCluster<E>(error: E): E {
  if (error instanceof pg.DatabaseError) ofClusters.add(error);
  return error;
}

/**
 * The first server of a cluster answers that it cannot reach another one, which has the rows: our connection is well. From any
 * other database, where it comes from a pooler, the same code says that ours has ended.
 */
function isWorkerAway(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    ofClusters.has(error) &&
    error.severity === 'ERROR' &&
    error.code?.startsWith('08') === true
  );
}

/** The server neither answers nor refuses. */
export class NoAnswer extends Error {
  constructor() {
    super('The database did not answer in time.');
  }
}

/** Whether the connection itself failed: nothing is known of the statement except that it was not answered. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || isWorkerAway(error)) return false;
  if (error instanceof NoAnswer) return true;
  const code = errorCode(error);
  if (code !== undefined) return unreachableCodes.has(code) || code.startsWith('08') || isSessionEnded(error);
  return /^(Connection terminated|timeout expired|Query read timeout|Client has encountered)/.test(error.message);
}

const readOnly = '25006';

/** The server takes no writes: it is a standby, on which some tables cannot be read either, or its operator has said so. */
export function isReadOnly(error: unknown): boolean {
  const code = errorCode(error);
  return code === readOnly || (code === '0A000' && /during recovery$/.test(String((error as Error).message)));
}

/** PostgreSQL answers that it ends the session, or does not begin one now. */
export function isSessionEnded(error: unknown): boolean {
  return errorCode(error)?.startsWith('57P') === true;
}

/**
 * A serialization failure or a deadlock, or a restore replaced what the statement was about to use: the transaction was
 * rolled back, and may succeed when it is run again.
 */
export function isRolledBack(error: unknown): boolean {
  const code = errorCode(error);
  return code === '40001' || code === '40P01' || (code === 'XX000' && isReplaced(String((error as Error).message)));
}

/** A table or function was dropped between planning a statement and running it; PostgreSQL has no code for that. */
function isReplaced(message: string): boolean {
  return /^(could not open relation with OID|cache lookup failed for)/.test(message);
}

/**
 * Another transaction has meanwhile taken a unique value, or made the link or the record of an external id. A cluster tells neither
 * table nor constraint but in the message, and appends the number of a shard to the name.
 */
export function isMadeMeanwhile(error: unknown): boolean {
  if (errorCode(error) !== '23505') return false;
  const { table, message } = error as { readonly table?: string; readonly message: string };
  const name = table ?? /"([^"]*)_pkey_[0-9]+"/.exec(message)?.[1] ?? '';
  return /^(unique_value|association|external_id)/.test(name);
}

/** PostgreSQL ended the statement because it took too long; its transaction was rolled back. */
export function isTimedOut(error: unknown): boolean {
  return error instanceof Problem && error.reason === 'statement_timeout';
}

/** A lock timed out. */
export function isLockMissed(error: unknown): boolean {
  return errorCode(error instanceof Problem ? error.cause : error) === '55P03';
}

/** Every connection was in use for the whole time that a request may wait for one. */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect');
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whatever prevents a connection, as a Problem. Even a changed password is not the fault of a statement. */
export function toConnectionProblem(error: unknown): Problem {
  return isDiskFull(error) ? diskFull(error) : unavailable(error);
}

export function unavailable(cause?: unknown): Problem {
  return new Problem('unavailable', 'storage_unavailable', 'The database cannot be reached right now. Try again.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}
