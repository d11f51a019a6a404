// A database whose every transaction is a part of one that is open already: what is made of many rules, each with a
// transaction of its own, then comes whole or not at all.
import type { Database, Transaction } from '../database.ts';

export function joined(database: Database, transaction: Transaction): Database {
  return {
    ...database,
    query: (statement) => transaction.query(statement),
    script: (text) => transaction.script(text),
    // What throws in a part has to end the whole: there is no going back to before the part alone.
    transaction: (run) => run(transaction),
    trial: () => Promise.reject(new TypeError('A part of a transaction cannot be rolled back by itself.')),
    urgent: transaction,
    close: () => Promise.resolve(),
  };
}
