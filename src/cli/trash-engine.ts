// What the commands of the trash work with: the database, and a signal that wakes those who wait for changes.
import { systemClock } from '../base/clock.ts';
import type { UnitCall } from '../engine/call.ts';
import { openDirectory } from '../engine/directory.ts';
import { openSender } from '../engine/signal.ts';
import { type Context, withDatabase } from './command.ts';

export async function withTrash<T>(context: Context, run: (engine: UnitCall['engine']) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    // Nobody relies on being told: whoever waits looks by himself after a while.
    const signal = openSender(database, () => {});
    try {
      return await run({
        clock: systemClock,
        database,
        directory: openDirectory(database.urgent, systemClock),
        signal,
      });
    } finally {
      await signal.close();
    }
  });
}
