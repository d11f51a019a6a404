// Statements on the wire, in one write and one answer. A trip takes the place of the driver's own query object, which carries
// one statement, asks for its columns each time and sends every message by itself. A connection tells the columns of a named
// statement once: PostgreSQL refuses to run it should they ever change. A transaction begins in the same write as its first
// statement; statements outside one each see what was committed when they began. After an error PostgreSQL runs none of the
// statements that are left.
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { bounds } from '../../base/limits.ts';
import { texts } from '../row-parameters.ts';
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

/** As the driver writes it, and lists of texts faster. */
function writeValue(value: unknown): string {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? texts(value) : prepareValue(value);
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
  readonly isText: boolean;
}

/** The number of PostgreSQL for the type `text`. */
const textType = 25;

/** The columns of named statements, by name. */
const everyKnown = new WeakMap<Wire, Map<string, readonly Column[]>>();

function columnsOf(wire: Wire): Map<string, readonly Column[]> {
  const known = everyKnown.get(wire) ?? new Map<string, readonly Column[]>();
  everyKnown.set(wire, known);
  return known;
}

const execute = serialize.execute();
const describeAndExecute = Buffer.concat([serialize.describe({ type: 'P' }), execute]);
const sync = serialize.sync();

export interface WireStatement {
  readonly text: string;
  /** Undefined for a statement that is parsed for this use only. */
  readonly name: string | undefined;
  readonly values: unknown[];
  /** Whether long texts are returned as bytes. */
  readonly keepsBytes: boolean;
  /** Of the rows that do not fit into so many bytes, only the first is kept. */
  readonly bytesMax: number;
}

/** A statement without values and rows, such as `begin`. */
export interface PlainStatement {
  readonly name: string;
  readonly text: string;
}

export function plainly({ name, text }: PlainStatement): WireStatement {
  return { name, text, values: [], keepsBytes: false, bytesMax: bounds.store.resultBytes };
}

/** What one statement of a trip has fetched. */
export class Fetched<Row extends object> {
  readonly statement: WireStatement;
  readonly rows: Row[] = [];
  bytesLeft: number;
  columns: readonly Column[] | undefined;
  /** Whether its columns were known before it was sent. */
  isDescribed = false;

  constructor(statement: WireStatement) {
    this.statement = statement;
    this.bytesLeft = statement.bytesMax;
  }
}

interface TripEvents {
  /** A statement has ended, and others follow. */
  moved(): void;
  /** If PostgreSQL has an error, it is that of the statement after those that ended. */
  settled(error: Error | null, ended: number): void;
}

/** `client.query` runs it. */
export class WireTrip<Row extends object> {
  /** In the order of the statements. */
  readonly fetched: readonly Fetched<Row>[];
  readonly #on: TripEvents;
  /** How many of the statements have ended. */
  #ended = 0;
  /** The first row that could not be read, and its statement. */
  #failure: { readonly error: Error; readonly at: number } | undefined;

  constructor(statements: readonly WireStatement[], on: TripEvents) {
    this.fetched = statements.map((statement) => new Fetched<Row>(statement));
    this.#on = on;
  }

  /** The driver reads name and text when PostgreSQL has parsed a statement. */
  get name(): string | undefined {
    return this.fetched[this.#ended]?.statement.name;
  }

  get text(): string {
    return this.fetched[this.#ended]?.statement.text ?? '';
  }

  /** Returns the error if the values cannot be written; nothing is sent then. */
  submit(wire: Wire): Error | null {
    try {
      const parsed = new Set<string>();
      const messages = this.fetched.flatMap((each) => messagesOf(wire, each, parsed));
      if (wire.stream.writable) wire.stream.write(Buffer.concat([...messages, sync]));
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    const fetched = this.fetched[this.#ended];
    if (fetched === undefined) return;
    fetched.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: pg.types.getTypeParser(dataTypeID, 'text'),
      isText: dataTypeID === textType,
    }));
  }

  handleDataRow(message: RowMessage): void {
    const fetched = this.fetched[this.#ended];
    if (fetched === undefined || fetched.bytesLeft <= 0 || this.#failure !== undefined) return;
    fetched.bytesLeft -= message.length;
    try {
      fetched.rows.push(rowOf(fetched.columns ?? [], message, fetched.statement) as Row);
    } catch (error) {
      this.#failure = { error: error as Error, at: this.#ended };
    }
  }

  handleCommandComplete(_: unknown, wire: Wire): void {
    const fetched = this.fetched[this.#ended];
    if (fetched === undefined) return;
    const { columns = [], isDescribed, statement } = fetched;
    if (statement.name !== undefined && !isDescribed) columnsOf(wire).set(statement.name, columns);
    this.#ended++;
    if (this.#ended < this.fetched.length) this.#on.moved();
  }

  handleReadyForQuery(): void {
    this.#on.settled(this.#failure?.error ?? null, this.#failure?.at ?? this.#ended);
  }

  handleError(error: Error): void {
    this.#on.settled(error, this.#ended);
  }
}

/** The messages of one statement. `parsed` has the names of those that the trip parses before it. */
function messagesOf(wire: Wire, fetched: Fetched<object>, parsed: Set<string>): readonly Buffer[] {
  const { text, name = '', values } = fetched.statement;
  fetched.columns = columnsOf(wire).get(name);
  fetched.isDescribed = fetched.columns !== undefined;
  const isParsed = name !== '' && (parsed.has(name) || wire.parsedStatements[name] !== undefined);
  if (name !== '') parsed.add(name);
  return [
    ...(isParsed ? [] : [serialize.parse({ name, text })]),
    serialize.bind({ statement: name, values, valueMapper: writeValue }),
    fetched.isDescribed ? execute : describeAndExecute,
  ];
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
