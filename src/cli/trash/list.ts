// orrery trash list: lists deleted records that can still be restored, the last deleted first.
import { shorten } from '../../../client/import/described.ts';
import { bounds } from '../../base/limits.ts';
import { readTrash } from '../../engine/admin/trash.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { printable, table } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';

export const trashList: Command = {
  name: 'trash list',
  summary: 'List deleted records that can still be restored',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'only records of this object type' },
    { flags: '--limit <N>', description: `at most this many (default: ${bounds.cli.trashListedDefault})` },
  ],
  example: 'orrery trash list --org 1 --type svc_contact',
  run: async (context) => {
    const { options, config } = context;
    const place = { orgId: parseOrgId(options.text('org')), typeName: options.text('type') };
    const limit = parseLimit(options.text('limit'));
    // One more than asked for shows whether there are more.
    const found = await withEngine(context, (engine) => readTrash(engine, place, limit + 1));
    const value = found.slice(0, limit).map(({ id, type, title, deletedAt }) => ({
      id,
      object_type: type.name,
      title,
      deleted_at: deletedAt.toISOString(),
      purged_at: new Date(deletedAt.getTime() + config.trashDays * 86_400_000).toISOString(),
    }));
    const rows = value.map((each) => [
      each.id,
      each.object_type,
      printable(shorten(each.title ?? '')),
      each.deleted_at,
      each.purged_at,
    ]);
    context.print(value, table([['RECORD', 'TYPE', 'TITLE', 'DELETED', 'PURGED'], ...rows]));
    if (found.length > limit) process.stderr.write(`There are more records than ${limit}; show more with --limit.\n`);
  },
};

function parseLimit(text: string | undefined): number {
  if (text === undefined) return bounds.cli.trashListedDefault;
  if (/^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= bounds.cli.trashListed) return Number(text);
  throw usage(
    `--limit must be a number from 1 to ${bounds.cli.trashListed}; got ${JSON.stringify(text.slice(0, 80))}.`,
    'For example: --limit 500.',
  );
}
