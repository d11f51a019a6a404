// orrery trash purge: deleted records go for good, before their time. Whoever wants all of them to go has to say so.
import { purgeFromTrash } from '../../engine/admin/trash.ts';
import type { Command } from '../command.ts';
import { parseDuration, parseOrgId, usage } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const trashPurge: Command = {
  name: 'trash purge',
  summary: 'Take deleted records away for good, with all that hangs on them',
  argument: ['[RECORD_ID]', 'one record, as "trash list" names it'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'those of one object type' },
    { flags: '--older-than <TIME>', description: 'those deleted longer ago than this, such as 7d or 12h' },
    { flags: '--all', description: 'all that are in the trash' },
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
        '--all takes no other selection beside it.',
        `Leave out --all, or ${JSON.stringify(named.slice(0, 80))}.`,
      );
    }
    if (!options.flag('all') && named === undefined) {
      throw usage(
        'Nothing says which records are to go for good.',
        'Name a RECORD_ID, --type or --older-than, or say --all.',
      );
    }
    const olderThanSeconds = age === undefined ? undefined : parseDuration(age, '--older-than');
    const purged = await withEngine(context, (engine) =>
      purgeFromTrash(engine, { orgId, typeName, id, olderThanSeconds }),
    );
    const records = purged === 1 ? 'One record is' : `${purged} records are`;
    context.print({ org_id: orgId, purged }, `${records} gone for good.`);
  },
};
