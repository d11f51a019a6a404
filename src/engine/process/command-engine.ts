// The engine of a command, which writes records by the same rules as the service and is closed when the command ends.
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../store/database.ts';
import { openStorage } from '../shares/storage.ts';
import type { CommandEngine } from './call.ts';
import { readDatabaseClock } from './database-clock.ts';
import { openDirectory } from './directory.ts';
import { openWordIndex } from './indexed-words.ts';
import { openSender } from './signal.ts';

/** Wakes readers that wait for changes, after the last write too. It dates what it writes by the database, or by another clock. */
export async function withCommandEngine<T>(
  database: Database,
  run: (engine: CommandEngine) => Promise<T>,
  ownClock?: Clock,
): Promise<T> {
  const clock = ownClock ?? (await readDatabaseClock(database.urgent));
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
}
