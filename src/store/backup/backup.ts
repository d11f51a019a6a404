// Makes a backup: all our tables as they were at one moment, as a stream. It holds no lock that a request could wait
// for, and reads no faster than the output is written.
import { createHash } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { type AdvisoryLock, tryShareLock } from '../locks.ts';
import { type Applied, migrationStatus, readApplied } from '../migrate.ts';
import { isLockMissed } from '../pg-error.ts';
import {
  type BackupHeader,
  type BackupTrailer,
  backupFormat,
  endOfTable,
  formatVersion,
  type TableSum,
  Tally,
  toLine,
} from './format.ts';
import { readSequences } from './sequences.ts';
import { copyOutText, quoted, readSavedTables, type SavedTable } from './tables.ts';

/** Reports progress: the step, the table, and how many of its rows are done. */
export type ReportProgress = (step: 'saving' | 'loading' | 'comparing', table: string, rows: number) => void;

export interface BackupRequest {
  /** The release of this program. */
  readonly release: string;
  readonly report: ReportProgress;
}

/** Writes the content of a backup; resolves when it is safely stored. */
export type WriteContent = (content: AsyncIterable<Buffer>) => Promise<void>;

/** A restore holds the lock alone, backups share it. */
export const backupLock: AdvisoryLock = { use: 'backup' };

/** Backs up the whole database at one moment. */
export async function backUp(database: Database, request: BackupRequest, write: WriteContent): Promise<BackupTrailer> {
  const connection = await database.connect();
  try {
    await requireKnown(connection);
    const tables = await readSavedTables(connection, 'orrery');
    await connection.script('begin isolation level repeatable read read only');
    await holdTables(connection, tables);
    const source = { schema: 'orrery', migrations: await readApplied(connection) };
    return await writeTables(connection, source, request, write);
  } finally {
    await connection.close();
  }
}

/** A database older than the program can be backed up; a newer one has tables that the program does not know. */
async function requireKnown(transaction: Transaction): Promise<void> {
  const { current, latest } = await migrationStatus(transaction);
  if (current === 0) {
    throw new Failure(
      'not_found',
      'There is nothing to back up: the database has no tables of Orrery.',
      'Check --data-dir or --database-url, or start with "orrery serve".',
    );
  }
  if (current > latest) throw newerTables();
}

export function newerTables(): Failure {
  return new Failure(
    'schema_newer',
    'The database has the tables of a newer Orrery, which this one cannot back up.',
    'Back it up with the newer release.',
  );
}

/**
 * The locks come before the snapshot, which the first query takes: a table that is replaced in between would be empty
 * in an older snapshot.
 */
async function holdTables(connection: OwnConnection, tables: readonly SavedTable[]): Promise<void> {
  const names = tables.map(({ name }) => `orrery.${quoted(name)}`);
  try {
    await connection.script(`set local lock_timeout = ${bounds.store.backupLockMs};
      lock table orrery.migration, ${names.join()} in access share mode; set local lock_timeout = 0`);
  } catch (error) {
    if (!isLockMissed(error)) throw error;
    throw new Failure(
      'database_unreachable',
      'The tables are locked and cannot be read.',
      'Wait until the running migration or restore has ended, then try again.',
      error,
    );
  }
  if (await tryShareLock(connection, backupLock)) return;
  throw new Failure('database_unreachable', 'A restore is running.', 'Wait until it has ended, then try again.');
}

interface BackupSource {
  readonly schema: string;
  /** The migrations of its tables. */
  readonly migrations: readonly Applied[];
}

/** Writes the schema's tables as the connection's transaction sees them. */
export async function writeTables(
  connection: OwnConnection,
  { schema, migrations }: BackupSource,
  { release, report }: BackupRequest,
  write: WriteContent,
): Promise<BackupTrailer> {
  const [server] = await connection.query<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  );
  const tables = await readSavedTables(connection, schema);
  const header: BackupHeader = {
    format: backupFormat,
    format_version: formatVersion,
    sealed: true,
    release,
    postgres: server?.version ?? '',
    made_at: new Date(systemClock.nowMs()).toISOString(),
    migrations,
    sequences: await readSequences(connection, schema),
    tables: tables.map(({ name, columns }) => ({ name, columns })),
  };
  const sums = new Map<string, TableSum>();
  let trailer: BackupTrailer | undefined;
  await write(
    (async function* () {
      const hash = createHash('sha256');
      for await (const chunk of contentOf(connection, schema, header, tables, sums, report)) {
        hash.update(chunk);
        yield chunk;
      }
      trailer = { tables: Object.fromEntries(sums), sha256: hash.digest('hex') };
      yield toLine(trailer);
    })(),
  );
  if (trailer === undefined) throw new TypeError('The content of a backup was not read to its end.');
  return trailer;
}

/** Everything except the trailer. */
async function* contentOf(
  connection: OwnConnection,
  schema: string,
  header: BackupHeader,
  tables: readonly SavedTable[],
  sums: Map<string, TableSum>,
  report: ReportProgress,
): AsyncGenerator<Buffer> {
  yield toLine(header);
  for (const table of tables) {
    const tally = new Tally();
    for await (const chunk of connection.copyOut(copyOutText(schema, table)) as AsyncIterable<Buffer>) {
      tally.add(chunk);
      report('saving', table.name, tally.rows);
      yield chunk;
    }
    sums.set(table.name, tally.sum());
    yield endOfTable;
  }
}
