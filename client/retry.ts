// When a call that failed is sent again, and after how long. Nothing here sends anything: these are the rules alone.
import {
  OrreryAnswerError,
  type OrreryError,
  OrreryNetworkError,
  OrreryProblem,
  OrreryTimeoutError,
} from './errors.ts';
import type { Repetition } from './operations.ts';

/** The first pause, which doubles from try to try up to the longest. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/** What is known of a call: how it may be repeated, and whether it holds for one version of a record only. */
export interface Repeatable {
  readonly repetition: Repetition | 'never';
  readonly isConditional: boolean;
}

/** Whether the same request, sent once more, can only do good. */
export function mayRepeat(error: OrreryError, { repetition, isConditional }: Repeatable): boolean {
  if (repetition === 'never') return false;
  if (isInProgress(error)) return repetition === 'keyed';
  if (!isTransient(error)) return false;
  // The first one may have been done: then the version is another one now, and the second would be refused for it.
  return repetition !== 'same' || !isConditional || !isDoubtful(error);
}

/** The first request with this key is still being worked on; its answer is there when it is done. */
export function isInProgress(error: OrreryError): boolean {
  return error instanceof OrreryProblem && error.reason === 'idempotency_in_progress';
}

/** Whether the request may have been done although it failed. */
export function isDoubtful(error: OrreryError): boolean {
  return !(error instanceof OrreryProblem && (error.code === 'rate_limited' || error.reason === 'overloaded'));
}

function isTransient(error: OrreryError): boolean {
  if (error instanceof OrreryNetworkError || error instanceof OrreryTimeoutError) return true;
  const passing = [429, 503, 504];
  if (error instanceof OrreryProblem) return passing.includes(error.status);
  // A proxy in front of a service that is away answers 502.
  return error instanceof OrreryAnswerError && [...passing, 502].includes(error.status);
}

/** The pause before the next try: what the service asks for, or one that grows; never quite the same for two clients. */
export function pauseMs(error: OrreryError, attempts: number, random: () => number): number {
  const asked =
    error instanceof OrreryProblem || error instanceof OrreryAnswerError ? error.retryAfterSeconds : undefined;
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 10));
  const spread = 0.5 + random() / 2;
  return asked === undefined ? grown * spread : asked * 1_000 + firstPauseMs * spread;
}

/** `Retry-After` in seconds: a number, or a date that is held against the answer's own (RFC 9110, 10.2.3). */
export function parseRetryAfter(text: string | null, date: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text);
  // The form of dates in headers; what else `parse` takes is up to the platform, and can be a mere number.
  const untilMs = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(untilMs)) return undefined;
  const sentMs = date === null ? Number.NaN : Date.parse(date);
  return Math.max(0, Math.ceil((untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs)) / 1_000));
}
