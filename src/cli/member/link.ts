// orrery member link, orrery member invite: a link by which a member signs in once.
import { linkForMember } from '../../engine/sign-in/for-operator.ts';
import type { Command, Context } from '../command.ts';
import { consoleLink } from '../terminal/addresses.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { printable } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';

const argument = ['<EMAIL>', 'the email address of the member'] as const;
const options = [{ flags: '--org <ID>', description: 'the org', required: true }] as const;

export const memberLink: Command = {
  name: 'member link',
  summary: 'Print a link that signs a member in, once, within 10 minutes',
  argument,
  options,
  example: 'orrery member link --org 1 ada@example.com',
  run: (context) => printLink(context, 'link'),
};

export const memberInvite: Command = {
  name: 'member invite',
  summary: 'Print a link of 7 days by which a member signs in and chooses a password',
  argument,
  options,
  example: 'orrery member invite --org 1 ada@example.com',
  run: (context) => printLink(context, 'invitation'),
};

async function printLink(context: Context, kind: 'link' | 'invitation'): Promise<void> {
  const { config, argument: email, options: given } = context;
  const orgId = parseOrgId(given.text('org'));
  const made = await withEngine(context, (engine) => linkForMember(engine, { orgId, email, kind }));
  const link = consoleLink(config, made.token);
  const until = made.expiresAt.toISOString();
  context.print(
    { org_id: orgId, member_id: made.member.memberId, link, expires_at: until },
    `${link}\nSigns ${printable(made.member.name)} in, once, until ${until}.`,
  );
}
