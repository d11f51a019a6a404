// orrery index drop: takes an automatic index out of use. The service removes its rows in the background.
import { dropIndex } from '../../engine/admin/property-indexes.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const indexDrop: Command = {
  name: 'index drop',
  summary: 'Drop an automatic index; the service removes it within minutes',
  argument: ['<PROPERTY>', 'the property, as "index list" shows it'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type', required: true },
  ],
  example: 'orrery index drop --org 1 --type svc_contact svc_job_title',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const typeName = context.options.text('type') ?? '';
    const property = context.argument;
    const dropped = await withDatabase(context, (database) => dropIndex(database, { orgId, typeName, property }));
    const name = `${typeName}.${property}`;
    context.print(
      { org_id: orgId, object_type: typeName, property, dropped },
      dropped
        ? `The index of ${name} is out of use. While the service runs, it removes the index within minutes.`
        : `The index of ${name} is being removed already.`,
    );
  },
};
