// orrery jobs list: lists imports, exports, backups and other long work of an org, the last first.
import { listJobs } from '../../engine/admin/jobs.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { table, unprefixed } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'List the last jobs of an org, and those under way',
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery jobs list --org 1',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const jobs = await withDatabase(context, (database) => listJobs(database, orgId));
    const value = jobs.map(({ id, values }) => ({
      id,
      ...unprefixed(values),
    }));
    const columns = [
      'svc_kind',
      'svc_state',
      'svc_started_at',
      'svc_ended_at',
      'svc_done',
      'svc_failed',
      'svc_message',
    ];
    const rows = jobs.map(({ values }) =>
      columns.map((name) => (typeof values[name] === 'string' ? (values[name] as string) : '')),
    );
    context.print(value, table([['KIND', 'STATE', 'STARTED', 'ENDED', 'DONE', 'FAILED', 'MESSAGE'], ...rows]));
  },
};
