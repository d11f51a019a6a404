// orrery db status: shows the database and its pending migrations. Changes nothing.
import { openUnmigrated } from '../../store/driver/open.ts';
import { migrationStatus } from '../../store/migrate.ts';
import type { Command } from '../command.ts';
import { plural } from '../terminal/text.ts';
import { requireData } from '../with-database.ts';

export const dbStatus: Command = {
  name: 'db status',
  summary: 'Show the database and its pending migrations',
  example: 'orrery db status --json',
  run: async (context) => {
    const { place: where } = context.config;
    await requireData(context.config);
    const database = await openUnmigrated(where);
    try {
      const { engine, version, place } = database.facts;
      const status = await migrationStatus(database);
      const state =
        status.current > status.latest
          ? 'newer than this program'
          : status.pending.length > 0
            ? plural(status.pending.length, 'pending migration')
            : 'up to date';
      context.print(
        { engine, version, place, ...status },
        `PostgreSQL ${version} (${engine}) in ${place}\nTables at migration ${status.current}: ${state}.`,
      );
    } finally {
      await database.close();
    }
  },
};
