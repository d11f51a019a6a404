// orrery org list: lists all orgs of this installation.
import { listOrgs } from '../../store/org/orgs.ts';
import { listStorage } from '../../store/org/storage.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';
import { orgHeadings, orgRow, orgValue } from './printed-org.ts';

export const orgList: Command = {
  name: 'org list',
  summary: 'List the orgs, with their limits and what they store',
  example: 'orrery org list --json',
  run: async (context) => {
    const value = await withDatabase(context, async (database) => {
      const storage = new Map((await listStorage(database)).map((each) => [each.orgId, each.bytes]));
      return (await listOrgs(database)).map((org) => orgValue(org, storage.get(org.orgId) ?? 0));
    });
    context.print(value, table([orgHeadings, ...value.map(orgRow)]));
  },
};
