// The JSON of a Problem (contract 8): the whole answer to a request, or the problem of one item of a batch.
import { type Conflict, type Problem, problemCodes } from '../../base/problem.ts';

/** The address that explains a code: the `type` of every problem. */
function problemAddress(origin: string, code: string): string {
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
    conflict: problem.conflict && conflictBody(problem.conflict),
  };
}

function conflictBody({ objectType, property, existingId }: Conflict) {
  return {
    object_type: objectType,
    ...(property === undefined ? {} : { property }),
    ...(existingId === undefined ? {} : { existing_id: existingId }),
  };
}
