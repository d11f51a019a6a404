// orrery version: shows the release and the platform.
import { release } from '../config.ts';
import { readMigrations } from '../store/migrate.ts';
import type { Command } from './command.ts';

export const version: Command = {
  name: 'version',
  summary: 'Show the release',
  example: 'orrery version --json',
  run: async (context) => {
    const migrations = await readMigrations();
    const value = {
      release,
      api_version: 'v1',
      schema_version: migrations.at(-1)?.number ?? 0,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    };
    context.print(value, `orrery ${release} (node ${value.node}, ${value.platform})`);
  },
};
