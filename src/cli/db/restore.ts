// orrery db restore: puts a backup in the place of what is in the database, whole or not at all, while the service runs.
// What was there is saved first, beside the file.
import { dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { release } from '../../config.ts';
import { type Backup, verifyBackup } from '../../store/backup/read.ts';
import { migrationsOf, type Restored, restore } from '../../store/backup/restore.ts';
import { openUnmigrated } from '../../store/driver/open.ts';
import { readMigrations } from '../../store/migrate.ts';
import type { Command, Context } from '../command.ts';
import { describe } from './backup.ts';
import { type NewFile, openNewFile } from './backup-file.ts';
import { tellRows } from './row-progress.ts';

export const dbRestore: Command = {
  name: 'db restore',
  summary: 'Put a backup in the place of what is in the database, while the service runs',
  argument: ['<FILE>', 'a file that "orrery db backup" wrote'],
  options: [
    { flags: '--check', description: 'only verify the file; no database is opened' },
    { flags: '--discard', description: 'do not save what is in the database now' },
  ],
  example: [
    'orrery db restore /backups/orrery-2027-01-31.backup',
    '',
    'Everything that is in the database is replaced, or, if anything goes wrong, nothing. What was there is first saved',
    'beside the file. Cursors of the change feed that were given out before are 410 afterwards.',
  ].join('\n'),
  run: async (context) => {
    const startedMs = systemClock.monotonicMs();
    const file = context.argument;
    const backup = await verifyBackup(file);
    migrationsOf(backup.header, await readMigrations(), file);
    const tables = Object.fromEntries(Object.entries(backup.trailer.tables).map(([name, { rows }]) => [name, rows]));
    const facts = { file, made_at: backup.header.made_at, release: backup.header.release, tables };
    if (context.options.flag('check')) {
      const text = `${file} is whole: ${describe(tables)}, made ${facts.made_at} by Orrery ${facts.release}.`;
      context.print(facts, text);
      return;
    }
    const { saved, migrated } = await run(context, backup);
    const seconds = Math.round(systemClock.monotonicMs() - startedMs) / 1_000;
    const text = `Restored ${describe(tables)} from ${file}, made ${facts.made_at}, in ${seconds.toFixed(1)} s.`;
    context.print({ ...facts, seconds, migrated, saved_as: saved ?? null }, text);
  },
};

interface Outcome extends Pick<Restored, 'migrated'> {
  /** The file that holds what was there before. */
  readonly saved: string | undefined;
}

async function run({ config, argument: file, options }: Context, backup: Backup): Promise<Outcome> {
  const path = join(dirname(file), `before-restore-${timeText()}.backup`);
  // Every row is loaded, then compared.
  const rows = Object.values(backup.trailer.tables).reduce((sum, table) => sum + table.rows, 0);
  const progress = tellRows(2 * rows);
  let target: NewFile | undefined;
  const openSave = async () => {
    const opened = await openNewFile(path).catch((error: unknown) => {
      throw unsaved(error);
    });
    target = opened;
    return async (content: AsyncIterable<Buffer>) => {
      await opened.write(content);
      progress.end();
      process.stderr.write(`What was in the database until now is saved in ${path}.\n`);
    };
  };
  const request = { file, release, tell: progress.tell, openSave: options.flag('discard') ? undefined : openSave };
  const database = await openUnmigrated(config.place);
  try {
    const { saved, migrated } = await restore(database, backup, request);
    return { saved: saved ? path : undefined, migrated };
  } finally {
    progress.end();
    await target?.discard();
    await database.close();
  }
}

function unsaved(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(
    error.kind,
    `What is in the database cannot be saved beside the backup. ${error.message}`,
    'Copy the backup to a folder that you can write to, or give up what is there with --discard.',
    error,
  );
}

/** Such as 20270131T142501Z: no character that a file name could not have. */
function timeText(): string {
  return new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.[0-9]+/g, '');
}
