// orrery user create: creates a user of an org, for whom keys can act and to whom records can belong.
import { createUser } from '../../engine/admin/orgs.ts';
import { email as emailType } from '../../schema/fields/email.ts';
import type { Command } from '../command.ts';
import { parseName, parseOrgId, usage } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const userCreate: Command = {
  name: 'user create',
  summary: 'Create a user of an org',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--name <NAME>', description: 'the name of the user', required: true },
    { flags: '--email <EMAIL>', description: 'the email address of the user' },
  ],
  example: 'orrery user create --org 1 --name "Ada Lovelace" --email ada@example.com',
  run: async (context) => {
    const { options } = context;
    const orgId = parseOrgId(options.text('org'));
    const name = parseName(options.text('name'), 'The name of a user');
    const email = options.text('email') ?? null;
    if (email !== null && emailType.check(email, []) !== undefined) {
      throw usage('--email must be an email address.', 'For example: --email ada@example.com.');
    }
    const userId = await withDatabase(context, (database) => createUser(database, { orgId, name, email }));
    context.print(
      { user_id: userId, org_id: orgId, name, ...(email === null ? {} : { email }) },
      `User ${userId}: ${name}\nNext: orrery key create --org ${orgId} --user ${userId} --reach user`,
    );
  },
};
