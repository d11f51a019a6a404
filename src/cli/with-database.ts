// Opens the database for one command, with an engine on it for commands that write records. Both are closed however the
// command ends. A folder without a database is an error: a misspelt name must not create one.
import type { Config } from '../config.ts';
import type { CommandEngine } from '../engine/process/call.ts';
import { readDatabaseClock } from '../engine/process/database-clock.ts';
import { openDirectory } from '../engine/process/directory.ts';
import { openWordIndex } from '../engine/process/indexed-words.ts';
import { openSender } from '../engine/process/signal.ts';
import { openStorage } from '../engine/shares/storage.ts';
import type { Database } from '../store/database.ts';
import { databaseExists, noData, openOrBegin, openReady } from '../store/driver/open.ts';
import type { Context } from './command.ts';

type Work<T> = (database: Database) => Promise<T>;

export async function withDatabase<T>({ config }: Context, run: Work<T>): Promise<T> {
  await requireData(config);
  return closing(await openReady(config.place), run);
}

/** For the command that can be the first on a database. */
export async function withNewDatabase<T>({ config }: Context, run: Work<T>): Promise<T> {
  return closing(await openOrBegin(config.place), run);
}

/** Fails if there is no embedded database, which opening would create. The folder is named as it was given. */
export async function requireData({ place, settings }: Config): Promise<void> {
  if (place.engine === 'server' || (await databaseExists(place))) return;
  const given = settings.find(({ name }) => name === 'dataDir')?.value;
  throw noData(given ?? place.dataDir);
}

async function closing<T>(database: Database, run: Work<T>): Promise<T> {
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

/** Wakes readers that wait for changes, after the last write too. */
export async function withEngine<T>(context: Context, run: (engine: CommandEngine) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    const clock = await readDatabaseClock(database.urgent);
    // A signal that cannot be sent is not an error: each waiting reader also polls.
    const signal = openSender(database, () => {});
    const directory = openDirectory(database.urgent, clock);
    // A sum that cannot be stored is not an error either: housekeeping counts what orgs store.
    const storage = openStorage(database.urgent, clock, () => {});
    // Neither are words that wait longer for their index: a later write indexes them.
    const words = openWordIndex(database, clock, () => {});
    try {
      return await run({ clock, database, directory, signal, storage, words });
    } finally {
      for (const part of [signal, storage, words]) await part.close();
    }
  });
}
