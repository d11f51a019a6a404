// Brings the tables of the database up to date: numbered SQL files, each run once in one transaction, with its checksum
// kept. One process at a time migrates, and never backwards.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Failure } from '../base/failure.ts';
import { sql } from '../base/sql.ts';
import { commandsOf } from './cluster/commands.ts';
import { areDistributed, distributeNew } from './cluster/tables.ts';
import type { Database, Transaction } from './database.ts';
import { fillFacts } from './fill-facts.ts';
import { waitForLockText } from './locks.ts';
import { moveAccounts } from './move-accounts.ts';
import { isLockMissed } from './pg-error.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

export interface MigrationStatus {
  /** The newest number that the database has; 0 for an empty one. */
  readonly current: number;
  readonly latest: number;
  readonly pending: readonly string[];
}

/** What only the program can do for a migration, because it depends on the schemas of the orgs. */
const programs: ReadonlyMap<string, (transaction: Transaction) => Promise<void>> = new Map([
  ['0011-facts.sql', fillFacts],
  ['0012-accounts.sql', moveAccounts],
]);

const fileForm = /^([0-9]{4})-[a-z0-9-]+\.sql$/;

/** Reads the files that come with the program. In the sources and in the build the folder is next to this module. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => fileForm.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { number: Number(name.slice(0, 4)), name, text, checksum: hash('sha256', text) };
    }),
  );
}

export async function migrationStatus(database: Transaction): Promise<MigrationStatus> {
  const migrations = await readMigrations();
  const applied = await readApplied(database);
  const current = Math.max(0, ...applied.map((each) => each.number));
  return {
    current,
    latest: migrations.at(-1)?.number ?? 0,
    pending: migrations.filter((each) => each.number > current).map((each) => each.name),
  };
}

/** Runs the pending migrations and returns their names. */
export async function migrate(database: Database): Promise<readonly string[]> {
  const migrations = await readMigrations();
  // Read first without a lock: a user without the right to change tables can start a service that has nothing to
  // change.
  if (pendingOf(migrations, await readApplied(database)).length === 0) return [];
  return database.transaction(async (transaction) => {
    // A script has no time limit on this side: another process may be migrating for a minute. Building an index of
    // very many records sorts them in temporary files.
    const locking = transaction.script(`set local lock_timeout = '60s'; set local statement_timeout = 0;
      select set_config('temp_file_limit', '-1', true) where has_parameter_privilege('temp_file_limit', 'SET');
      ${waitForLockText({ use: 'migration' })}`);
    await locking.catch((error: unknown) => {
      throw isLockMissed(error) ? stillLocked(error) : error;
    });
    return applyMigrations(transaction, migrations);
  });
}

function stillLocked(error: unknown): Failure {
  return new Failure(
    'database_unreachable',
    'Another process is migrating or restoring the database.',
    'Wait until it has ended, then start again.',
    error,
  );
}

/** Runs those of the given migrations that are pending, and returns their names. */
export async function applyMigrations(
  transaction: Transaction,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Asked first: `create … if not exists` needs the right to create even if it exists.
  const [schema] = await transaction.query<{ exists: boolean }>(
    sql`select to_regnamespace('orrery') is not null as exists`,
  );
  if (schema?.exists !== true) await transaction.query(sql`create schema orrery`);
  await transaction.query(sql`
    create table if not exists orrery.migration (
      number integer primary key, name text not null, checksum text not null,
      applied_at timestamptz not null default now())`);
  const pending = pendingOf(migrations, await readApplied(transaction));
  const isDistributed = await areDistributed(transaction);
  for (const migration of pending) {
    for (const text of isDistributed ? commandsOf(migration.text) : [migration.text]) await transaction.script(text);
    await programs.get(migration.name)?.(transaction);
    await transaction.query(sql`
      insert into orrery.migration (number, name, checksum)
      values (${migration.number}, ${migration.name}, ${migration.checksum})`);
  }
  if (pending.length > 0) await distributeNew(transaction);
  return pending.map((each) => each.name);
}

/** The migrations that this database lacks; throws when it has one that this program does not know. */
function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  refuseForeign(migrations, applied);
  return migrations.filter((each) => !applied.some((done) => done.number === each.number));
}

/** A migration as recorded in the database or in a backup. */
export interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

export async function readApplied(database: Transaction): Promise<readonly Applied[]> {
  const [table] = await database.query<{ exists: boolean }>(
    sql`select to_regclass('orrery.migration') is not null as exists`,
  );
  if (table?.exists !== true) return [];
  return database.query<Applied>(sql`select number, name, checksum from orrery.migration order by number`);
}

/** After a newer program, or a rewritten migration, this program must not touch the tables. */
function refuseForeign(migrations: readonly Migration[], applied: readonly Applied[]): void {
  for (const done of applied) {
    const own = migrations.find((each) => each.number === done.number);
    if (own === undefined) {
      throw new Failure(
        'schema_newer',
        `The database has the tables of a newer Orrery (migration ${done.name}), which this one does not know.`,
        'Start the newer version, or restore a backup that was made with this one.',
      );
    }
    if (own.checksum !== done.checksum) {
      throw new Failure(
        'database_unsuitable',
        `The migration ${done.name} in the database differs from the one in this program.`,
        'Use the release of Orrery that made this database, or a later one.',
      );
    }
  }
}
