// orrery schema show: what an org has added to the built-in vocabulary, as a file that "schema apply" takes back.
import { showSchema } from '../../engine/admin/schemas.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const schemaShow: Command = {
  name: 'schema show',
  summary: "Show an org's custom types, properties, labels and association types",
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery schema show --org 1 > schema.json',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const schema = await withDatabase(context, (database) => showSchema(database, orgId));
    context.print(schema, JSON.stringify(schema, null, 2));
  },
};
