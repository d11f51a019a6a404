// One statement on the wire, in one write and one answer. It takes the place of the driver's own query object, which asks
// for the columns of a statement each time and sends every message by itself. A connection tells the columns of a named
// statement once: PostgreSQL refuses to run it should they ever change. A transaction begins in the same write as its first
// statement.
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { bounds } from '../../base/limits.ts';
import type { RowMessage } from './row-client.ts';

/** The part of the driver's connection that a query sees, which its types do not list. */
interface Wire {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void };
  /** The statements that PostgreSQL has parsed, by name. The driver adds the one of the running query. */
  readonly parsedStatements: Readonly<Record<string, string>>;
}

/** A helper of the driver that its types do not list. */
const { prepareValue } = (pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => string } })
  .utils;

/** As the driver writes it, and lists of texts many times faster: JSON escapes quotes and backslashes in the same way. */
function writeValue(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    const json = JSON.stringify(value);
    const isLiteral = !/\\[^"\\]/.test(json);
    if (isLiteral) return `{${json.slice(1, -1)}}`;
  }
  return prepareValue(value);
}

/** A statement without values and rows, such as `begin`. */
export interface PlainStatement {
  readonly name: string;
  readonly text: string;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
  readonly isText: boolean;
}

/** The number of PostgreSQL for the type `text`. */
const textType = 25;

interface Known {
  /** The columns of named statements. */
  readonly columns: Map<string, readonly Column[]>;
  /** The names of the statements that ran before others, and which PostgreSQL has parsed. */
  readonly before: Set<string>;
}

const everyKnown = new WeakMap<Wire, Known>();

function knownOf(wire: Wire): Known {
  const known = everyKnown.get(wire) ?? { columns: new Map(), before: new Set() };
  everyKnown.set(wire, known);
  return known;
}

const execute = serialize.execute();
const executeAndSync = Buffer.concat([execute, serialize.sync()]);
const describeAndExecute = Buffer.concat([serialize.describe({ type: 'P' }), executeAndSync]);

export interface WireStatement {
  readonly text: string;
  /** Undefined for a statement that is parsed for this use only. */
  readonly name: string | undefined;
  readonly values: unknown[];
  /** These run before it, in the same round trip. */
  readonly before: readonly PlainStatement[];
  /** Whether long texts are returned as bytes. */
  readonly keepsBytes: boolean;
}

/** `client.query` runs it. Of the rows that do not fit into `bytesLeft`, only the first is kept. */
export class WireQuery<Row extends object> {
  readonly rows: Row[] = [];
  bytesLeft: number;
  readonly #statement: WireStatement;
  readonly #settle: (error: Error | null) => void;
  /** How many of the statements before it have run. */
  #ran = 0;
  #columns: readonly Column[] | undefined;
  #isDescribed = false;
  #failure: Error | undefined;

  constructor(statement: WireStatement, bytesMax: number, settle: (error: Error | null) => void) {
    this.#statement = statement;
    this.bytesLeft = bytesMax;
    this.#settle = settle;
  }

  /** The driver reads it when PostgreSQL has parsed a statement, which may be one of those before. */
  get name(): string | undefined {
    return this.#ran === this.#statement.before.length ? this.#statement.name : undefined;
  }

  get text(): string {
    return this.#statement.text;
  }

  /** Returns the error if the values cannot be written; nothing is sent then. */
  submit(wire: Wire): Error | null {
    try {
      const messages = this.#messages(wire);
      if (wire.stream.writable) wire.stream.write(Buffer.concat(messages));
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  #messages(wire: Wire): readonly Buffer[] {
    const { text, name = '', values, before } = this.#statement;
    const known = knownOf(wire);
    this.#columns = known.columns.get(name);
    this.#isDescribed = this.#columns !== undefined;
    const messages: Buffer[] = [];
    for (const earlier of before) {
      if (!known.before.has(earlier.name)) messages.push(serialize.parse(earlier));
      messages.push(serialize.bind({ statement: earlier.name }), execute);
    }
    if (wire.parsedStatements[name] === undefined) messages.push(serialize.parse({ name, text }));
    messages.push(
      serialize.bind({ statement: name, values, valueMapper: writeValue }),
      this.#isDescribed ? executeAndSync : describeAndExecute,
    );
    return messages;
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: pg.types.getTypeParser(dataTypeID, 'text'),
      isText: dataTypeID === textType,
    }));
  }

  handleDataRow(message: RowMessage): void {
    if (this.bytesLeft <= 0 || this.#failure !== undefined) return;
    this.bytesLeft -= message.length;
    try {
      this.rows.push(rowOf(this.#columns ?? [], message, this.#statement) as Row);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(_: unknown, wire: Wire): void {
    const { name, before } = this.#statement;
    const earlier = before[this.#ran];
    if (earlier !== undefined) {
      this.#ran++;
      knownOf(wire).before.add(earlier.name);
    } else if (name !== undefined && !this.#isDescribed) {
      knownOf(wire).columns.set(name, this.#columns ?? []);
    }
  }

  handleReadyForQuery(): void {
    this.#settle(this.#failure ?? null);
  }

  handleError(error: Error): void {
    this.#settle(error);
  }
}

function rowOf(
  columns: readonly Column[],
  message: RowMessage,
  { keepsBytes }: Pick<WireStatement, 'keepsBytes'>,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const { bytes } = message;
  message.forEachField((begin, end, index) => {
    const { name, parse, isText } = columns[index] as Column;
    if (end < begin) row[name] = null;
    else if (keepsBytes && isText && end - begin >= bounds.store.longTextBytes) row[name] = message.part(begin, end);
    else row[name] = parse(bytes.toString('utf8', begin, end));
  });
  return row;
}
