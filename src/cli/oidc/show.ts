// orrery oidc show: the OpenID provider of an org, without its secret.
import { showProvider } from '../../engine/sign-in/for-operator.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const oidcShow: Command = {
  name: 'oidc show',
  summary: 'Show the OpenID provider of an org',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery oidc show --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const provider = await withEngine(context, (engine) => showProvider(engine, orgId));
    if (provider === undefined) {
      context.print(null, `Org ${orgId} has no OpenID provider. Set one with "orrery oidc set".`);
      return;
    }
    const { issuer, clientId, provisionRole, emailDomains } = provider;
    const provisions =
      provisionRole === null
        ? 'Members are created by an administrator.'
        : `People with an address at ${emailDomains.join(', ')} become members with the role ${provisionRole}.`;
    context.print(
      { org_id: orgId, issuer, client_id: clientId, provision: provisionRole, email_domains: emailDomains },
      `Members of org ${orgId} can sign in with ${issuer}, as client ${clientId}.\n${provisions}`,
    );
  },
};
