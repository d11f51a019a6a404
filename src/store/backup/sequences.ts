// The sequences of a schema: reads their last numbers, and sets them to those of another database.
import { raw, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { quoted } from './tables.ts';

/** The last number that each has issued, or "0". */
export async function readSequences(
  transaction: Transaction,
  schema: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await transaction.query<{ readonly name: string; readonly last: string }>(sql`
    select sequencename::text as name, coalesce(last_value, 0)::text as last from pg_sequences
    where schemaname = ${schema} order by sequencename`);
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** Each continues after the largest of these numbers, its own among them. */
export async function setSequences(
  transaction: Transaction,
  schema: string,
  lasts: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  for (const [name, own] of Object.entries(await readSequences(transaction, schema))) {
    const known = [BigInt(own), ...lasts.map((each) => BigInt(each[name] ?? 0))];
    const last = known.reduce((left, right) => (left > right ? left : right), 0n);
    if (last === 0n) continue;
    const sequence = raw(`'${schema}.${quoted(name)}'`);
    await transaction.query(sql`select setval(${sequence}::regclass, ${String(last)}::bigint)`);
  }
}
