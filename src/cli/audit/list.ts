// orrery audit list: lists what was done in the administration of an org, the last first.
import { counted } from '../../base/counted.ts';
import { bounds } from '../../base/limits.ts';
import { listAudit } from '../../engine/admin/audit.ts';
import type { Command } from '../command.ts';
import { parseDuration, parseOrgId } from '../terminal/arguments.ts';
import { table, unprefixed } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const auditList: Command = {
  name: 'audit list',
  summary: `List what was done in the administration of an org, the last ${counted(bounds.cli.auditEntries)} entries`,
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--since <TIME>', description: 'how far back, such as 7d (default: 7d)' },
  ],
  example: 'orrery audit list --org 1 --since 7d',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const seconds = parseDuration(context.options.text('since') ?? '7d', '--since');
    const entries = await withDatabase(context, (database) => listAudit(database, orgId, seconds));
    const value = entries.map(({ id, values }) => ({
      id,
      ...unprefixed(values),
    }));
    const cell = (each: unknown) => (typeof each === 'string' ? each : '');
    const rows = entries.map(({ values }) =>
      ['svc_at', 'svc_action', 'svc_principal_id', 'svc_object_type', 'svc_record_id', 'svc_detail'].map((name) =>
        cell(values[name]),
      ),
    );
    context.print(value, table([['AT', 'ACTION', 'BY', 'TYPE', 'RECORD', 'DETAIL'], ...rows]));
  },
};
