// orrery db migrate: runs the pending migrations, as "serve" does when it starts.
import { openUnmigrated } from '../../store/driver/open.ts';
import { migrate, migrationStatus } from '../../store/migrate.ts';
import type { Command } from '../command.ts';
import { requireData } from '../with-database.ts';

export const dbMigrate: Command = {
  name: 'db migrate',
  summary: 'Run the pending migrations',
  example: 'orrery db migrate --database-url postgres://orrery@localhost/orrery',
  run: async (context) => {
    await requireData(context.config);
    const database = await openUnmigrated(context.config.place);
    try {
      const applied = await migrate(database);
      const { current } = await migrationStatus(database);
      const text = applied.length === 0 ? 'No pending migrations.' : `Applied ${applied.join(', ')}.`;
      context.print({ applied, current }, `${text} The tables are at migration ${current}.`);
    } finally {
      await database.close();
    }
  },
};
