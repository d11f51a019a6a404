// Fills empty tables from a backup, then reads them back and compares. Keys and indexes are built after the rows are
// loaded: from sorted rows they cost a fraction, the index of words above all.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import type { ReportProgress } from './backup.ts';
import { damaged, Tally } from './format.ts';
import { type Backup, readBackup } from './read.ts';
import { copyInText, copyOutText, quoted, readSavedTables, type SavedTable } from './tables.ts';

interface LoadRequest {
  readonly file: string;
  readonly report: ReportProgress;
}

export async function loadTables(connection: OwnConnection, backup: Backup, request: LoadRequest): Promise<void> {
  const { file, report } = request;
  const tables = await readSavedTables(connection, 'orrery');
  if (!sameTables(tables, backup)) throw damaged(file);
  const indexes = await readIndexes(connection);
  for (const { drop } of indexes.toReversed()) await connection.script(drop);
  // Migrations put rows into some tables; those of the backup replace them.
  for (const { name } of tables.toReversed()) await connection.script(`delete from orrery.${quoted(name)}`);
  const byName = new Map(tables.map((table) => [table.name, table]));
  const loaded = await readBackup(file, async (name, rows) => {
    const table = byName.get(name);
    if (table === undefined) throw damaged(file);
    await pipeline(
      Readable.from(countedRows(rows, name, report), { objectMode: false }),
      connection.copyIn(copyInText('orrery', table)),
    );
  });
  // The file may have been replaced since it was verified.
  if (loaded.trailer.sha256 !== backup.trailer.sha256) throw damaged(file);
  for (const { make } of indexes) await connection.script(make);
  for (const table of tables) await compare(connection, table, backup, request);
}

/** At the same migration the tables and their columns are the same. */
function sameTables(tables: readonly SavedTable[], { header }: Backup): boolean {
  const form = (each: BackupTable) => [each.name, ...each.columns].join();
  return tables.map(form).join(';') === header.tables.map(form).join(';');
}

type BackupTable = Backup['header']['tables'][number];

interface Index {
  readonly drop: string;
  readonly make: string;
}

/**
 * The keys and indexes that nothing else refers to, the oldest first: of two indexes with the same cost PostgreSQL
 * takes the newer one, and the migrations rely on that order.
 */
async function readIndexes(connection: OwnConnection): Promise<readonly Index[]> {
  return connection.query<Index>(sql`
    select case when k.oid is null then format('drop index orrery.%I', c.relname)
        else format('alter table orrery.%I drop constraint %I', t.relname, k.conname) end as drop,
      case when k.oid is null then pg_get_indexdef(c.oid)
        else format('alter table orrery.%I add constraint %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
        end as make
    from pg_index as i
      join pg_class as c on c.oid = i.indexrelid
      join pg_class as t on t.oid = i.indrelid
      join pg_namespace as n on n.oid = t.relnamespace
      left join pg_constraint as k on k.conindid = c.oid and k.contype in ('p', 'u')
    where n.nspname = 'orrery' and not exists (select from pg_constraint as f where f.confrelid = t.oid)
    order by c.oid`);
}

async function* countedRows(
  rows: AsyncIterable<Buffer>,
  table: string,
  report: ReportProgress,
): AsyncGenerator<Buffer> {
  const tally = new Tally();
  for await (const chunk of rows) {
    tally.add(chunk);
    report('loading', table, tally.rows);
    yield chunk;
  }
}

/** The rows now in the table, written as a backup writes them, must match the file. */
async function compare(
  connection: OwnConnection,
  table: SavedTable,
  { trailer }: Backup,
  { file, report }: LoadRequest,
): Promise<void> {
  const tally = new Tally();
  for await (const chunk of connection.copyOut(copyOutText('orrery', table)) as AsyncIterable<Buffer>) {
    tally.add(chunk);
    report('comparing', table.name, tally.rows);
  }
  const { rows, sha256 } = tally.sum();
  const wanted = trailer.tables[table.name];
  if (wanted?.rows !== rows || wanted.sha256 !== sha256) throw damaged(file);
}
