// orrery user list: lists the users of an org.
import { requireOrg } from '../../engine/admin/orgs.ts';
import { listUsers } from '../../store/org/orgs.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const userList: Command = {
  name: 'user list',
  summary: 'List the users of an org',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery user list --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const users = await withDatabase(context, async (database) => {
      await requireOrg(database, orgId);
      return listUsers(database, orgId);
    });
    const value = users.map((user) => ({
      user_id: user.userId,
      org_id: user.orgId,
      name: user.name,
      ...(user.email === null ? {} : { email: user.email }),
      created_at: user.createdAt.toISOString(),
    }));
    const rows = value.map((user) => [user.user_id, user.name, user.email ?? '', user.created_at]);
    context.print(value, table([['USER', 'NAME', 'EMAIL', 'CREATED'], ...rows]));
  },
};
