// orrery trash restore: restores a deleted record with its links and stages.
import { restoreFromTrash } from '../../engine/admin/trash.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const trashRestore: Command = {
  name: 'trash restore',
  summary: 'Restore a deleted record with its links',
  argument: ['<RECORD_ID>', 'the record, as "trash list" shows it'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'its object type (default: any)' },
  ],
  example: 'orrery trash restore --org 1 0199b1a2-7c5e-7000-8f00-2b1d4c6e8a90',
  run: async (context) => {
    const { options, argument } = context;
    const place = { orgId: parseOrgId(options.text('org')), typeName: options.text('type') };
    const { type, id, version, restored } = await withEngine(context, (engine) =>
      restoreFromTrash(engine, place, argument),
    );
    context.print(
      { id, object_type: type.name, version, restored },
      restored
        ? `Restored record ${id} of ${type.name}.`
        : `Record ${id} of ${type.name} is not in the trash: it is live.`,
    );
  },
};
