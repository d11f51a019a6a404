// orrery org update: changes the name or the limits of an org.
import { changeOrg } from '../../engine/admin/orgs.ts';
import { findStorage } from '../../store/org/storage.ts';
import type { Command } from '../command.ts';
import { parseName, parseOrgId, parseRateLimit, parseStorageQuota, usage } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';
import { orgHeadings, orgRow, orgValue } from './printed-org.ts';

export const orgUpdate: Command = {
  name: 'org update',
  summary: 'Change the name or the limits of an org',
  argument: ['<ORG_ID>', 'the number of the org'],
  options: [
    { flags: '--name <NAME>', description: 'its new name' },
    { flags: '--rate-limit <N/SECONDS>', description: 'requests per window of seconds' },
    {
      flags: '--storage-quota <SIZE>',
      description: 'bytes that it may store: 500MB, 10GB (powers of 1,000), a number of bytes, or none',
    },
  ],
  example: 'orrery org update 1 --storage-quota 10GB',
  run: async (context) => {
    const { options } = context;
    const orgId = parseOrgId(context.argument, 'The argument');
    const [name, rate, quota] = [options.text('name'), options.text('rateLimit'), options.text('storageQuota')];
    if (name === undefined && rate === undefined && quota === undefined) {
      throw usage('There is nothing to change.', 'Pass --name, --rate-limit or --storage-quota.');
    }
    const limit = rate === undefined ? undefined : parseRateLimit(rate);
    const changes = {
      ...(name === undefined ? {} : { name: parseName(name, 'The name of an org') }),
      ...(limit === undefined ? {} : { rateQuota: limit.quota, rateWindowSeconds: limit.windowSeconds }),
      ...(quota === undefined ? {} : { storageQuota: parseStorageQuota(quota) }),
    };
    const value = await withDatabase(context, async (database) => {
      const org = await changeOrg(database, orgId, changes);
      return orgValue(org, (await findStorage(database, orgId))?.bytes ?? 0);
    });
    context.print(value, table([orgHeadings, orgRow(value)]));
  },
};
