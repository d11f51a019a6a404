// orrery member create: creates a member of an org, for whom keys can act and to whom records can belong.
import { createMember } from '../../engine/admin/members.ts';
import { email as emailType } from '../../schema/fields/email.ts';
import type { Command } from '../command.ts';
import { parseName, parseOrgId, usage } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const memberCreate: Command = {
  name: 'member create',
  summary: 'Create a member of an org',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--name <NAME>', description: 'the name of the member', required: true },
    { flags: '--email <EMAIL>', description: 'the email address of the member' },
    { flags: '--role <NAME>', description: 'the role of the member, such as Administrator' },
  ],
  example: 'orrery member create --org 1 --name "Ada Lovelace" --email ada@example.com --role Member',
  run: async (context) => {
    const { options } = context;
    const orgId = parseOrgId(options.text('org'));
    const name = parseName(options.text('name'), 'The name of a member');
    const email = options.text('email') ?? null;
    const role = options.text('role');
    if (email !== null && emailType.check(email, []) !== undefined) {
      throw usage('--email must be an email address.', 'For example: --email ada@example.com.');
    }
    const memberId = await withDatabase(context, (database) => createMember(database, { orgId, name, email, role }));
    context.print(
      {
        member_id: memberId,
        // The id has two names, because links name members as users.
        user_id: memberId,
        org_id: orgId,
        name,
        ...(email === null ? {} : { email }),
        ...(role === undefined ? {} : { role }),
      },
      `Member ${memberId}: ${name}\nNext: orrery key create --org ${orgId} --user ${memberId} --reach user`,
    );
  },
};
