// A Problem as it is written (contract 8): the whole answer of a request, or the problem of one item of a batch.
import { type Problem, problemCodes } from '../../base/problem.ts';

/** Where a code is explained; the `type` of every problem points there. */
export function problemAddress(origin: string, code: string): string {
  return `${origin}/docs/errors/#${code}`;
}

export function problemBody(problem: Problem, origin: string, requestId: string) {
  const { status, title } = problemCodes[problem.code];
  return {
    type: problemAddress(origin, problem.code),
    title,
    status,
    detail: problem.message,
    code: problem.code,
    reason: problem.reason,
    request_id: requestId,
    errors: problem.errors,
    conflict: problem.conflict,
  };
}
