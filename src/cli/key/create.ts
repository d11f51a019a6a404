// orrery key create: creates a key for an org and shows its secret once.
import { type Reach, reaches } from '../../access/caller.ts';
import { fullGrant, grantOperations } from '../../access/grant.ts';
import { systemClock } from '../../base/clock.ts';
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { issueKey } from '../../engine/admin/keys.ts';
import type { Command } from '../command.ts';
import { parseDuration, parseGrants, parseName, parseOrgId, usage } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Create a key for an org; its secret is shown once',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--user <ID>', description: 'the user that the key acts for' },
    { flags: '--reach <REACH>', description: 'the records it reaches: org (default) or user' },
    {
      flags: '--grant <GRANT>',
      description: `TYPE[,TYPE…]:OP[,OP…], may be repeated (default: *:${grantOperations.join(',')})`,
      repeatable: true,
    },
    { flags: '--name <NAME>', description: 'what the key is for' },
    { flags: '--expires <TIME>', description: 'how long it is valid, such as 90d (default: until it is revoked)' },
  ],
  example: 'orrery key create --org 1 --name sync --grant svc_contact,svc_company:read,update --expires 90d',
  run: async (context) => {
    const { options } = context;
    const grants = parseGrants(options.list('grant'));
    if (grants.length > bounds.cli.grantsPerKey) {
      throw usage(`A key has at most ${bounds.cli.grantsPerKey} grants.`, 'Combine several types in one grant.');
    }
    const expires = options.text('expires');
    const request = {
      orgId: parseOrgId(options.text('org')),
      name: parseName(options.text('name') ?? 'key', 'The name of a key'),
      userId: parseUserId(options.text('user')),
      reach: parseReach(options.text('reach') ?? 'org'),
      grants: grants.length === 0 ? [fullGrant] : grants,
      expiresAt:
        expires === undefined ? null : new Date(systemClock.nowMs() + parseDuration(expires, '--expires') * 1_000),
    };
    const { credentialId, key } = await withDatabase(context, (database) => issueKey(database, request));
    context.print(
      { key_id: credentialId, key },
      `${key}\n\nThis is the only time the key is shown. Its id is ${credentialId}.`,
    );
  },
};

function parseUserId(text: string | undefined): string | null {
  if (text === undefined || isId(text)) return text ?? null;
  throw usage('--user must be the id of a user.', 'See "orrery user list".');
}

function parseReach(text: string): Reach {
  const reach = reaches.find((each) => each === text);
  if (reach !== undefined) return reach;
  throw usage(`--reach must be one of ${reaches.join(', ')}.`, 'For example: --reach org.');
}
