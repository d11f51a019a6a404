// orrery migrate: brings a whole org in at once, from a folder that export has written.
import { bringIn, dryBringIn } from '../../engine/migrate/bring-in.ts';
import type { CommandEngine } from '../../engine/process/call.ts';
import type { Command, Options } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openProgress } from '../terminal/progress.ts';
import { plural } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';
import { openFolder } from './folder.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring a whole org in at once, into an empty org',
  argument: ['<DIR>', 'the folder that "orrery export --all" wrote'],
  options: [
    { flags: '--org <ID>', description: 'the org, which has nothing but what a new org begins with', required: true },
    { flags: '--from <SOURCE>', description: 'what the folder is from: folder', required: true },
    { flags: '--dry-run', description: 'check everything and change nothing' },
  ],
  example: [
    'orrery export --org 1 --all acme',
    'orrery org create Acme',
    'orrery migrate --org 2 --from folder acme',
    '',
    'The records keep their ids, versions, times, links, owners, stages and trash; the org gets the name and the currency that',
    'it had. Keys, sessions and passwords do not come along. It is all or nothing: if anything in the folder is wrong, or the',
    'command is interrupted, the org stays as it was. Copies of the org must be loaded again afterwards.',
  ].join('\n'),
  run: async (context) => {
    const { options, argument } = context;
    const orgId = parseOrgId(options.text('org'));
    requireFolder(options);
    const dryRun = options.flag('dryRun');
    const progress = openProgress('lines');
    const bring = async (engine: CommandEngine) => {
      const { manifest, files } = await openFolder(argument);
      const total = manifest.files.reduce((sum, { rows }) => sum + rows, 0);
      let done = 0;
      const progressed = (rows: number) => {
        done += rows;
        progress.show({ done, fraction: done / Math.max(total, 1) });
      };
      return (dryRun ? dryBringIn : bringIn)(engine, { orgId, manifest, files, progressed });
    };
    const { jobId, records, trashed, links } = await withEngine(context, bring).finally(() => progress.clear());
    const counted = `${plural(records, 'record')}, ${plural(trashed, 'deleted record')} and ${plural(links, 'link')}`;
    context.print(
      { org_id: orgId, job_id: jobId, dry_run: dryRun, records, trashed, links },
      dryRun ? `It would bring in ${counted}.` : `Brought ${counted} into org ${orgId}.`,
    );
  },
};

function requireFolder(options: Options): void {
  const source = options.text('from') ?? '';
  if (source === 'folder') return;
  const sentence = `--from must be folder; got ${JSON.stringify(source.slice(0, 40))}.`;
  throw usage(sentence, 'For example: orrery migrate --org 2 --from folder acme.');
}
