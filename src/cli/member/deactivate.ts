// orrery member deactivate: suspends the keys of a member in every process within a second.
import { isId } from '../../base/id.ts';
import { deactivateMember } from '../../engine/admin/members.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const memberDeactivate: Command = {
  name: 'member deactivate',
  summary: 'Suspend the keys of a member within a second',
  argument: ['<MEMBER_ID>', 'the id of the member, as "member list" shows it'],
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery member deactivate --org 1 019a8c7e-3f51-7c02-9d4b-2f6e8a1b3c5d',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const memberId = context.argument;
    if (!isId(memberId)) throw usage('MEMBER_ID must be the id of a member.', 'See "orrery member list".');
    const changed = await withDatabase(context, (database) => deactivateMember(database, orgId, memberId));
    const text = changed ? `Member ${memberId} is not active any more.` : `Member ${memberId} was not active.`;
    context.print({ member_id: memberId, org_id: orgId, active: false, changed }, text);
  },
};
