// orrery member list: lists the members of an org.
import { listMembers } from '../../engine/admin/members.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const memberList: Command = {
  name: 'member list',
  summary: 'List the members of an org',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery member list --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const members = await withDatabase(context, (database) => listMembers(database, orgId));
    const value = members.map((member) => ({
      member_id: member.memberId,
      user_id: member.memberId,
      org_id: orgId,
      name: member.name,
      ...(member.email === null ? {} : { email: member.email }),
      active: member.active,
      ...(member.role === null ? {} : { role: member.role }),
      created_at: member.createdAt.toISOString(),
    }));
    const rows = members.map((member) => [
      member.memberId,
      member.name,
      member.email ?? '',
      member.role ?? '',
      member.active ? 'yes' : 'no',
      member.createdAt.toISOString(),
    ]);
    context.print(value, table([['MEMBER', 'NAME', 'EMAIL', 'ROLE', 'ACTIVE', 'CREATED'], ...rows]));
  },
};
