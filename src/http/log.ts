// The log: JSON lines, with errors in full but for what PostgreSQL quotes of stored values in them.
import pino, { type DestinationStream, type Logger } from 'pino';
import { systemClock } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';

/** What a PostgreSQL error says of rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: { pid: process.pid }, serializers: { err: serializeError } }, destination);
}

/** What the log tells of a request. Neither path nor query is there: a client may have put its key into them. */
export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly orgId: number | undefined;
  readonly credentialId: string | undefined;
  readonly address: string;
}

/** One line for a request, in the form of all others. It is put together here, because it is written for every one. */
export function logRequest(log: Logger, facts: RequestFacts): void {
  if (!log.isLevelEnabled('info')) return;
  const { requestId, method, route, status, ms, orgId, credentialId, address } = facts;
  const who = orgId === undefined ? '' : `,"org_id":${orgId},"key_id":"${credentialId}"`;
  // Ids, methods, templates of routes and addresses hold nothing that JSON would escape.
  lineStream(log).write(
    `{"level":30,"time":${systemClock.nowMs()},"pid":${process.pid},"request_id":"${requestId}","method":"${method}",` +
      `"route":"${route}","status":${status},"ms":${ms}${who},"address":"${address}","msg":"request"}\n`,
  );
}

function lineStream(log: Logger): DestinationStream {
  return (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream;
}

/**
 * Lines of a few milliseconds in one write: under load a write for each line would cost as much as half an answer.
 * `flush` writes what is there at once, as a process does that ends.
 */
export function gathered(destination: DestinationStream): DestinationStream & { flush(): void } {
  let waiting = '';
  const flush = () => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  return {
    write: (line) => {
      if (waiting === '') setTimeout(flush, bounds.http.logGatheredForMs);
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
