// orrery oidc remove: members of an org no longer sign in with its OpenID provider. Sessions that they have go on.
import { dropProvider } from '../../engine/sign-in/for-operator.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const oidcRemove: Command = {
  name: 'oidc remove',
  summary: 'Remove the OpenID provider of an org; sessions go on',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery oidc remove --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const removed = await withEngine(context, (engine) => dropProvider(engine, orgId));
    const text = removed ? `Org ${orgId} has no OpenID provider any more.` : `Org ${orgId} had no OpenID provider.`;
    context.print({ org_id: orgId, removed }, text);
  },
};
