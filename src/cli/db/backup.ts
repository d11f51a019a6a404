// orrery db backup: everything in the database, as one moment saw it, in one compressed file. The service goes on.
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { release } from '../../config.ts';
import { backUp, type WriteContent } from '../../store/backup/backup.ts';
import type { BackupTrailer } from '../../store/backup/format.ts';
import { databaseExists, openUnmigrated } from '../../store/driver/open.ts';
import type { Command, Context } from '../command.ts';
import { usage } from '../terminal/arguments.ts';
import { openOutput } from '../terminal/output.ts';
import { compress, openNewFile, type Written } from './backup-file.ts';
import { tellRows } from './row-progress.ts';

export const dbBackup: Command = {
  name: 'db backup',
  summary: 'Save everything in the database to one file, while the service runs',
  argument: ['<FILE>', 'the file to write; - for standard output'],
  example: [
    'orrery db backup /backups/orrery-2027-01-31.backup',
    '',
    'The file holds everything, digests of keys included: keep it where nobody else can read it.',
    'To send it elsewhere as it is made:  orrery db backup - | ssh backup@host "cat > orrery.backup"',
  ].join('\n'),
  run: async (context) => {
    const startedMs = systemClock.monotonicMs();
    const file = context.argument;
    const { written, trailer } = await (file === '-' ? toStandardOutput(context) : toFile(context, file));
    const seconds = Math.round(systemClock.monotonicMs() - startedMs) / 1_000;
    const tables = Object.fromEntries(Object.entries(trailer.tables).map(([name, { rows }]) => [name, rows]));
    const where = file === '-' ? 'to standard output' : `in ${file}`;
    const text = `Saved ${describe(tables)} ${where}: ${mebibytes(written.bytes)}, ${seconds.toFixed(1)} s.`;
    if (file === '-') process.stderr.write(`${text}\n`);
    else context.print({ file, bytes: written.bytes, seconds, tables, sha256: written.sha256 }, text);
  },
};

interface Made {
  readonly written: Written;
  readonly trailer: BackupTrailer;
}

async function toFile(context: Context, path: string): Promise<Made> {
  if (path === '') throw usage('The name of the file is empty.', 'For example: orrery db backup orrery.backup.');
  const file = await openNewFile(path);
  try {
    return await make(context, (content) => file.write(content));
  } finally {
    await file.discard();
  }
}

async function toStandardOutput(context: Context): Promise<Made> {
  if (context.options.flag('json')) {
    throw usage('The backup and the result of --json cannot both go to standard output.', 'Leave one of them out.');
  }
  if (process.stdout.isTTY) {
    throw usage('A backup is no text for a terminal.', 'Send it to a file or a program: orrery db backup - | …');
  }
  const output = openOutput();
  try {
    return await make(context, (content) => compress(content, process.stdout));
  } catch (error) {
    if (output.fault() === undefined) throw error;
    const fix = 'Look at what became of the program that reads it, then try again.';
    throw new Failure('invalid_file', 'Standard output could not be written to the end of the backup.', fix, error);
  } finally {
    output.close();
  }
}

async function make({ config }: Context, write: (content: AsyncIterable<Buffer>) => Promise<Written>): Promise<Made> {
  if (!(await databaseExists(config.place))) {
    throw new Failure('not_found', 'There is no database in the data folder yet.', 'Check --data-dir.');
  }
  const progress = tellRows();
  const database = await openUnmigrated(config.place);
  try {
    let written: Written | undefined;
    const writeContent: WriteContent = async (content) => {
      written = await write(content);
    };
    const trailer = await backUp(database, { release, tell: progress.tell }, writeContent);
    if (written === undefined) throw new TypeError('A backup was made and not written.');
    return { written, trailer };
  } finally {
    progress.end();
    await database.close();
  }
}

/** The numbers that mean something to a person. */
export function describe(tables: Readonly<Record<string, number>>): string {
  const count = (table: string, one: string) => {
    const rows = tables[table] ?? 0;
    return `${rows.toLocaleString('en-US')} ${one}${rows === 1 ? '' : 's'}`;
  };
  const [orgs, records] = [count('org', 'org'), count('record', 'record')];
  return `${orgs}, ${records}, ${count('association', 'link')} and ${count('change', 'change')}`;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
