// A gate between engine and database, at which all work of one org waits while it is closed, and is counted.
import type { Sql } from '../../../src/base/sql.ts';
import type { BriefDatabase, Database } from '../../../src/store/database.ts';

interface Gate {
  readonly adapt: (database: Database) => Database;
  /** From now on statements and transactions of requests wait, except for statements with this number of an org. */
  close(openTo: number): void;
  open(): void;
  /** How many wait at the gate, or have passed it and run. */
  readonly running: number;
  /** How many single statements that have their full time run. */
  readonly fullStatements: number;
  /** How many ran at once, at most, since the gate was last closed. */
  readonly most: number;
}

export function newGate(): Gate {
  let closed: { readonly openTo: number; readonly opened: Promise<void>; open(): void } | undefined;
  let [running, fullStatements, most] = [0, 0, 0];
  const pass = async <T>(values: readonly unknown[], run: () => Promise<T>): Promise<T> => {
    if (closed !== undefined && values.includes(closed.openTo)) return run();
    most = Math.max(most, ++running);
    try {
      await closed?.opened;
      return await run();
    } finally {
      running--;
    }
  };
  const gated = (inner: BriefDatabase): BriefDatabase => ({
    ...inner,
    query: <Row extends object>(statement: Sql) => pass(statement.values, () => inner.query<Row>(statement)),
    queryTogether: <Row extends object>(statements: readonly Sql[], bytesEach: number) =>
      pass(
        statements.flatMap(({ values }) => values),
        () => inner.queryTogether<Row>(statements, bytesEach),
      ),
  });
  return {
    adapt: (database) => ({
      ...database,
      brief: gated(database.brief),
      transaction: (run) => pass([], () => database.transaction(run)),
      query: (statement) => {
        fullStatements++;
        return database.query<never>(statement).finally(() => fullStatements--);
      },
    }),
    close: (openTo) => {
      most = 0;
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      closed = { openTo, opened, open };
    },
    open: () => {
      closed?.open();
      closed = undefined;
    },
    get running() {
      return running;
    },
    get fullStatements() {
      return fullStatements;
    },
    get most() {
      return most;
    },
  };
}
