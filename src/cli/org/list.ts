// orrery org list: lists all orgs of this installation.
import { listOrgs } from '../../store/org/orgs.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const orgList: Command = {
  name: 'org list',
  summary: 'List the orgs',
  example: 'orrery org list --json',
  run: async (context) => {
    const orgs = await withDatabase(context, listOrgs);
    const value = orgs.map((org) => ({
      org_id: org.orgId,
      name: org.name,
      currency: org.currency,
      rate_limit: { quota: org.rateQuota, window_seconds: org.rateWindowSeconds },
      created_at: org.createdAt.toISOString(),
    }));
    const rows = value.map((org) => [
      String(org.org_id),
      org.name,
      org.currency,
      `${org.rate_limit.quota}/${org.rate_limit.window_seconds}`,
      org.created_at,
    ]);
    context.print(value, table([['ORG', 'NAME', 'CURRENCY', 'RATE LIMIT', 'CREATED'], ...rows]));
  },
};
