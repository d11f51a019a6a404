// orrery db backup: writes the whole database, as of one moment, to one compressed file while the service runs.
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { release } from '../../config.ts';
import { asBackupJobs } from '../../engine/admin/jobs.ts';
import { backUp, type WriteContent } from '../../store/backup/backup.ts';
import type { BackupTrailer } from '../../store/backup/format.ts';
import { openUnmigrated } from '../../store/driver/open.ts';
import type { Command, Context } from '../command.ts';
import { usage } from '../terminal/arguments.ts';
import { openOutput } from '../terminal/output.ts';
import { plural } from '../terminal/text.ts';
import { requireData } from '../with-database.ts';
import { compress, openNewFile, type Written } from './backup-file.ts';
import { openRowProgress } from './row-progress.ts';

export const dbBackup: Command = {
  name: 'db backup',
  summary: 'Save the whole database to one file, while the service runs',
  argument: ['<FILE>', 'the file to write; - for standard output'],
  example: [
    'orrery db backup /backups/orrery-2027-01-31.backup',
    '',
    'The file contains everything, including the digests of keys: keep it where nobody else can read it.',
    'To stream it to another host:  orrery db backup - | ssh backup@host "cat > orrery.backup"',
  ].join('\n'),
  run: async (context) => {
    const startedMs = systemClock.monotonicMs();
    const file = context.argument;
    const { written, trailer } = await (file === '-' ? toStandardOutput(context) : toFile(context, file));
    const seconds = Math.round(systemClock.monotonicMs() - startedMs) / 1_000;
    const tables = Object.fromEntries(Object.entries(trailer.tables).map(([name, { rows }]) => [name, rows]));
    const where = file === '-' ? 'standard output' : file;
    const text = `Saved ${describe(tables)} to ${where}: ${mebibytes(written.bytes)}, ${seconds.toFixed(1)} s.`;
    if (file === '-') process.stderr.write(`${text}\n`);
    else context.print({ file, bytes: written.bytes, seconds, tables, sha256: written.sha256 }, text);
  },
};

interface Made {
  readonly written: Written;
  readonly trailer: BackupTrailer;
}

async function toFile(context: Context, path: string): Promise<Made> {
  if (path === '') throw usage('The file name is empty.', 'For example: orrery db backup orrery.backup.');
  const file = await openNewFile(path);
  try {
    return await make(context, (content) => file.write(content));
  } finally {
    await file.discard();
  }
}

async function toStandardOutput(context: Context): Promise<Made> {
  if (context.options.flag('json')) {
    throw usage('The backup and the result of --json cannot both go to standard output.', 'Omit one of them.');
  }
  if (process.stdout.isTTY) {
    throw usage('A backup cannot be printed on a terminal.', 'Send it to a file or a program: orrery db backup - | …');
  }
  const output = openOutput();
  try {
    return await make(context, (content) => compress(content, process.stdout));
  } catch (error) {
    const outputError = output.error();
    if (outputError === undefined) throw error;
    const sentence = `Standard output cannot be written (${outputError.code}), so the backup is incomplete.`;
    throw new Failure(
      'invalid_file',
      sentence,
      'Check the program or the disk that receives it, then try again.',
      error,
    );
  } finally {
    output.close();
  }
}

async function make({ config }: Context, write: (content: AsyncIterable<Buffer>) => Promise<Written>): Promise<Made> {
  await requireData(config);
  const progress = openRowProgress();
  const database = await openUnmigrated(config.place);
  try {
    let written: Written | undefined;
    const writeContent: WriteContent = async (content) => {
      written = await write(content);
    };
    const trailer = await asBackupJobs(database, () =>
      backUp(database, { release, report: progress.report }, writeContent),
    );
    if (written === undefined) throw new TypeError('The backup was not written.');
    return { written, trailer };
  } finally {
    progress.end();
    await database.close();
  }
}

/** The counts that are of interest to a person. */
export function describe(tables: Readonly<Record<string, number>>): string {
  const count = (table: string, noun: string) => plural(tables[table] ?? 0, noun);
  const [orgs, records] = [count('org', 'org'), count('record', 'record')];
  return `${orgs}, ${records}, ${count('association', 'link')} and ${count('change', 'change')}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
