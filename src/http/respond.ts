// Turns the answer of an operation, or the Problem it threw, into a response: envelope, media type and the headers of
// every response (contract 2).
import type { RateState } from '../access/rate-limit.ts';
import { JsonText } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Answer, DocumentAnswer } from '../operations/operation.ts';
import { problemBody } from '../operations/shared/problem-body.ts';
import type { HttpSettings } from './context.ts';
import type { Log } from './log.ts';
import { isKnown } from './sending/content-coding.ts';
import type { Body } from './sending/pieces.ts';
import type { Reply } from './sending/reply.ts';

const json = 'application/json; charset=utf-8';
const problemJson = 'application/problem+json; charset=utf-8';

/** `known` is what the client has already: only documents have tags that it can name. */
export function answerReply(answer: Answer, status: number, requestId: string, known?: string): Reply {
  if ('document' in answer) return documentReply(answer, status, requestId, known);
  const sent = answer.once ?? answer.data;
  const data = sent instanceof JsonText ? sent : new JsonText(JSON.stringify(sent));
  const pagination = answer.pagination === undefined ? '' : `,"pagination":${JSON.stringify(answer.pagination)}`;
  const dryRun = answer.dryRun === true ? ',"dry_run":true' : '';
  return {
    status: answer.status ?? status,
    headers: { 'Content-Type': json, ...answer.headers },
    body: enveloped(data, `${pagination}${dryRun},"request_id":"${requestId}"}`),
  };
}

function documentReply(
  { document, tag }: DocumentAnswer,
  status: number,
  requestId: string,
  known: string | undefined,
): Reply {
  // A cache must be told the same as with the 200 that the 304 stands for (RFC 9110, 15.4.5).
  const same = { ...(tag && { ETag: tag }), Vary: 'Accept-Encoding' };
  if (tag !== undefined && isKnown(known, tag)) return { status: 304, headers: same, body: '' };
  const body = [document.slice(0, -1), `,"x-request-id":"${requestId}"}`];
  return { status, headers: { 'Content-Type': json, ...same }, body, isKept: true };
}

/** A long answer stays in parts: joined, it would be in memory twice. */
function enveloped(data: JsonText, rest: string): Body {
  return data.length > bounds.http.pieceBytes ? ['{"data":', ...data.parts, rest] : `{"data":${data.text}${rest}`;
}

export function problemReply(problem: Problem, origin: string, requestId: string): Reply & { readonly body: string } {
  return {
    status: problem.status,
    headers: { 'Content-Type': problemJson, ...challengeOf(problem), ...problem.headers },
    body: JSON.stringify(problemBody(problem, origin, requestId)),
    refusal: problem,
  };
}

/** RFC 6750: no error attribute when no credentials were sent. */
function challengeOf({ code, reason }: Problem): Readonly<Record<string, string>> | undefined {
  if (code !== 'unauthenticated') return undefined;
  const error = reason === 'key_missing' ? '' : ', error="invalid_token"';
  return { 'WWW-Authenticate': `Bearer realm="orrery"${error}` };
}

/** The headers of every response, on any path. */
export function pageHeaders(requestId: string): Record<string, string> {
  return { 'Svc-Request-Id': requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
}

/** The headers of every response below /rest/v1, including errors and unknown paths. */
export function standardHeaders(
  requestId: string,
  { policy, remaining, resetSeconds }: RateState,
  { deprecation }: Pick<HttpSettings, 'deprecation'>,
): Record<string, string> {
  const headers = pageHeaders(requestId);
  headers['RateLimit-Policy'] = `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`;
  headers['RateLimit'] = `"${policy.name}";r=${remaining};t=${resetSeconds}`;
  if (deprecation !== undefined) {
    // RFC 9745 requires a structured date, RFC 8594 an HTTP date.
    headers['Deprecation'] = `@${Math.floor(deprecation.since.getTime() / 1_000)}`;
    headers['Sunset'] = deprecation.sunset.toUTCString();
  }
  return headers;
}

/** The problem that an error is answered with. One of the service is in the log. */
export function problemFor(log: Log, requestId: string, error: unknown): Problem {
  if (error instanceof Problem) {
    if (error.reason === 'overloaded' || error.reason === 'shutting_down') {
      log.warn({ request_id: requestId, detail: error.message }, 'request refused');
    } else if (error.status >= 500) {
      log.warn({ request_id: requestId, err: error }, 'request failed');
    }
    return error;
  }
  log.error({ request_id: requestId, err: error }, 'request failed');
  return new Problem(
    'internal_error',
    undefined,
    'The service failed to handle this request. Its log has the cause under this request id.',
  );
}
