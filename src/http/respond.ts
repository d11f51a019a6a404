// Turns what an operation returned, or the Problem it threw, into a response: envelope, media type and the headers that
// every response carries (contract 2).
import type { RateState } from '../access/rate-limit.ts';
import { type Problem, problemCodes } from '../base/problem.ts';
import type { Answer } from '../operations/operation.ts';
import type { HttpSettings } from './service.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = 'application/json; charset=utf-8';
const problemJson = 'application/problem+json; charset=utf-8';

export function answerReply(answer: Answer, status: number, requestId: string): Reply {
  const body =
    'document' in answer
      ? { ...answer.document, 'x-request-id': requestId }
      : { data: answer.data, request_id: requestId };
  return { status, headers: { 'Content-Type': json }, body: JSON.stringify(body) };
}

/** Where a code is explained; the `type` of every problem points there. */
export function problemAddress(origin: string, code: string): string {
  return `${origin}/docs/errors/#${code}`;
}

export function problemReply(problem: Problem, origin: string, requestId: string): Reply {
  const { status, title } = problemCodes[problem.code];
  const body = {
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
  return { status, headers: { 'Content-Type': problemJson, ...problem.headers }, body: JSON.stringify(body) };
}

/** The headers of every response, on whatever path. */
export function pageHeaders(requestId: string): Record<string, string> {
  return { 'Svc-Request-Id': requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
}

/** The headers of every response below /rest/v1, errors and unknown paths included. */
export function standardHeaders(
  requestId: string,
  { policy, remaining, resetSeconds }: RateState,
  { deprecation }: Pick<HttpSettings, 'deprecation'>,
): Record<string, string> {
  return {
    ...pageHeaders(requestId),
    'RateLimit-Policy': `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`,
    RateLimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
    ...(deprecation === undefined
      ? {}
      : {
          // RFC 9745 wants a structured date, RFC 8594 an HTTP date.
          Deprecation: `@${Math.floor(deprecation.since.getTime() / 1_000)}`,
          Sunset: deprecation.sunset.toUTCString(),
        }),
  };
}
