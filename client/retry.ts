// The rules for sending a failed call again, and for the pause before it. This file sends nothing itself.
import {
  OrreryAnswerError,
  type OrreryError,
  OrreryNetworkError,
  OrreryProblem,
  OrreryTimeoutError,
} from './errors.ts';
import type { Repetition } from './operations.ts';

/** The first pause. It doubles with each attempt, up to the longest. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/** How a call may be repeated, and whether it requires a version of the record. */
export interface Repeatable {
  readonly repetition: Repetition | 'never';
  readonly isConditional: boolean;
}

/** Whether it is safe and useful to send the same request again. */
export function mayRepeat(error: OrreryError, { repetition, isConditional }: Repeatable): boolean {
  if (repetition === 'never') return false;
  if (isInProgress(error)) return repetition === 'keyed';
  if (!isTransient(error)) return false;
  // The first request may have succeeded and changed the version, and the second would then be refused.
  return repetition !== 'same' || !isConditional || !isDoubtful(error);
}

/** Whether the first request with this key is still running; its answer will be available when it has finished. */
export function isInProgress(error: OrreryError): boolean {
  return error instanceof OrreryProblem && error.reason === 'idempotency_in_progress';
}

/** Whether the request may have taken effect although it failed. */
export function isDoubtful(error: OrreryError): boolean {
  return !(error instanceof OrreryProblem && (error.code === 'rate_limited' || error.reason === 'overloaded'));
}

function isTransient(error: OrreryError): boolean {
  if (error instanceof OrreryNetworkError || error instanceof OrreryTimeoutError) return true;
  const passing = [429, 503, 504];
  // A query that fills the temporary space of the database would fill it again.
  if (error instanceof OrreryProblem)
    return passing.includes(error.status) && error.reason !== 'temporary_space_exceeded';
  // A proxy in front of a service that is down answers 502.
  return error instanceof OrreryAnswerError && [...passing, 502].includes(error.status);
}

/** The pause before the next attempt: the one that the service asks for, or a growing one, with random jitter. */
export function pauseMs(error: OrreryError, attempts: number, random: () => number): number {
  const asked =
    error instanceof OrreryProblem || error instanceof OrreryAnswerError ? error.retryAfterSeconds : undefined;
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 10));
  const spread = 0.5 + random() / 2;
  return asked === undefined ? grown * spread : asked * 1_000 + firstPauseMs * spread;
}

/** `Retry-After` in seconds: a number, or a date relative to the date of the answer (RFC 9110, 10.2.3). */
export function parseRetryAfter(text: string | null, date: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text);
  // Only the date format of headers: `parse` accepts other forms depending on the platform, even a plain number.
  const untilMs = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(untilMs)) return undefined;
  const sentMs = date === null ? Number.NaN : Date.parse(date);
  return Math.max(0, Math.ceil((untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs)) / 1_000));
}
