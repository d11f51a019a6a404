// Restores a backup: new tables are filled and compared beside the old ones, which stay in use and are replaced at the
// very end. It is all one transaction: either the whole backup is restored, or nothing has changed.
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import { countShards } from '../cluster/tables.ts';
import type { Database, OwnConnection } from '../database.ts';
import { tryLock, waitForLockText } from '../locks.ts';
import { type Applied, applyMigrations, type Migration, readApplied, readMigrations } from '../migrate.ts';
import { listOrgs } from '../org/orgs.ts';
import { errorCode, isLockMissed } from '../pg-error.ts';
import { type BackupRequest, backupLock, newerTables, type WriteContent, writeTables } from './backup.ts';
import { type BackupHeader, damaged } from './format.ts';
import type { Backup } from './read.ts';
import { asideSchema, copySchema } from './restore-copies.ts';
import type { KeptClosed, OldKeys } from './restore-keys.ts';
import { loadTables } from './restore-load.ts';
import { type EraseAgain, holdStill, keepErased, refuseDependents, takePlace } from './restore-switch.ts';
import { setSequences } from './sequences.ts';
import { readSavedTables } from './tables.ts';

interface RestoreRequest extends BackupRequest {
  readonly file: string;
  /**
   * Opens the file in which the present content of the database is saved; undefined to discard it. Called before the
   * work begins, and only if there is any content.
   */
  readonly openSave: (() => Promise<WriteContent>) | undefined;
  readonly oldKeys: OldKeys;
  readonly eraseAgain: EraseAgain;
}

export interface Restored {
  /** Whether there was anything to save. */
  readonly saved: boolean;
  /** The migrations that were newer than the backup. */
  readonly migrated: readonly string[];
  /** The keys that were closed since the backup was made, and stay so. */
  readonly keptClosed: readonly KeptClosed[];
  /** How many records were erased since the backup was made, and are so again. */
  readonly erasedAgain: number;
}

/** `backup` is the content of the file when it was verified. */
export async function restore(database: Database, backup: Backup, request: RestoreRequest): Promise<Restored> {
  const migrations = await readMigrations();
  const had = migrationsOf(backup.header, migrations, request.file);
  const connection = await database.connect();
  try {
    await connection.script('begin');
    await beAlone(connection);
    const shards = await countShards(connection);
    const present = await readApplied(connection);
    const holdsOrgs = present.length > 0 && (await listOrgs(connection)).length > 0;
    const isNewer = present.length > migrations.length;
    if (isNewer && holdsOrgs && request.openSave !== undefined) throw newerTables();
    // A table that is not ours would be dropped with the others.
    if (!isNewer) await readSavedTables(connection, 'orrery');
    await refuseDependents(connection);
    const save = holdsOrgs ? await request.openSave?.() : undefined;
    await setAside(connection);
    await applyMigrations(connection, had);
    await loadTables(connection, backup, request);
    // Migrations add rows of their own.
    await setSequences(connection, 'orrery', [backup.header.sequences]);
    const migrated = await applyMigrations(connection, migrations);
    const before = await keepErased(connection, request.eraseAgain);
    if (save !== undefined) await saveAside(connection, present, request, save);
    const { keptClosed, erased } = await takePlace(connection, backup.header, { ...request, shards });
    await connection.script('commit');
    return { saved: save !== undefined, migrated, keptClosed, erasedAgain: before + erased };
  } catch (error) {
    throw restoreFailure(error, request.file);
  } finally {
    // Without a commit this rolls everything back.
    await connection.close();
  }
}

/** The migrations of the backup's tables, if this program has the same ones. */
export function migrationsOf(
  { migrations, release }: BackupHeader,
  known: readonly Migration[],
  file: string,
): readonly Migration[] {
  if (migrations.some(({ number }) => number > (known.at(-1)?.number ?? 0))) {
    throw new Failure(
      'schema_newer',
      `The backup ${file} was made by a newer Orrery (${release}), whose tables this one does not know.`,
      'Restore it with that release or a later one.',
    );
  }
  const had = known.slice(0, migrations.length);
  const same = had.every(({ name, checksum }, at) => {
    const listed = migrations[at];
    return listed?.name === name && listed.checksum === checksum;
  });
  if (same && had.length > 0) return had;
  throw new Failure(
    'invalid_file',
    `The backup ${file} was made with other migrations than this program has.`,
    'Restore it with the release of Orrery that made it, or a later one.',
  );
}

/** Allows one restore at a time, and neither backup nor migration meanwhile. */
async function beAlone(connection: OwnConnection): Promise<void> {
  const untilMs = systemClock.monotonicMs() + bounds.store.restoreAloneMs;
  while (!(await tryLock(connection, backupLock))) {
    if (systemClock.monotonicMs() > untilMs) throw notAlone();
    await sleep(bounds.store.openingPauseMs);
  }
  await connection.script(`set local lock_timeout = ${bounds.store.backupLockMs};
    ${waitForLockText({ use: 'migration' })}; set local lock_timeout = 0`);
}

function notAlone(): Failure {
  return new Failure(
    'database_unreachable',
    'A backup or another restore of this database is running.',
    'Wait until it has ended, then try again.',
  );
}

/** Only this transaction sees the new name: for all others the tables stay where they are. */
async function setAside(connection: OwnConnection): Promise<void> {
  const [schema] = await connection.query<{ there: boolean }>(
    sql`select to_regnamespace('orrery') is not null as there`,
  );
  if (schema?.there === true) await connection.script(`alter schema orrery rename to ${asideSchema}`);
  await connection.script(`create schema ${copySchema}`);
}

/** From here on nobody can write, so that nothing acknowledged is lost. */
async function saveAside(
  connection: OwnConnection,
  migrations: readonly Applied[],
  request: RestoreRequest,
  save: WriteContent,
): Promise<void> {
  await holdStill(connection);
  await writeTables(connection, { schema: asideSchema, migrations }, request, save);
}

function restoreFailure(error: unknown, file: string): unknown {
  if (error instanceof Failure) return error;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = errorCode(cause) ?? '';
  if (code === '42501') {
    return new Failure(
      'database_unsuitable',
      "The database's user lacks a right that a restore needs; nothing has changed.",
      'Let it own the schema "orrery" and its tables, and create schemas: grant create on database … to ….',
      error,
    );
  }
  if (code === '53100') {
    const fix = 'Free some space: during a restore the disk holds both the old tables and the new ones.';
    return new Failure('database_unsuitable', 'The disk of the database is full; nothing has changed.', fix, error);
  }
  if (isLockMissed(error)) {
    const fix = 'Wait until it has ended, then try again.';
    return new Failure('database_unreachable', 'A migration of the database is running.', fix, error);
  }
  // 22: a value that its column does not take; 23: a row that breaks a rule of its table.
  if (/^2[23]/.test(code)) return damaged(file, error);
  return error;
}
