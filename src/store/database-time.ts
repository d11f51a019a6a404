// What the database takes for the present moment, whichever server has the rows.
import { sql } from '../base/sql.ts';
import type { Transaction } from './database.ts';

/** The database's own clock. */
export async function databaseTime(transaction: Transaction): Promise<Date> {
  const [row] = await transaction.query<{ now: Date }>(sql`select clock_timestamp() as now`);
  return row?.now ?? new Date(Number.NaN);
}
