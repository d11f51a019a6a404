// orrery db restore: replaces the database with a backup, completely or not at all, while the service runs. The old content
// is saved first, beside the backup.
import { dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { release } from '../../config.ts';
import { asRestoreJobs } from '../../engine/admin/jobs.ts';
import { repeatErasures } from '../../engine/admin/repeat-erasures.ts';
import { redactAnswer } from '../../operations/shared/redact-answer.ts';
import { type Backup, verifyBackup } from '../../store/backup/read.ts';
import { migrationsOf, type Restored, restore } from '../../store/backup/restore.ts';
import type { KeptClosed } from '../../store/backup/restore-keys.ts';
import type { OwnConnection } from '../../store/database.ts';
import { openUnmigrated } from '../../store/driver/open.ts';
import { readMigrations } from '../../store/migrate.ts';
import type { Command, Context } from '../command.ts';
import { plural } from '../terminal/text.ts';
import { describe } from './backup.ts';
import { type NewFile, openNewFile } from './backup-file.ts';
import { openRowProgress } from './row-progress.ts';

export const dbRestore: Command = {
  name: 'db restore',
  summary: 'Replace the database with a backup, while the service runs',
  argument: ['<FILE>', 'a file written by "orrery db backup"'],
  options: [
    { flags: '--check', description: 'only verify the file, without opening a database' },
    { flags: '--discard', description: 'do not save the current content of the database' },
    { flags: '--with-old-keys', description: 'open keys and secrets again that were closed since the backup was made' },
  ],
  example: [
    'orrery db restore /backups/orrery-2027-01-31.backup',
    '',
    'Replaces the whole database or, if anything goes wrong, nothing. The old content is saved beside the backup first.',
    'Change cursors from before the restore are answered with 410 afterwards.',
    'Keys that were revoked and secrets that were rotated away since the backup was made stay closed.',
    'Records that were erased since then are erased again, before anybody can read them.',
  ].join('\n'),
  run: async (context) => {
    const startedMs = systemClock.monotonicMs();
    const file = context.argument;
    const backup = await verifyBackup(file);
    migrationsOf(backup.header, await readMigrations(), file);
    const tables = Object.fromEntries(Object.entries(backup.trailer.tables).map(([name, { rows }]) => [name, rows]));
    const facts = { file, made_at: backup.header.made_at, release: backup.header.release, tables };
    if (context.options.flag('check')) {
      const text = `${file} is intact: ${describe(tables)}, made ${facts.made_at} by Orrery ${facts.release}.`;
      context.print(facts, text);
      return;
    }
    const { saved, migrated, keptClosed, erasedAgain } = await run(context, backup);
    const seconds = Math.round(systemClock.monotonicMs() - startedMs) / 1_000;
    const text = `Restored ${describe(tables)} from ${file}, made ${facts.made_at}, in ${seconds.toFixed(1)} s.`;
    const kept_closed = keptClosed.map(({ orgId, credentialId, reason }) => ({
      org_id: orgId,
      key_id: credentialId,
      reason,
    }));
    const value = { ...facts, seconds, migrated, saved_as: saved ?? null, kept_closed, erased_again: erasedAgain };
    context.print(value, [text, ...describeClosed(keptClosed), ...describeErased(erasedAgain)].join('\n'));
  },
};

function describeClosed(kept: readonly KeptClosed[]): readonly string[] {
  if (kept.length === 0) return [];
  const named = kept.slice(0, bounds.cli.closedKeysNamed);
  const texts = named.map(({ credentialId, reason }) => `${credentialId} (${reason})`);
  const more = kept.length - named.length;
  const keys = [...texts, ...(more > 0 ? [plural(more, 'more key')] : [])].join(', ');
  return [`Closed since the backup was made, and still closed: ${keys}. --with-old-keys would open them again.`];
}

function describeErased(count: number): readonly string[] {
  return count === 0 ? [] : [`Erased since the backup was made, and erased again: ${plural(count, 'record')}.`];
}

interface Outcome extends Pick<Restored, 'migrated' | 'keptClosed' | 'erasedAgain'> {
  /** The file with the old content. */
  readonly saved: string | undefined;
}

async function run({ config, argument: file, options }: Context, backup: Backup): Promise<Outcome> {
  const path = join(dirname(file), `before-restore-${timeText()}.backup`);
  // Every row is loaded and then compared, so it counts twice.
  const rows = Object.values(backup.trailer.tables).reduce((sum, table) => sum + table.rows, 0);
  const progress = openRowProgress(2 * rows);
  let target: NewFile | undefined;
  const openSave = async () => {
    const opened = await openNewFile(path).catch((error: unknown) => {
      throw unsaved(error);
    });
    target = opened;
    return async (content: AsyncIterable<Buffer>) => {
      await opened.write(content);
      progress.end();
      process.stderr.write(`The old content of the database is saved in ${path}.\n`);
    };
  };
  const request = {
    file,
    release,
    report: progress.report,
    openSave: options.flag('discard') ? undefined : openSave,
    oldKeys: options.flag('withOldKeys') ? ('come_back' as const) : ('stay_closed' as const),
    eraseAgain: (connection: OwnConnection) => repeatErasures(connection, redactAnswer),
  };
  const database = await openUnmigrated(config.place);
  try {
    const { saved, ...rest } = await asRestoreJobs(database, () => restore(database, backup, request));
    return { ...rest, saved: saved ? path : undefined };
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
    `The current content of the database cannot be saved beside the backup. ${error.message}`,
    'Copy the backup to a folder that you can write to, or discard the current content with --discard.',
    error,
  );
}

/** Such as 20270131T142501Z: only characters that every file system allows in a name. */
function timeText(): string {
  return new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.[0-9]+/g, '');
}
