// orrery key list: lists the keys of one org or of all orgs, without their secrets, which are not stored.
import { grantJson, readGrants } from '../../access/grant.ts';
import { listKeys } from '../../engine/admin/keys.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'List keys, with their grants and last use',
  options: [{ flags: '--org <ID>', description: 'only the keys of this org' }],
  example: 'orrery key list --org 1',
  run: async (context) => {
    const org = context.options.text('org');
    const keys = await withDatabase(context, (database) =>
      listKeys(database, org === undefined ? undefined : parseOrgId(org)),
    );
    const value = keys.map((key) => ({
      key_id: key.credentialId,
      org_id: key.orgId,
      name: key.name,
      ...(key.userId === null ? {} : { user_id: key.userId }),
      reach: key.reach,
      grants: readGrants(key.grants).map(grantJson),
      created_at: key.createdAt.toISOString(),
      ...dated('last_used_at', key.lastUsedAt),
      ...dated('expires_at', key.expiresAt),
      ...dated('revoked_at', key.revokedAt),
    }));
    const rows = keys.map((key) => [
      key.credentialId,
      String(key.orgId),
      key.name,
      key.reach,
      key.grants.join(' '),
      key.revokedAt !== null ? 'revoked' : (key.expiresAt?.toISOString() ?? 'never'),
      key.lastUsedAt?.toISOString() ?? 'never',
    ]);
    context.print(value, table([['KEY', 'ORG', 'NAME', 'REACH', 'GRANTS', 'ENDS', 'LAST USED'], ...rows]));
  },
};

function dated(name: string, date: Date | null): Record<string, string> {
  return date === null ? {} : { [name]: date.toISOString() };
}
