// orrery oidc unbind: a member no longer belongs to one account at the OpenID provider. The next one with its address does.
import { unbindMember } from '../../engine/sign-in/for-operator.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const oidcUnbind: Command = {
  name: 'oidc unbind',
  summary: 'Let a member sign in with another account of the OpenID provider',
  argument: ['<EMAIL>', 'the email address of the member'],
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery oidc unbind --org 1 ada@example.com',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const { memberId, accounts } = await withEngine(context, (engine) => unbindMember(engine, orgId, context.argument));
    const text =
      accounts === 0
        ? `The member ${memberId} has not signed in with a provider yet.`
        : `The member ${memberId} belongs to the next account with this email address that signs in.`;
    context.print({ org_id: orgId, member_id: memberId, unbound: accounts }, text);
  },
};
