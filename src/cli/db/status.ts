// orrery db status: which database this is and how far its tables are. Looks, and changes nothing.
import { Failure } from '../../base/failure.ts';
import { databaseExists, openUnmigrated } from '../../store/driver/open.ts';
import { migrationStatus } from '../../store/migrate.ts';
import type { Command } from '../command.ts';

export const dbStatus: Command = {
  name: 'db status',
  summary: 'Show the database and its pending migrations',
  example: 'orrery db status --json',
  run: async (context) => {
    const { place: where } = context.config;
    if (!(await databaseExists(where))) {
      throw new Failure('not_found', 'There is no database in the data folder yet.', 'Start one with "orrery serve".');
    }
    const database = await openUnmigrated(where);
    try {
      const { engine, version, place } = database.facts;
      const status = await migrationStatus(database);
      const state =
        status.current > status.latest
          ? 'newer than this program'
          : status.pending.length > 0
            ? `${status.pending.length} migrations pending`
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
