// orrery index list: lists the automatic indexes of an org, with the state and the last use of each.
import { listIndexesOf } from '../../engine/admin/property-indexes.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const indexList: Command = {
  name: 'index list',
  summary: 'List the automatic indexes of an org, with their last use',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery index list --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const indexes = await withDatabase(context, (database) => listIndexesOf(database, orgId));
    const value = indexes.map(({ typeName, property, state, askedAt, credentialId }) => ({
      object_type: typeName,
      property,
      state,
      asked_at: askedAt.toISOString(),
      ...(credentialId === null ? {} : { key_id: credentialId }),
    }));
    const rows = value.map((each) => [each.object_type, each.property, each.state, each.asked_at, each.key_id ?? '']);
    context.print(value, table([['TYPE', 'PROPERTY', 'STATE', 'LAST USED', 'KEY'], ...rows]));
  },
};
