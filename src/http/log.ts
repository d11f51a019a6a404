// The log: JSON lines, with errors in full except for the stored values that PostgreSQL quotes in them.
import pino, { type DestinationStream, type Logger } from 'pino';
import { bounds } from '../base/limits.ts';

/** The members of a PostgreSQL error that quote rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: { pid: process.pid }, serializers: { err: serializeError } }, destination);
}

/**
 * Collects the lines of a few milliseconds into one write: under load, one write per line would cost half as much as an
 * answer. `flush` writes the collected lines at once, for a process that is about to end.
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
