// Opens the database for one command, with an engine on it for commands that write records. Both are closed however the
// command ends. A folder without a database is an error: a misspelt name must not create one.
import type { Config } from '../config.ts';
import type { CommandEngine } from '../engine/process/call.ts';
import { withCommandEngine } from '../engine/process/command-engine.ts';
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

export async function withEngine<T>(context: Context, run: (engine: CommandEngine) => Promise<T>): Promise<T> {
  return withDatabase(context, (database) => withCommandEngine(database, run));
}
