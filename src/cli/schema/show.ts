// orrery schema show: prints the custom schema of an org, as a file for "schema apply".
import { showSchema } from '../../engine/admin/schemas.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const schemaShow: Command = {
  name: 'schema show',
  summary: 'Show the custom types, properties, labels and association types of an org',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery schema show --org 1 > schema.json',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const schema = await withDatabase(context, (database) => showSchema(database, orgId));
    context.print(schema, JSON.stringify(schema, null, 2));
  },
};
