// orrery org create: creates an org.
import { orgPolicyDefault } from '../../base/limits.ts';
import { createOrg } from '../../engine/admin/orgs.ts';
import type { Command } from '../command.ts';
import { parseCurrency, parseName, parseRateLimit, parseStorageQuota } from '../terminal/arguments.ts';
import { withNewDatabase } from '../with-database.ts';

export const orgCreate: Command = {
  name: 'org create',
  summary: 'Create an org',
  argument: ['<NAME>', 'its name, which need not be unique'],
  options: [
    { flags: '--currency <CODE>', description: "the currency of the org's totals (default: USD)" },
    { flags: '--rate-limit <N/SECONDS>', description: 'requests per window of seconds (default: 6000/60)' },
    {
      flags: '--storage-quota <SIZE>',
      description: 'bytes that it may store: 500MB, 10GB (powers of 1,000) or a number of bytes (default: none)',
    },
  ],
  example: 'orrery org create "Acme Ltd" --currency EUR',
  run: async (context) => {
    const { options } = context;
    const rate = options.text('rateLimit');
    const { quota, windowSeconds } = rate === undefined ? orgPolicyDefault : parseRateLimit(rate);
    const org = {
      name: parseName(context.argument, 'The name of an org'),
      currency: parseCurrency(options.text('currency') ?? 'USD'),
      rateQuota: quota,
      rateWindowSeconds: windowSeconds,
      storageQuota: parseStorageQuota(options.text('storageQuota') ?? 'none'),
    };
    const orgId = await withNewDatabase(context, (database) => createOrg(database, org));
    context.print(
      { org_id: orgId, name: org.name },
      `Org ${orgId}: ${org.name}\nNext: orrery key create --org ${orgId}`,
    );
  },
};
