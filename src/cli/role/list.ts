// orrery role list: lists the roles of an org, with their grants.
import { listRoles } from '../../engine/admin/members.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const roleList: Command = {
  name: 'role list',
  summary: 'List the roles of an org',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery role list --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const roles = await withDatabase(context, (database) => listRoles(database, orgId));
    const value = roles.map(({ roleId, name, reach, grants }) => ({
      role_id: roleId,
      org_id: orgId,
      name,
      reach,
      grants,
    }));
    const rows = roles.map(({ roleId, name, reach, grants }) => [roleId, name, reach, grants.join(' ')]);
    context.print(value, table([['ROLE', 'NAME', 'REACH', 'GRANTS'], ...rows]));
  },
};
