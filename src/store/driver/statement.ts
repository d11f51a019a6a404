// Statements on one connection: prepared under a name, and given up when PostgreSQL does not answer in time.
import pg from 'pg';
import { bounds } from '../../base/limits.ts';
import type { Sql, Variety } from '../../base/sql.ts';
import { isUnreachable } from '../pg-error.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { type Fetched, type PlainStatement, plainly, type WireStatement, WireTrip } from './wire-trip.ts';

/**
 * The rows of one statement, prepared under a name. The plain ones run before it, in the same round trip. Where it has several
 * steps, the rows are those of the last one; outside a transaction each would be committed by itself.
 */
export async function runStatement<Row extends object>(
  pooled: PooledConnection,
  statement: Sql,
  before: readonly PlainStatement[] = [],
): Promise<readonly Row[]> {
  const isPage = statement.manner.extent === 'page';
  const wired = wireAll(pooled, [statement], isPage ? bounds.store.pageBytes : bounds.store.resultBytes);
  const { fetched, error } = await submit<Row>(pooled, [...before.map(plainly), ...wired]);
  if (error !== null) throw located(error);
  const last = fetched.at(-1);
  if (last === undefined) return [];
  if (isPage) return filled(last);
  if (last.bytesLeft <= 0) throw new RangeError('A statement returned more bytes than any should.');
  return last.rows;
}

/**
 * The rows of several statements in one round trip, each a transaction of its own as far as anybody can see. Undefined for
 * those that did not run because one before them failed, for the one that failed, and for those with more than `bytesEach`.
 */
export async function runTogether<Row extends object>(
  pooled: PooledConnection,
  statements: readonly Sql[],
  bytesEach: number,
): Promise<readonly (readonly Row[] | undefined)[]> {
  const wired = wireAll(pooled, statements, bytesEach);
  if (wired.length !== statements.length) throw new TypeError('A statement that travels with others has one step.');
  const { fetched, answered, error } = await submit<Row>(pooled, wired);
  if (error !== null && isUnreachable(error)) throw located(error);
  return fetched.map(({ rows, bytesLeft }, index) => (index < answered && bytesLeft > 0 ? rows : undefined));
}

/** The statements between the plain ones, all in one round trip. */
export async function runLast(
  pooled: PooledConnection,
  before: readonly PlainStatement[],
  statements: readonly Sql[],
  end: PlainStatement,
): Promise<void> {
  const wired = wireAll(pooled, statements, bounds.store.resultBytes);
  const { error } = await submit(pooled, [...before.map(plainly), ...wired, plainly(end)]);
  if (error !== null) throw located(error);
}

export async function runPlain(pooled: PooledConnection, statement: PlainStatement): Promise<void> {
  const { error } = await submit(pooled, [plainly(statement)]);
  if (error !== null) throw error;
}

function wireAll(pooled: PooledConnection, statements: readonly Sql[], bytesMax: number): readonly WireStatement[] {
  return statements.flatMap((statement) =>
    pooled.stepsOf(statement).map((step) => {
      const { text, name } = prepare(step);
      return { text, name, values: step.values, keepsBytes: step.manner.texts === 'bytes', bytesMax };
    }),
  );
}

interface Ended<Row extends object> {
  readonly fetched: readonly Fetched<Row>[];
  /** How many statements ended without an error. */
  readonly answered: number;
  readonly error: Error | null;
}

function submit<Row extends object>(
  pooled: PooledConnection,
  statements: readonly WireStatement[],
): Promise<Ended<Row>> {
  return new Promise((resolve) => {
    // PostgreSQL ends a statement in time, but a host that has vanished does not.
    let wait = pooled.begin(bounds.store.statementWaitMs);
    const trip = new WireTrip<Row>(statements, {
      moved: () => {
        pooled.end(wait, null);
        wait = pooled.begin(bounds.store.statementWaitMs);
      },
      settled: (error, answered) => {
        pooled.end(wait, error);
        resolve({ fetched: trip.fetched, answered, error });
      },
    });
    pooled.client.query(trip as unknown as pg.Submittable);
  });
}

/** An error of the driver's parser gets the stack of this place, where the statement came from. */
function located(error: Error): Error {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
  return error;
}

/** The rows of a page. If it ended with its bytes, the last one shows it. */
function filled<Row extends object>({ rows, bytesLeft }: Fetched<Row>): readonly Row[] {
  if (bytesLeft > 0) return rows;
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, full: true } : row));
}

interface Prepared {
  readonly text: string;
  name: string | undefined;
}

/** The named statements of one variety. */
interface Kept {
  readonly prepared: Map<string, Prepared>;
  readonly formsMax: number;
  readonly charactersMax: number;
  readonly namesMax: number;
  named: number;
}

/** Statements of fixed form have their own budget, so that queries cannot use up their names. */
const kinds: Readonly<Record<Variety, Kept>> = {
  fixed: {
    prepared: new Map(),
    formsMax: bounds.store.statementForms,
    charactersMax: Number.POSITIVE_INFINITY,
    namesMax: bounds.store.namedStatements,
    named: 0,
  },
  varied: {
    prepared: new Map(),
    formsMax: bounds.store.queryForms,
    charactersMax: bounds.store.queryCharacters,
    namesMax: bounds.store.namedQueries,
    named: 0,
  },
};

/** Makes room: a form that was used once, or came too late for a name, can be forgotten. */
function forgetUnnamed(prepared: Map<string, Prepared>): void {
  for (const [form, { name }] of prepared) if (name === undefined) prepared.delete(form);
}

/**
 * Text and name of a statement. A form gets a name the second time it is used, because writes have more forms than
 * there are names, and most forms are never used again. PostgreSQL plans a statement without a name each time.
 */
function prepare(statement: Sql): Prepared {
  const {
    form,
    manner: { variety },
  } = statement;
  const kind = kinds[variety];
  const known = kind.prepared.get(form);
  if (known === undefined) {
    const fresh = { text: statement.text, name: undefined };
    if (fresh.text.length <= kind.charactersMax) {
      if (kind.prepared.size >= kind.formsMax) forgetUnnamed(kind.prepared);
      kind.prepared.set(form, fresh);
    }
    return fresh;
  }
  if (known.name === undefined && kind.named < kind.namesMax) known.name = `orrery_${variety}_${++kind.named}`;
  return known;
}
