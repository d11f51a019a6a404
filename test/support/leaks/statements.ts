// Records the text of every statement that reaches the database, in transactions and out of them.
import type { Sql } from '../../../src/base/sql.ts';
import type { Database, Transaction } from '../../../src/store/database.ts';

interface Statements {
  /** The different texts since the last `clear`. */
  readonly texts: Set<string>;
  readonly adapt: (database: Database) => Database;
}

export function recordStatements(): Statements {
  const texts = new Set<string>();
  const recorded = <T extends Transaction>(inner: T): T => ({
    ...inner,
    query: <Row extends object>(statement: Sql) => {
      texts.add(statement.text);
      return inner.query<Row>(statement);
    },
    script: (text: string) => {
      texts.add(text);
      return inner.script(text);
    },
  });
  const adapt = (database: Database): Database => ({
    ...recorded(database),
    brief: {
      ...recorded(database.brief),
      queryTogether: (statements, bytesEach) => {
        for (const { text } of statements) texts.add(text);
        return database.brief.queryTogether(statements, bytesEach);
      },
    },
    urgent: recorded(database.urgent),
    central: recorded(database.central),
    transaction: (run) => database.transaction((transaction) => run(recorded(transaction))),
    dryRun: (run) => database.dryRun((transaction) => run(recorded(transaction))),
  });
  return { texts, adapt };
}
