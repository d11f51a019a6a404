// Examples of problems: for each code, those that callers meet most. A test provokes every one of them and compares the
// answer word by word.
import { limits, orgPolicyDefault } from '../../base/limits.ts';
import { type Fault, overloaded, Problem, type ProblemCode, problemOf } from '../../base/problem.ts';
import { date } from '../../schema/fields/date.ts';
import { number } from '../../schema/fields/number.ts';
import { exampleIds } from './records.ts';

const { quota, windowSeconds } = orgPolicyDefault;
const leadScores = ['cold', 'warm', 'hot'];

/** What happened, and the problem in the answer. */
export const problemExamples: readonly (readonly [summary: string, problem: Problem])[] = [
  [
    'Two errors at once: an unknown parameter and a limit out of range',
    invalid(
      {
        parameter: 'page',
        reason: 'unknown_parameter',
        detail: 'This operation has no query parameter "page".',
        allowed: ['properties', 'include', 'limit', 'cursor'],
      },
      {
        parameter: 'limit',
        reason: 'limit_out_of_range',
        detail: `Expected a whole number from 1 to ${limits.pageSize}; got "1000".`,
      },
    ),
  ],
  [
    'A filter names a property that the type does not have',
    invalid({
      pointer: '/filter/property',
      property: 'svc_nmae',
      reason: 'unknown_property',
      detail: 'svc_deal has no property "svc_nmae" that this key can see.',
      nearest: 'svc_name',
    }),
  ],
  [
    'An operator that dates do not have',
    invalid({
      pointer: '/filter/operator',
      reason: 'operator_not_supported',
      detail: `Expected one of ${date.operators.join(', ')}; got the string "contains".`,
      allowed: date.operators,
    }),
  ],
  [
    'The body is incomplete',
    invalid({
      pointer: '',
      reason: 'malformed_json',
      detail: 'The body is not well-formed JSON. The error is at character 16.',
    }),
  ],
  [
    'A text that is not a cursor, or a cursor of another request or key',
    invalid({
      parameter: 'cursor',
      reason: 'invalid_cursor',
      detail: 'This is not a cursor that this operation gave to this key. Start again without a cursor.',
    }),
  ],
  [
    'No key was sent',
    new Problem('unauthenticated', 'key_missing', 'Send your key in the header "Authorization: Bearer <key>".'),
  ],
  [
    'The key is no longer valid',
    new Problem('unauthenticated', 'key_revoked', 'This key was revoked. Use another one.'),
  ],
  [
    'The key can only read',
    new Problem(
      'forbidden',
      'operation_not_granted',
      'This key is not allowed to create records of svc_contact. GET /rest/v1/self/ lists its grants.',
    ),
  ],
  [
    'The records of the type come from a connected system',
    new Problem(
      'forbidden',
      'type_is_synced',
      'svc_meeting is filled from a connected system. No key can create its records.',
    ),
  ],
  [
    'No record with this id that the key can see',
    new Problem(
      'not_found',
      'record_unknown',
      `There is no record "${exampleIds.absent}" of svc_contact that this key can see.`,
    ),
  ],
  [
    'No object type of this name that the key can see',
    new Problem(
      'not_found',
      'object_type_unknown',
      'There is no object type "svc_person" that this key can see. GET /rest/v1/objects/ lists the types that it can see.',
    ),
  ],
  [
    'A path that can only be read',
    new Problem('method_not_allowed', undefined, 'This path supports GET, HEAD, not PUT.'),
  ],
  [
    'A client that accepts only HTML',
    new Problem(
      'not_acceptable',
      undefined,
      'Answers are application/json, which the Accept header excludes. Send "Accept: application/json".',
    ),
  ],
  [
    'Another contact has this address',
    single(
      'conflict',
      {
        pointer: '/properties/svc_email/0',
        property: 'svc_email',
        reason: 'unique_value_taken',
        detail: 'Another record of svc_contact has this svc_email already; no two records can share one.',
      },
      { objectType: 'svc_contact', property: 'svc_email', existingId: exampleIds.contact },
    ),
  ],
  [
    'A stage that a deal is in',
    new Problem(
      'conflict',
      'stage_in_use',
      'Records are in this Deal Pipeline Stage, so it cannot be deleted or merged. Move them to another stage first.',
    ),
  ],
  [
    'The changes after the cursor are no longer kept',
    new Problem(
      'gone',
      'cursor_expired',
      'Changes after this cursor are no longer kept. Load everything again, and continue from the `changes_cursor` of the first page.',
    ),
  ],
  [
    'The record has changed in the meantime',
    new Problem(
      'precondition_failed',
      'version_mismatch',
      'The record has version "2", which If-Match does not list. Read the record again.',
    ),
  ],
  [
    'An upsert that may only create finds a record',
    new Problem(
      'precondition_failed',
      'already_exists',
      'A record with this value already exists, and "If-None-Match: *" never updates one.',
    ),
  ],
  [
    'The body is too large',
    new Problem(
      'payload_too_large',
      'body_too_large',
      `The body is larger than the ${limits.bodyBytes} bytes that this operation accepts. Send less at once.`,
    ),
  ],
  [
    'Too many operations in a batch',
    single('payload_too_large', {
      pointer: '/operations',
      reason: 'too_many_operations',
      detail: `A batch can have at most ${limits.batchOperations} operations; this one has 1200.`,
    }),
  ],
  [
    'A form instead of JSON',
    new Problem(
      'unsupported_media_type',
      undefined,
      'The Content-Type is "application/x-www-form-urlencoded". Send "Content-Type: application/json".',
    ),
  ],
  [
    'A number that is not a string',
    single('validation_failed', {
      pointer: '/properties/svc_employee_count',
      property: 'svc_employee_count',
      reason: 'wrong_shape',
      detail:
        'Expected a numeric string of at most 18 digits before the point and 12 after, such as "12.50"; got a JSON ' +
        'number. Put it in quotes.',
      expected: number.shape,
    }),
  ],
  [
    "A label instead of the option's value",
    single('validation_failed', {
      pointer: '/properties/svc_lead_score',
      property: 'svc_lead_score',
      reason: 'unknown_option',
      detail: 'Expected the value of an option; got the string "Warm". Send the option\'s value "warm", not its label.',
      expected: { type: 'string', enum: leadScores },
      allowed: leadScores,
    }),
  ],
  [
    'A property that only the service sets',
    single('validation_failed', {
      pointer: '/properties/svc_created_at',
      property: 'svc_created_at',
      reason: 'read_only_property',
      detail: 'svc_created_at is read-only. Leave it out.',
    }),
  ],
  [
    'An Idempotency-Key that was used with another body',
    single('validation_failed', {
      parameter: 'Idempotency-Key',
      reason: 'idempotency_key_reused',
      detail: 'This Idempotency-Key was used with another body. A new request needs a new key.',
    }),
  ],
  [
    'The org has used up its quota',
    new Problem(
      'rate_limited',
      'org_limit',
      `The org may spend ${quota} units in ${windowSeconds} seconds, and this request costs 1. ` +
        `Try again in ${windowSeconds} seconds.`,
    ),
  ],
  [
    'An error in the service, explained in its log',
    new Problem(
      'internal_error',
      undefined,
      'The service failed to handle this request. Its log has the cause under this request id.',
    ),
  ],
  [
    'The service is busy or something has just changed: nothing was done',
    overloaded("The org's schema has just changed."),
  ],
  [
    'A query that reads too much',
    new Problem(
      'timeout',
      'statement_timeout',
      `The database ended the statement after ${limits.statementSeconds} seconds. Ask for less at once.`,
    ),
  ],
];

function invalid(...faults: readonly Fault[]): Problem {
  return problemOf('invalid_request', faults);
}

/** A problem with one fault, from which its reason and detail come. */
function single(code: ProblemCode, fault: Fault, conflict?: Problem['conflict']): Problem {
  return new Problem(code, fault.reason, fault.detail, {
    errors: [fault],
    ...(conflict === undefined ? {} : { conflict }),
  });
}
