// The sequences of a schema: how far they have come, and how they are set to where another database's stood.
import { raw, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { quoted } from './tables.ts';

/** The last number that each has given out, "0" for one that has given none. */
export async function readSequences(
  transaction: Transaction,
  schema: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await transaction.query<{ readonly name: string; readonly last: string }>(sql`
    select sequencename::text as name, coalesce(last_value, 0)::text as last from pg_sequences
    where schemaname = ${schema} order by sequencename`);
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** Each goes on after the largest of these numbers. */
export async function setSequences(
  transaction: Transaction,
  schema: string,
  lasts: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  for (const name of Object.keys(await readSequences(transaction, schema))) {
    const known = lasts.map((each) => BigInt(each[name] ?? 0));
    const last = known.reduce((left, right) => (left > right ? left : right), 0n);
    if (last === 0n) continue;
    const sequence = raw(`'${schema}.${quoted(name)}'`);
    await transaction.query(sql`select setval(${sequence}::regclass, ${String(last)}::bigint)`);
  }
}
