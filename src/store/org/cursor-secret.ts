// The secret that authenticates cursors: made once with the tables, the same for every process.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export async function readCursorSecret(transaction: Transaction): Promise<Buffer> {
  const [row] = await transaction.query<{ secret: Buffer }>(sql`select secret from orrery.cursor_secret`);
  if (row === undefined) throw new TypeError('The table orrery.cursor_secret is empty.');
  return row.secret;
}
