// The tables that a backup holds, and those that it leaves out. Each table of the migrations is in one of the two
// lists; a test compares them with the database, so that no new table is forgotten.
import { Failure } from '../../base/failure.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

/** In the order in which they are restored: tables that others refer to come first. */
export const savedTables = [
  'epoch',
  'cursor_secret',
  'org',
  'storage',
  // Of releases in which users and keys were not records.
  'user',
  'credential',
  'secret',
  'grant',
  'closed_key',
  'password',
  'former_email',
  'oidc_provider',
  'oidc_subject',
  'shared_email',
  'running_job',
  'custom_schema',
  'property_index',
  'record',
  'trash',
  'record_user',
  'association',
  'external_id',
  'merged',
  'erased',
  'fact',
  'unique_value',
  'index_text',
  'index_number',
  'index_time',
  'search',
  'change',
  'change_start',
  'former_value',
  'idempotency',
  // The progress of an import belongs to the records that it has made.
  'import',
  // And so does that of taking a request back.
  'revert',
] as const;

/** The tables left out, each with the reason. */
export const leftOutTables = {
  migration: 'The header of a backup lists the migrations of its tables.',
  change_epoch: 'Older releases had it in place of the lives.',
  change_life: 'A restored database begins a new feed; the migrations make its first life.',
  change_mark: 'It names the life of the log that goes on.',
  changed_org: 'It tells processes what to forget, and after a restore they forget all.',
  rate_window: 'Rate windows start over.',
  session: 'Everybody signs in again after a restore: what has ended since the backup must not come back.',
  bearer: 'It belongs to a session.',
  sign_in_link: 'A link that was used since the backup must not work again.',
  sign_in_try: 'Failures are forgotten after minutes.',
} as const;

/** Transaction numbers mean nothing in another database: all entries get the number of the restoring transaction. */
const leftOutColumns: Readonly<Record<string, readonly string[]>> = { change: ['xid'] };

export interface SavedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, by which rows are ordered. */
  readonly key: readonly string[];
}

/** The tables of the schema to save, in the order of the list. */
export async function readSavedTables(transaction: Transaction, schema: string): Promise<readonly SavedTable[]> {
  const found = await transaction.query<SavedTable>(sql`
    select c.relname::text as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute as a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select array_agg(a.attname::text order by k.position) from pg_index as i
        cross join unnest(i.indkey) with ordinality as k(number, position)
        join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary) as key
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p')`);
  const known: readonly string[] = [...savedTables, ...Object.keys(leftOutTables)];
  const foreign = found.find(({ name }) => !known.includes(name));
  if (foreign !== undefined) {
    throw new Failure(
      'database_unsuitable',
      `The database has a table orrery.${foreign.name}, which this program does not know.`,
      'Use the release of Orrery that made it, or move a table of your own into another schema.',
    );
  }
  return savedTables.flatMap((name) => {
    const table = found.find((each) => each.name === name);
    if (table === undefined) return [];
    const columns = table.columns.filter((column) => leftOutColumns[name]?.includes(column) !== true);
    return [{ ...table, columns }];
  });
}

/** The rows as text, in the order of the key, which is the same on every server: text in keys has the collation "C". */
export function copyOutText(schema: string, { name, columns, key }: SavedTable): string {
  return `copy (select ${columns.map(quoted).join()} from ${quoted(schema)}.${quoted(name)}
    order by ${key.map(quoted).join()}) to stdout`;
}

/** Frozen: rows of a table made in the same transaction are written in their final form, which saves a second pass. */
export function copyInText(schema: string, { name, columns }: SavedTable): string {
  return `copy ${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join()}) from stdin with (freeze)`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
