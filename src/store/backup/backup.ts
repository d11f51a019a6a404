// Makes a backup: every table of ours as one moment saw it, as a stream. It holds no lock that a request could meet, and
// reads as slowly as what it writes to is written.
import { createHash } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
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

/** Told as rows pass: what is being done, to which table, and to how many of its rows so far. */
export type TellRows = (step: 'saving' | 'loading' | 'comparing', table: string, rows: number) => void;

export interface BackupRequest {
  /** The release of this program. */
  readonly release: string;
  readonly tell: TellRows;
}

/** Where the content of a backup goes; resolves when it is safe there. */
export type WriteContent = (content: AsyncIterable<Buffer>) => Promise<void>;

/** Any constant serves, as long as it is always the same one. A restore has it alone, backups share it. */
export const backupLock = 0x6f727279 + 3;

/** One backup of the whole database, of one moment. */
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

/** A database that is older than the program can be saved, a newer one has what the program does not know. */
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
    'The database has the tables of a newer Orrery, which this one cannot save.',
    'Back it up with the newer one.',
  );
}

/**
 * The locks come before the snapshot, which the first question takes: a table that somebody replaces in between would
 * be empty to an older snapshot.
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
      'Somebody has locked the tables, so that they cannot be read.',
      'Wait until the migration or restore that is under way is done, then try again.',
      error,
    );
  }
  const [lock] = await connection.query<{ shared: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${raw(String(backupLock))}) as shared`,
  );
  if (lock?.shared === true) return;
  throw new Failure('database_unreachable', 'A restore is under way.', 'Wait until it is done, then try again.');
}

interface BackupSource {
  readonly schema: string;
  /** What its tables have had. */
  readonly migrations: readonly Applied[];
}

/** Writes what the connection's transaction sees of the schema. */
export async function writeTables(
  connection: OwnConnection,
  { schema, migrations }: BackupSource,
  { release, tell }: BackupRequest,
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
      for await (const chunk of contentOf(connection, schema, header, tables, sums, tell)) {
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

/** All but the trailer. */
async function* contentOf(
  connection: OwnConnection,
  schema: string,
  header: BackupHeader,
  tables: readonly SavedTable[],
  sums: Map<string, TableSum>,
  tell: TellRows,
): AsyncGenerator<Buffer> {
  yield toLine(header);
  for (const table of tables) {
    const tally = new Tally();
    for await (const chunk of connection.copyOut(copyOutText(schema, table)) as AsyncIterable<Buffer>) {
      tally.add(chunk);
      tell('saving', table.name, tally.rows);
      yield chunk;
    }
    sums.set(table.name, tally.sum());
    yield endOfTable;
  }
}
