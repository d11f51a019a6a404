// The log: JSON lines, with errors in full but for what PostgreSQL quotes of stored values in them.
import pino, { type DestinationStream, type Logger } from 'pino';

/** What a PostgreSQL error says of rows: "Key (value)=(ada@example.com) already exists." */
const quoting = ['detail', 'where', 'hint', 'internalQuery'];

export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: { pid: process.pid }, serializers: { err: serializeError } }, destination);
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
