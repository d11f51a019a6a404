// A database whose transactions all join one that is already open: work that consists of many rules, each with its own
// transaction, is then committed completely or not at all.
import type { Database, Transaction } from '../database.ts';

export function joined(database: Database, transaction: Transaction): Database {
  return {
    ...database,
    query: (statement) => transaction.query(statement),
    script: (text) => transaction.script(text),
    // An error in a part must end the whole: a part alone cannot be rolled back.
    transaction: (run) =>
      run({
        ...transaction,
        end: async (statements) => {
          for (const statement of statements) await transaction.query(statement);
        },
      }),
    dryRun: () => Promise.reject(new TypeError('A part of a transaction cannot be rolled back on its own.')),
    brief: {
      query: (statement) => transaction.query(statement),
      script: (text) => transaction.script(text),
      queryTogether: (statements) => Promise.all(statements.map((statement) => transaction.query<never>(statement))),
    },
    urgent: transaction,
    central: transaction,
    close: () => Promise.resolve(),
  };
}
