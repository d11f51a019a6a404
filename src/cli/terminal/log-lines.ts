// The log as a person reads it on a terminal: the time, the level, what happened, and then the facts. Elsewhere it stays
// JSON, which programs read.
import type { DestinationStream } from 'pino';
import { printable } from './text.ts';

/** Writes lines of JSON to the destination as readable ones. */
export function readableLines(destination: DestinationStream): DestinationStream {
  return {
    write: (lines) => {
      for (const line of lines.split('\n')) if (line !== '') destination.write(readable(JSON.parse(line) as LogLine));
    },
  };
}

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly err?: LoggedError;
  readonly [fact: string]: unknown;
}

interface LoggedError {
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** What the line of a request says without their names. */
const ofRequest = ['method', 'route', 'status', 'ms'];

function readable({ level, time, msg, err, pid: _, ...facts }: LogLine): string {
  const isRequest = msg === 'request';
  const [method, route, status, ms] = ofRequest.map((name) => textOf(facts[name]));
  const what = isRequest ? `${method} ${route} ${status} in ${ms} ms` : msg;
  const named = Object.entries(facts)
    .filter(([name]) => !(isRequest && ofRequest.includes(name)))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const lines = [[time, level.padEnd(5), what, ...named].join(' '), ...stackOf(err)];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function textOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

function stackOf(err: LoggedError | undefined): readonly string[] {
  if (err === undefined) return [];
  const { stack = '', cause } = err;
  const lines = stack.split('\n').map((line) => `  ${line}`);
  return cause === undefined ? lines : [...lines, '  caused by', ...stackOf(cause)];
}
