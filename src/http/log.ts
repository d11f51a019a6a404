// The log: JSON lines, with errors in full but for what PostgreSQL quotes of stored values in them.
import pino, { type DestinationStream, type Logger } from 'pino';

/** What a PostgreSQL error says of rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: { pid: process.pid }, serializers: { err: serializeError } }, destination);
}

const gatheredForMs = 20;

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
      if (waiting === '') setTimeout(flush, gatheredForMs);
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
