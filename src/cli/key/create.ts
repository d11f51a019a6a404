// orrery key create: creates a key for an org and shows its secret once.
import { type Reach, reaches } from '../../access/caller.ts';
import { adminGrant, fullGrant, grantForm, grantOperations } from '../../access/grant.ts';
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { issueKey } from '../../engine/admin/keys.ts';
import type { Database } from '../../store/database.ts';
import { databaseTime } from '../../store/database-time.ts';
import type { Command } from '../command.ts';
import { parseDuration, parseGrants, parseName, parseOrgId, usage } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Create a key for an org; its secret is shown once',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--user <ID>', description: 'the member that the key acts for' },
    { flags: '--reach <REACH>', description: 'the records it reaches: org (default) or user' },
    {
      flags: '--grant <GRANT>',
      description: `${grantForm}, may be repeated (default: *:${grantOperations.join(',')})`,
      repeatable: true,
    },
    { flags: '--admin', description: 'add every operation on members, roles, keys and the other platform types' },
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
    const validSeconds = expires === undefined ? undefined : parseDuration(expires, '--expires');
    const request = {
      orgId: parseOrgId(options.text('org')),
      name: parseName(options.text('name') ?? 'key', 'The name of a key'),
      userId: parseUserId(options.text('user')),
      reach: parseReach(options.text('reach') ?? 'org'),
      grants: [...(grants.length === 0 ? [fullGrant] : grants), ...(options.flag('admin') ? [adminGrant] : [])],
    };
    const { credentialId, key } = await withDatabase(context, async (database) =>
      issueKey(database, { ...request, expiresAt: await timeAfter(database, validSeconds) }),
    );
    context.print(
      { key_id: credentialId, key },
      `${key}\n\nThis is the only time the key is shown. Its id is ${credentialId}.`,
    );
  },
};

/** By the database's clock, by which keys expire. */
async function timeAfter(database: Database, seconds: number | undefined): Promise<Date | null> {
  return seconds === undefined ? null : new Date((await databaseTime(database)).getTime() + seconds * 1_000);
}

function parseUserId(text: string | undefined): string | null {
  if (text === undefined || isId(text)) return text ?? null;
  throw usage('--user must be the id of a member.', 'See "orrery member list".');
}

function parseReach(text: string): Reach {
  const reach = reaches.find((each) => each === text);
  if (reach !== undefined) return reach;
  throw usage(`--reach must be one of ${reaches.join(', ')}.`, 'For example: --reach org.');
}
