// orrery trash purge: removes deleted records for good before their time. Purging all of them needs --all.
import { purgeFromTrash } from '../../engine/admin/trash.ts';
import type { Command } from '../command.ts';
import { parseDuration, parseOrgId, usage } from '../terminal/arguments.ts';
import { plural } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';

export const trashPurge: Command = {
  name: 'trash purge',
  summary: 'Remove deleted records for good, with everything that belongs to them',
  argument: ['[RECORD_ID]', 'one record, as "trash list" shows it'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'records of this object type' },
    { flags: '--older-than <TIME>', description: 'records deleted longer ago than this, such as 7d or 12h' },
    { flags: '--all', description: 'all records in the trash' },
  ],
  example: 'orrery trash purge --org 1 --older-than 7d',
  run: async (context) => {
    const { options, argument } = context;
    const orgId = parseOrgId(options.text('org'));
    const typeName = options.text('type');
    const age = options.text('olderThan');
    const id = argument === '' ? undefined : argument;
    const named = id ?? typeName ?? age;
    if (options.flag('all') && named !== undefined) {
      throw usage(
        '--all cannot be combined with another selection.',
        `Omit --all or ${JSON.stringify(named.slice(0, 80))}.`,
      );
    }
    if (!options.flag('all') && named === undefined) {
      throw usage('No records are selected.', 'Give a RECORD_ID, --type or --older-than, or use --all.');
    }
    const olderThanSeconds = age === undefined ? undefined : parseDuration(age, '--older-than');
    const purged = await withEngine(context, (engine) =>
      purgeFromTrash(engine, { orgId, typeName, id, olderThanSeconds }),
    );
    context.print({ org_id: orgId, purged }, `Purged ${plural(purged, 'record')}.`);
  },
};
