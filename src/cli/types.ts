// orrery types: prints the schema of an org as TypeScript, for programs that use the client.
import { requireOrg } from '../engine/admin/orgs.ts';
import { buildCatalog } from '../schema/custom/build-catalog.ts';
import { printTypes } from '../schema/print-types.ts';
import { findCustomSchema } from '../store/org/custom-schemas.ts';
import type { Command } from './command.ts';
import { parseOrgId } from './terminal/arguments.ts';
import { withDatabase } from './with-database.ts';

export const types: Command = {
  name: 'types',
  summary: 'Print TypeScript types of the schema of an org, for the client',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery types --org 1 > schema.ts',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const custom = await withDatabase(context, async (database) => {
      await requireOrg(database, orgId);
      return findCustomSchema(database, orgId);
    });
    const opening = `The schema of org ${orgId}, printed by "orrery types --org ${orgId}". Print it again when the schema has grown.`;
    const text = printTypes(buildCatalog(custom), opening);
    context.print({ typescript: text }, text);
  },
};
