// Errors of requests, as one closed table (contract 8): code → status and title, with the reasons known today. The
// OpenAPI document is printed from this table. Clients may meet new reasons, but not new codes.

import type { JsonSchema } from './json.ts';
import { bounds } from './limits.ts';

export const problemCodes = {
  invalid_request: {
    status: 400,
    title: 'The request is malformed',
    reasons: [
      'malformed_json',
      'unknown_parameter',
      'repeated_parameter',
      'unknown_member',
      'invalid_member',
      'invalid_parameter',
      'limit_out_of_range',
      'invalid_cursor',
      'unknown_property',
      'unknown_association',
      'operator_not_supported',
      'not_sortable',
      'not_groupable',
      'invalid_value',
      'too_deep',
      'filter_too_deep',
      'filter_too_large',
      'too_many_combinations',
      'body_required',
      'body_not_taken',
      'invalid_header',
      'malformed_http',
      'request_too_slow',
    ],
  },
  unauthenticated: {
    status: 401,
    title: 'A valid key is required',
    reasons: [
      'key_missing',
      'key_malformed',
      'key_unknown',
      'key_revoked',
      'key_expired',
      'session_ended',
      'sign_in_refused',
    ],
  },
  forbidden: {
    status: 403,
    title: 'This is not allowed',
    reasons: [
      'operation_not_granted',
      'type_is_synced',
      'type_is_generated',
      'type_is_read_only',
      'storage_quota',
      'built_in',
      'grant_exceeds_caller',
      'foreign_origin',
    ],
  },
  not_found: {
    status: 404,
    title: 'Not found',
    reasons: ['route_unknown', 'object_type_unknown', 'record_unknown', 'association_type_unknown', 'target_unknown'],
  },
  method_not_allowed: { status: 405, title: 'The path does not support this method', reasons: [] },
  not_acceptable: { status: 406, title: 'No acceptable response format', reasons: [] },
  conflict: {
    status: 409,
    title: 'The request conflicts with stored data',
    reasons: [
      'unique_value_taken',
      'multiple_matches',
      'stage_in_use',
      'idempotency_in_progress',
      'type_in_use',
      'option_in_use',
      'values_missing',
      'role_in_use',
      'last_administrator',
      'key_revoked',
    ],
  },
  gone: { status: 410, title: 'No longer available', reasons: ['cursor_expired'] },
  precondition_failed: {
    status: 412,
    title: 'A precondition does not hold',
    reasons: ['version_mismatch', 'already_exists'],
  },
  payload_too_large: {
    status: 413,
    title: 'The request is too large',
    reasons: [
      'body_too_large',
      'too_many_operations',
      'body_values',
      'too_many_blanks',
      'too_many_members',
      'too_many_chunks',
    ],
  },
  unsupported_media_type: { status: 415, title: 'The body is not JSON', reasons: [] },
  validation_failed: {
    status: 422,
    title: 'A value does not fit its property',
    reasons: [
      'wrong_shape',
      'unknown_property',
      'read_only_property',
      'required_missing',
      'unknown_option',
      'too_long',
      'too_many_values',
      'idempotency_key_reused',
      'unknown_ref',
      'fixed_property',
      'unknown_object_type',
    ],
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    reasons: ['org_limit', 'anonymous_limit', 'too_many_failures'],
  },
  internal_error: { status: 500, title: 'Internal error', reasons: [] },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    reasons: ['storage_unavailable', 'shutting_down', 'overloaded'],
  },
  timeout: {
    status: 504,
    title: 'The request took too long',
    reasons: ['statement_timeout', 'temporary_space_exceeded'],
  },
} as const satisfies Record<string, { status: number; title: string; reasons: readonly string[] }>;

export type ProblemCode = keyof typeof problemCodes;
export type Reason = (typeof problemCodes)[ProblemCode]['reasons'][number];

/** One error of a request: at a place of its body (`pointer`), or in a parameter or header (`parameter`). */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly property?: string;
  readonly reason: Reason;
  readonly detail: string;
  readonly expected?: JsonSchema;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/** Which unique value or external id is taken, and by which record, if the caller can see it. */
export interface Conflict {
  readonly objectType: string;
  /** Undefined if it is an external id, which is no value of a property. */
  readonly property?: string;
  readonly existingId?: string;
}

interface ProblemFacts {
  readonly errors?: readonly Fault[];
  readonly conflict?: Conflict;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly reason: Reason | undefined;
  readonly errors: readonly Fault[] | undefined;
  readonly conflict: Conflict | undefined;
  /** Header fields of the response, such as `Allow` and `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, reason: Reason | undefined, detail: string, facts: ProblemFacts = {}) {
    // Where a refusal was thrown says nothing, and there may be thousands: they must cost little.
    const { stackTraceLimit } = Error;
    if (problemCodes[code].status < 500 || reason === 'overloaded') Error.stackTraceLimit = 0;
    super(detail, facts.cause === undefined ? undefined : { cause: facts.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.reason = reason;
    this.errors = facts.errors;
    this.conflict = facts.conflict;
    this.headers = facts.headers ?? {};
  }

  get status(): number {
    return problemCodes[this.code].status;
  }

  /** Whether the cause lies in the request; otherwise it lies in the service. */
  get isRefusal(): boolean {
    return this.status < 500;
  }
}

/** Too many requests at the moment, or something is just changing. Nothing was done; usually it works a second later. */
export function overloaded(detail: string, retryAfterSeconds = 1): Problem {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new Problem('unavailable', 'overloaded', `${detail} Try again.`, { headers });
}

/** A restore, a failover or a crash came in between: what was read before may not hold any more. */
export function databaseReplaced(): Problem {
  return overloaded('The database was restored or restarted meanwhile.');
}

/** Too late for this process. Nothing was done; another process answers, or this one after its restart. */
export function shuttingDown(): Problem {
  const detail = 'This process is stopping. Try again.';
  return new Problem('unavailable', 'shutting_down', detail, { headers: { 'Retry-After': '1' } });
}

/**
 * The refusal of one item of many, which does not stop the others. An error of the service is rethrown: it concerns all
 * of them, and nothing is known about the items after it.
 */
export function refusalOf(error: unknown): Problem {
  if (error instanceof Problem && error.isRefusal) return error;
  throw error;
}

/** All errors of one request as one Problem: the first one gives the reason, and the list has at most `most` of them. */
export function problemOf(
  code: 'invalid_request' | 'validation_failed',
  faults: readonly Fault[],
  most: number = bounds.base.faultsReported,
): Problem {
  const [first] = faults;
  const atLeast = faults.length < most ? '' : 'At least ';
  const detail =
    faults.length === 1
      ? (first?.detail ?? '')
      : `${first?.detail ?? ''} (${atLeast}${faults.length} errors in total: see errors.)`;
  return new Problem(code, first?.reason, detail, { errors: faults.slice(0, most) });
}
