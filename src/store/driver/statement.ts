// One statement on one connection: prepared under a name, and given up when PostgreSQL does not answer in time.
import pg from 'pg';
import { bounds } from '../../base/limits.ts';
import type { Sql, Variety } from '../../base/sql.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { type PlainStatement, WireQuery, type WireStatement } from './wire-query.ts';

/** The rows of one statement, prepared under a name. The plain ones run before it, in the same round trip. */
export async function runStatement<Row extends object>(
  pooled: PooledConnection,
  statement: Sql,
  before: readonly PlainStatement[] = [],
): Promise<readonly Row[]> {
  const { text, name } = prepare(statement);
  const wired = { text, name, values: statement.values, before, keepsBytes: statement.manner.texts === 'bytes' };
  try {
    if (statement.manner.extent === 'page') return filled(await submit<Row>(pooled, wired, bounds.store.pageBytes));
    const query = await submit<Row>(pooled, wired, bounds.store.resultBytes);
    if (query.bytesLeft <= 0) throw new RangeError('A statement returned more bytes than any should.');
    return query.rows;
  } catch (error) {
    // An error of the driver's parser gets the stack of this place, where the statement came from.
    if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
    throw error;
  }
}

export async function runPlain(pooled: PooledConnection, statement: PlainStatement): Promise<void> {
  const { text, name } = statement;
  await submit(pooled, { text, name, values: [], before: [], keepsBytes: false }, bounds.store.resultBytes);
}

function submit<Row extends object>(
  pooled: PooledConnection,
  statement: WireStatement,
  bytesMax: number,
): Promise<WireQuery<Row>> {
  return new Promise((resolve, reject) => {
    // PostgreSQL ends a statement in time, but a host that has vanished does not.
    const wait = pooled.begin(bounds.store.statementWaitMs);
    const query = new WireQuery<Row>(statement, bytesMax, (error) => {
      pooled.end(wait, error);
      if (error === null) resolve(query);
      else reject(error);
    });
    pooled.client.query(query as unknown as pg.Submittable);
  });
}

/** The rows of a page. If it ended with its bytes, the last one shows it. */
function filled<Row extends object>({ rows, bytesLeft }: WireQuery<Row>): readonly Row[] {
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
