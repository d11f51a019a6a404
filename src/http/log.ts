// The log: JSON lines, with errors in full but for what PostgreSQL quotes of stored values in them.
import pino, { type DestinationStream, type Logger } from 'pino';

/** What a PostgreSQL error says of rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: { pid: process.pid }, serializers: { err: serializeError } }, destination);
}

/**
 * Lines of one turn of the event loop in one write: under load a write for each line would cost as much as an answer.
 * What the process logs as it ends is written at once by `flush`.
 */
export function inTurns(destination: DestinationStream): DestinationStream & { flush(): void } {
  let waiting = '';
  const flush = () => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  return {
    write: (line) => {
      if (waiting === '') setImmediate(flush);
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
