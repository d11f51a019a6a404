// Opens the database for one command, with an engine on it for commands that write records. Both are closed however the
// command ends.
import { systemClock } from '../base/clock.ts';
import type { CommandEngine } from '../engine/process/call.ts';
import { openDirectory } from '../engine/process/directory.ts';
import { openSender } from '../engine/process/signal.ts';
import { openStorage } from '../engine/shares/storage.ts';
import type { Database } from '../store/database.ts';
import { openReady } from '../store/driver/open.ts';
import type { Context } from './command.ts';

export async function withDatabase<T>({ config }: Context, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await openReady(config.place);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

/** Wakes readers that wait for changes, after the last write too. */
export async function withEngine<T>(context: Context, run: (engine: CommandEngine) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    // A signal that cannot be sent is not an error: each waiting reader also polls.
    const signal = openSender(database, () => {});
    const directory = openDirectory(database.urgent, systemClock);
    // A sum that cannot be stored is not an error either: housekeeping counts what orgs store.
    const storage = openStorage(database.urgent, systemClock, () => {});
    try {
      return await run({ clock: systemClock, database, directory, signal, storage });
    } finally {
      await signal.close();
      await storage.close();
    }
  });
}
