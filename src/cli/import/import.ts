// orrery import: creates or updates records from a CSV file. The file is read at least twice, first to inspect it and then to
// import it. Messages go to standard error, only the result to standard output.
import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { refuseCurrencyColumn } from '../../engine/import/currency-column.ts';
import {
  type DoneImport,
  type OpenImport,
  openDryRun,
  openImport,
  type PlannedImport,
  planFor,
} from '../../engine/import/import.ts';
import type { CommandEngine } from '../../engine/process/call.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openProgress } from '../terminal/progress.ts';
import { refusalText } from '../terminal/refusal.ts';
import { counted, plural } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';
import { type ErrorsFile, errorsPathOf, noErrorsFile, openErrorsFile } from './errors-file.ts';
import { readColumnMap } from './map-file.ts';
import { printMessage, printPlan, printResult } from './report.ts';
import { type ImportFile, openImportFile, readRows } from './source-file.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import records from a CSV file',
  argument: ['<FILE>', 'the CSV file; its first line contains the column names'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type of every row', required: true },
    { flags: '--match <PROPERTY>', description: 'update the record with the same value of this unique property' },
    { flags: '--map <FILE>', description: 'a JSON file that assigns columns to properties: {"Column": "svc_email"}' },
    { flags: '--dry-run', description: 'check everything and store nothing' },
    { flags: '--errors <FILE>', description: 'the file for refused rows (default: NAME.errors.csv beside the file)' },
  ],
  example: [
    'orrery import --org 1 --type svc_contact contacts.csv --match svc_email',
    '',
    'Columns are matched by the names and labels of properties; the matches are printed first. Delimiter and encoding',
    'are detected. Refused rows go to a separate file with their errors in the first column: fix them there and import',
    'that file. To continue an interrupted import, run the same command again.',
  ].join('\n'),
  run: async (context) => {
    const { argument: path, options } = context;
    if (path === '-')
      throw usage('Import reads the file twice, so it cannot read from a pipe.', 'Save the data to a file first.');
    const beganMs = systemClock.monotonicMs();
    const orgId = parseOrgId(options.text('org'));
    const map = await readColumnMap(options.text('map'));
    const file = await openImportFile(path);
    await withEngine(context, async (engine) => {
      const typeName = options.text('type') ?? '';
      const request = { orgId, typeName, headers: file.headers, map, match: options.text('match') };
      const planned = await planFor(engine, request);
      printPlan(file, planned);
      await refuseCurrencyColumn(planned.plan, planned.currency, readRows(file));
      const dryRun = options.flag('dryRun');
      const errorsPath = chosenErrors(path, options.text('errors'));
      const done = await (dryRun ? checkOnly : store)(engine, planned, file, errorsPath);
      printResult(context, { ...done, planned, dryRun, seconds: (systemClock.monotonicMs() - beganMs) / 1_000 });
    });
  },
};

interface Done {
  readonly counts: DoneImport;
  readonly errorsFile: string | null;
  readonly resumedAt: number | null;
}

/** The path given with --errors. */
function chosenErrors(path: string, errors: string | undefined): string | undefined {
  if (errors === undefined || resolve(errors) !== resolve(path)) return errors && resolve(errors);
  throw usage('--errors names the imported file itself.', 'Name another file, or omit --errors.');
}

async function store(
  engine: CommandEngine,
  planned: PlannedImport,
  file: ImportFile,
  chosen: string | undefined,
): Promise<Done> {
  const opened = await openImport(engine, planned, file);
  try {
    const { before } = opened;
    const path = chosen ?? before?.errorsFile ?? (await errorsPathOf(file.path));
    if (before !== undefined && before.errorsFile !== path) throw otherErrors(before.errorsFile);
    const resumedAt = before === undefined || before.rows === 0 ? null : before.rows;
    if (resumedAt !== null)
      printMessage(`Continues after ${plural(resumedAt, 'row')}, where this import was interrupted.`);
    const errors = await openErrorsFile(path, file, before?.errorsBytes);
    if (errors.length < (before?.errorsBytes ?? 0)) printMessage(`${path} no longer contains the rows refused before.`);
    const counts = await run(opened, file, errors);
    return { counts, errorsFile: errors.writtenPath(), resumedAt };
  } finally {
    await opened.close();
  }
}

/** A dry run stores nothing and writes refused rows only to a file named with --errors. */
async function checkOnly(
  engine: CommandEngine,
  planned: PlannedImport,
  file: ImportFile,
  path: string | undefined,
): Promise<Done> {
  const opened = await openDryRun(engine, planned);
  try {
    const errors = path === undefined ? noErrorsFile : await openErrorsFile(path, file, undefined);
    const counts = await run(opened, file, errors);
    return { counts, errorsFile: errors.writtenPath(), resumedAt: null };
  } finally {
    await opened.close();
  }
}

async function run(opened: OpenImport, file: ImportFile, errors: ErrorsFile): Promise<DoneImport> {
  let rows = opened.before?.rows ?? 0;
  const progress = openProgress('rows', { done: rows });
  let printed = 0;
  try {
    return await opened.run(readRows(file), errors, {
      keepRefused: async (refused, length) => {
        const few = refused.slice(0, Math.max(0, bounds.cli.importRefusalsPrinted - printed));
        if (few.length > 0) progress.clear();
        for (const { row, problem } of few)
          printMessage(refusalText(row.line, problem, bounds.cli.faultsPrintedPerRow));
        printed += few.length;
        return errors.keep(refused, length);
      },
      progressed: (counts, bytesRead) => {
        rows = counts.rows;
        const fraction = Math.min(1, bytesRead / file.bytes);
        progress.show({ done: rows, fraction, note: `${counted(counts.refused)} refused` });
      },
    });
  } catch (error) {
    throw interrupted(error, rows);
  } finally {
    progress.clear();
    await errors.close();
  }
}

function otherErrors(path: string): Failure {
  const sentence = `This import began with ${path} as its errors file.`;
  return new Failure('usage', sentence, `Continue it with --errors ${path}.`);
}

/** The database failed during the import, or the org's quota was reached; committed rows stay. */
function interrupted(error: unknown, rows: number): unknown {
  if (!(error instanceof Problem)) return error;
  const done = rows === 0 ? 'Nothing was imported.' : `Finished so far: ${plural(rows, 'row')}.`;
  if (error.reason === 'storage_quota') {
    return new Failure('storage_quota', `${error.message} ${done}`, 'Then run the same command to continue.', error);
  }
  const fix = 'Check the database with "orrery doctor", then run the same command to continue.';
  return new Failure('database_unreachable', `${error.message} ${done}`, fix, error);
}
