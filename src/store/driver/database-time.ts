// The database's own clock.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export async function databaseTime(transaction: Transaction): Promise<Date> {
  const [row] = await transaction.query<{ now: Date }>(sql`select clock_timestamp() as now`);
  return row?.now ?? new Date(Number.NaN);
}
