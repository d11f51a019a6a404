// orrery db distribute: places the rows of each org on one of the servers of a Citus cluster.
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { distribute } from '../../store/cluster/distribute.ts';
import { openAlone, openOrBegin } from '../../store/driver/open.ts';
import type { Command } from '../command.ts';
import { plural } from '../terminal/text.ts';
import { requireData } from '../with-database.ts';

export const dbDistribute: Command = {
  name: 'db distribute',
  summary: 'Distribute the tables over the workers of a Citus cluster, by org',
  options: [
    {
      flags: '--shards <NUMBER>',
      description: `into how many parts, at most ${bounds.cli.shardsMax} (default: ${bounds.cli.shards})`,
    },
  ],
  example: 'orrery db distribute --database-url postgres://orrery@coordinator/orrery',
  run: async (context) => {
    const { place } = context.config;
    const shards = shardsOf(context.options.text('shards'));
    await requireData(context.config);
    if (place.engine !== 'server') {
      throw new Failure(
        'usage',
        'The embedded PostgreSQL is a single server.',
        'Name the first server of a Citus cluster with --database-url.',
      );
    }
    // The tables come first, where there are none.
    await (await openOrBegin(place)).close();
    const connection = await openAlone(place.url);
    try {
      const done = await distribute(connection, shards);
      const { tables, before, workers } = done;
      const what =
        tables.length === 0
          ? `All ${plural(before, 'table')} were distributed before`
          : `Distributed ${plural(tables.length, 'table')}`;
      context.print(
        done,
        `${what}, in ${plural(done.shards, 'part')} on ${plural(workers.length, 'worker')}: ${workers.join(', ')}.`,
      );
    } finally {
      await connection.close();
    }
  },
};

function shardsOf(text: string | undefined): number {
  if (text === undefined) return bounds.cli.shards;
  const shards = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= bounds.cli.shardsMax) return shards;
  throw new Failure(
    'usage',
    `The number of shards "${text}" is not between 1 and ${bounds.cli.shardsMax}.`,
    'Give a whole number, at least as many as there will ever be workers.',
  );
}
