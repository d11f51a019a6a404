// A database whose clock is off, as services see it.
import type { Sql } from '../../../src/base/sql.ts';
import type { Database, Transaction } from '../../../src/store/database.ts';

/** Adds so many milliseconds to the time that is read together with the revision. */
export function withTimeShifted(database: Database, byMs: () => number): Database {
  const shifted = (inner: Transaction): Transaction => ({
    ...inner,
    query: async <Row extends object>(statement: Sql): Promise<readonly Row[]> => {
      const rows = await inner.query<Row>(statement);
      if (!statement.text.includes('from orrery.epoch')) return rows;
      return rows.map((row) => ({ ...row, at: (row as { readonly at: number }).at + byMs() }));
    },
  });
  return { ...database, urgent: shifted(database.urgent), central: shifted(database.central) };
}
