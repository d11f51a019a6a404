// The log: JSON lines, with errors in full except for the stored values that PostgreSQL quotes in them.
import pino, { type DestinationStream, type Logger } from 'pino';
import { isoText, systemClock } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';
import type { Problem } from '../base/problem.ts';

/** The members of a PostgreSQL error that quote rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

/** A pino logger with one method more. */
export interface Log extends Logger {
  request(facts: RequestFacts): void;
}

/** Why a request was refused: words of the table of problems alone, because texts, names and values come from the client. */
export type Refusal = Pick<Problem, 'code' | 'reason'> & Partial<Pick<Problem, 'errors'>>;

/** The logged facts of a request. Neither path nor query is one of them: a client may have put its key into them. */
interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly orgId: number | undefined;
  readonly credentialId: string | undefined;
  readonly address: string;
  /** Undefined if the request was answered as it asked. */
  readonly refusal: Refusal | undefined;
}

/**
 * The line of a request is put together by hand. pino's `info` would take 2 % more CPU time for a small request; together
 * with the histogram of prom-client, the libraries would cost 4.3 to 4.6 % (bench/results/observability.json).
 */
export function openLog(level: string, destination: DestinationStream): Log {
  const options = {
    level,
    base: { pid: process.pid },
    serializers: { err: serializeError },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${now()}"`,
  };
  const log = pino(options, destination);
  const request = (facts: RequestFacts): void => {
    if (log.isLevelEnabled('info')) destination.write(lineOf(facts));
  };
  return Object.assign(log, { request });
}

function now(): string {
  return isoText(systemClock.nowMs());
}

/** The same form as pino's lines. Ids, methods, routes, addresses, codes and reasons contain nothing that JSON would escape. */
function lineOf({ requestId, method, route, status, ms, orgId, credentialId, address, refusal }: RequestFacts): string {
  const caller = orgId === undefined ? '' : `,"org_id":${orgId},"key_id":"${credentialId}"`;
  return (
    `{"level":"info","time":"${now()}","pid":${process.pid},"request_id":"${requestId}","method":"${method}",` +
    `"route":"${route}","status":${status},"ms":${ms}${caller}${causeOf(refusal)},"address":"${address}","msg":"request"}\n`
  );
}

function causeOf(refusal: Refusal | undefined): string {
  if (refusal === undefined) return '';
  const { code, reason, errors = [] } = refusal;
  const reasons = new Set(errors.map((error) => error.reason));
  const all = reasons.size > 1 ? `,"reasons":${JSON.stringify([...reasons])}` : '';
  return `,"code":"${code}"${reason === undefined ? '' : `,"reason":"${reason}"`}${all}`;
}

/**
 * Collects the lines of a few milliseconds into one write: under load, one write per line would cost half as much as an
 * answer. `flush` writes the collected lines at once, for a process that is about to end.
 */
export function collected(destination: DestinationStream): DestinationStream & { flush(): void } {
  let waiting = '';
  const flush = () => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  return {
    write: (line) => {
      if (waiting === '') setTimeout(flush, bounds.http.logCollectedForMs);
      waiting += line;
    },
    flush,
  };
}

function serializeError(error: Error): Record<string, unknown> {
  const { raw: _, ...serialized } = pino.stdSerializers.errWithCause(error);
  return withoutQuotes(serialized);
}

function withoutQuotes(serialized: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(serialized)
      .filter(([name]) => !quoting.includes(name))
      .map(([name, part]) => [
        name,
        name === 'cause' && typeof part === 'object' && part !== null ? withoutQuotes({ ...part }) : part,
      ]),
  );
}
