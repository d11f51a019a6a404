// What a command that writes records works with: the database, the orgs in it, and a signal that wakes those who wait for
// changes, of the last write too.
import { systemClock } from '../base/clock.ts';
import type { UnitCall } from '../engine/process/call.ts';
import { openDirectory } from '../engine/process/directory.ts';
import { openSender } from '../engine/process/signal.ts';
import { type Context, withDatabase } from './command.ts';

export type CommandEngine = UnitCall['engine'];

export async function withEngine<T>(context: Context, run: (engine: CommandEngine) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    // Nobody relies on being told: whoever waits looks by himself after a while.
    const signal = openSender(database, () => {});
    const directory = openDirectory(database.urgent, systemClock);
    try {
      return await run({ clock: systemClock, database, directory, signal });
    } finally {
      await signal.close();
    }
  });
}
