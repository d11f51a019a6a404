// The closed table of problems against contract 8. The expectations are written out from the contract.
import { expect, test } from 'vitest';
import { type Fault, overloaded, Problem, type ProblemCode, problemCodes, problemOf } from './problem.ts';

/** code | status | reasons that the contract names */
const contractTable = `
  invalid_request | 400 | malformed_json unknown_parameter repeated_parameter unknown_member invalid_member
    invalid_parameter limit_out_of_range invalid_cursor unknown_property unknown_association operator_not_supported
    not_sortable not_groupable invalid_value filter_too_deep filter_too_large body_required invalid_header
  unauthenticated | 401 | key_missing key_malformed key_unknown key_revoked key_expired
  forbidden | 403 | operation_not_granted type_is_synced type_is_generated type_is_read_only
  not_found | 404 | route_unknown object_type_unknown record_unknown association_type_unknown target_unknown
  method_not_allowed | 405 |
  not_acceptable | 406 |
  conflict | 409 | unique_value_taken multiple_matches stage_in_use idempotency_in_progress
  gone | 410 | cursor_expired
  precondition_failed | 412 | version_mismatch already_exists
  payload_too_large | 413 | body_too_large too_many_operations
  unsupported_media_type | 415 |
  validation_failed | 422 | wrong_shape unknown_property read_only_property required_missing unknown_option too_long
    too_many_values idempotency_key_reused unknown_ref
  rate_limited | 429 | org_limit anonymous_limit
  internal_error | 500 |
  unavailable | 503 | storage_unavailable shutting_down overloaded
  timeout | 504 | statement_timeout`;

const rows = contractTable
  .trim()
  .split(/\n(?=.*\|)/)
  .map((line) => {
    const [code = '', status = '', reasons = ''] = line.split('|').map((cell) => cell.trim());
    return { code: code as ProblemCode, status: Number(status), reasons: reasons.split(/\s+/).filter(Boolean) };
  });

test('the codes are exactly those of the contract', () => {
  expect(Object.keys(problemCodes)).toEqual(rows.map((row) => row.code));
});

test.each(rows)('$code is answered with $status and has its reasons', ({ code, status, reasons }) => {
  expect(new Problem(code, undefined, 'Words.').status).toBe(status);
  expect(problemCodes[code].title).toMatch(/^[A-Z].*[^.]$/);
  // The list of reasons is open, so it may contain more than the contract names, but each only once.
  const known: readonly string[] = problemCodes[code].reasons;
  expect(known).toEqual(expect.arrayContaining(reasons));
  expect(new Set(known).size).toBe(known.length);
});

test('a problem is an error that keeps its facts', () => {
  const cause = new Error('inner');
  const problem = new Problem('conflict', 'unique_value_taken', 'Taken.', {
    conflict: { objectType: 'svc_contact', property: 'svc_email' },
    headers: { 'Retry-After': '1' },
    cause,
  });
  expect(problem).toBeInstanceOf(Error);
  expect(problem).toMatchObject({ message: 'Taken.', code: 'conflict', reason: 'unique_value_taken', cause });
  expect(problem.conflict).toEqual({ objectType: 'svc_contact', property: 'svc_email' });
  expect(problem.headers).toEqual({ 'Retry-After': '1' });
  expect(problem.errors).toBeUndefined();
  const bare = new Problem('timeout', undefined, 'Late.');
  expect(bare.headers).toEqual({});
  expect('cause' in bare).toBe(false);
});

function faults(count: number): readonly Fault[] {
  return Array.from({ length: count }, (_, index) => ({
    pointer: `/properties/p${index}`,
    reason: index === 0 ? ('too_long' as const) : ('wrong_shape' as const),
    detail: `Fault ${index}.`,
  }));
}

test('the problem of a single fault has its text', () => {
  const problem = problemOf('validation_failed', faults(1));
  expect(problem).toMatchObject({ code: 'validation_failed', reason: 'too_long', message: 'Fault 0.', status: 422 });
  expect(problem.errors).toEqual(faults(1));
});

test('the first of several faults gives the reason, and the text says how many there are', () => {
  const problem = problemOf('invalid_request', faults(3));
  expect(problem).toMatchObject({ code: 'invalid_request', reason: 'too_long', status: 400 });
  expect(problem.message).toMatch(/^Fault 0\. .*3 errors/);
  expect(problem.errors).toEqual(faults(3));
});

test('no more than 500 faults are listed, but all are counted', () => {
  expect(problemOf('validation_failed', faults(500)).errors).toHaveLength(500);
  const problem = problemOf('validation_failed', faults(1_234));
  expect(problem.errors).toEqual(faults(500));
  expect(problem.message).toContain('1234');
});

test('only an error of the service tells where it was thrown', () => {
  const linesOf = (problem: Problem) => problem.stack?.split('\n').length;
  expect(linesOf(new Problem('not_found', undefined, 'Words.'))).toBe(1);
  expect(linesOf(overloaded('Words.'))).toBe(1);
  expect(linesOf(new Problem('internal_error', undefined, 'Words.'))).toBeGreaterThan(1);
  expect(linesOf(new Problem('unavailable', 'storage_unavailable', 'Words.'))).toBeGreaterThan(1);
});
