// orrery import: creates or updates records from a CSV file. The file is read at least twice, first to inspect it and then to
// import it. Messages go to standard error, only the result to standard output.

import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { refuseCurrencyColumn } from '../../engine/import/currency-column.ts';
import {
  type DoneImport,
  type ImportRequest,
  type OpenImport,
  openDryRun,
  openImport,
  type PlannedImport,
  planFor,
} from '../../engine/import/import.ts';
import { mapOf } from '../../engine/import/print-map.ts';
import { settleStyles } from '../../engine/import/settle-styles.ts';
import type { CommandEngine } from '../../engine/process/call.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openProgress } from '../terminal/progress.ts';
import { plural } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';
import { type ErrorsFile, errorsPathOf, noErrorsFile, openErrorsFile, reportText } from './errors-file.ts';
import { readMap, writeMap } from './map-file.ts';
import { printMessage, printPlan, printResult } from './report.ts';
import { type ImportFile, openImportFile, readRows, withStandardInput } from './source-file.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import records from a CSV file',
  argument: ['<FILE>', 'the CSV file, or - for standard input; its first line contains the column names'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type of every row', required: true },
    { flags: '--match <PROPERTY>', description: 'update the record with the same value of this unique property' },
    { flags: '--map <FILE>', description: 'a JSON file that says what columns are: {"Column": "svc_email"}' },
    { flags: '--map-out <FILE>', description: 'write the map of this import, with its guesses, to a new file' },
    { flags: '--date-format <FORMAT>', description: 'how dates are written: DD/MM/YYYY, M/D/YYYY HH:mm, excel' },
    { flags: '--decimal <MARK>', description: 'what comes before decimals: a point or a comma' },
    { flags: '--country <CODE>', description: 'the country of phone numbers without a calling code: GB' },
    { flags: '--time-zone <NAME>', description: 'the time zone of times without an offset (default: UTC)' },
    { flags: '--bad-cells <MODE>', description: 'refuse rows with a bad cell, or drop the cell (default: refuse)' },
    { flags: '--dry-run', description: 'check everything and store nothing' },
    { flags: '--errors <FILE>', description: 'the file for refused rows (default: NAME.errors.csv beside the file)' },
  ],
  example: [
    'orrery import --org 1 --type svc_contact contacts.csv --match svc_email',
    '',
    'Columns are understood by the names of properties and by those of other programs, as properties, links to other',
    'records, ids of the old system or dates of creation. What each is taken for is printed first. Guesses that could be',
    'wrong are marked, and --map confirms or corrects them. Delimiter and encoding are detected.',
    'Refused rows go to a separate file with their errors in the first column: fix them there and import that file. To',
    'continue an interrupted import, run the same command again.',
    '',
    'Stage history is imported with --type svc_stage_timer, after its records: a record, a stage, and the times at which',
    'the record entered and left it. Without the second time, the first is the entry time of the present stage.',
  ].join('\n'),
  run: async (context) => {
    const { argument: path, options } = context;
    const beganMs = systemClock.monotonicMs();
    const orgId = parseOrgId(options.text('org'));
    if (path === '-' && options.text('map') === '-') {
      throw usage('Standard input cannot be the file and the map at once.', 'Put one of them into a file.');
    }
    const map = await readMap(options.text('map'), {
      date_format: options.text('dateFormat'),
      decimal: options.text('decimal'),
      country: options.text('country'),
      time_zone: options.text('timeZone'),
      bad_cells: options.text('badCells'),
    });
    const typeName = options.text('type') ?? '';
    const run = async (file: ImportFile) => {
      await withEngine(context, async (engine) => {
        const { headers, rows } = file;
        const request = { orgId, typeName, headers, rows, map, match: options.text('match') };
        const planned = await settledPlan(engine, request, file);
        await refuseCurrencyColumn(planned.plan, planned.currency, readRows(file));
        const mapOut = options.text('mapOut');
        if (mapOut !== undefined) await writeMap(mapOut, mapOf(planned.plan));
        const dryRun = options.flag('dryRun');
        const errorsPath = chosenErrors(path, options.text('errors'));
        const done = await (dryRun ? checkOnly : store)(engine, planned, file, errorsPath);
        printResult(context, { ...done, planned, dryRun, seconds: (systemClock.monotonicMs() - beganMs) / 1_000 });
      });
    };
    await (path === '-' ? withStandardInput(run) : run(await openImportFile(path)));
  },
};

/** The plan with what the cells of the file tell of their columns. */
async function settledPlan(engine: CommandEngine, request: ImportRequest, file: ImportFile): Promise<PlannedImport> {
  const decided = await planFor(engine, request);
  const planned = { ...decided, plan: await settleStyles(decided.plan, readRows(file)) };
  printPlan(file, planned);
  return planned;
}

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
    const path = chosen ?? before?.errorsFile ?? (await errorsPathOf(file.errorsBeside));
    if (before !== undefined && before.errorsFile !== path) throw otherErrors(before.errorsFile);
    const resumedAt = tellResumed(opened);
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
  const opened = await openDryRun(engine, planned, file);
  try {
    const resumedAt = tellResumed(opened);
    const errors = path === undefined ? noErrorsFile : await openErrorsFile(path, file, undefined);
    const counts = await run(opened, file, errors);
    return { counts, errorsFile: errors.writtenPath(), resumedAt };
  } finally {
    await opened.close();
  }
}

/** After how many rows an interrupted import continues; null for a new one. */
function tellResumed({ before }: OpenImport): number | null {
  if (before === undefined || before.rows === 0) return null;
  printMessage(`Continues after ${plural(before.rows, 'row')}, where this import was interrupted.`);
  return before.rows;
}

async function run(opened: OpenImport, file: ImportFile, errors: ErrorsFile): Promise<DoneImport> {
  let rows = opened.before?.rows ?? 0;
  const progress = openProgress('rows', { done: rows });
  let printed = 0;
  try {
    return await opened.run(readRows(file), errors, {
      keepReported: async (reported, length) => {
        const few = reported.slice(0, Math.max(0, bounds.cli.importRefusalsPrinted - printed));
        if (few.length > 0) progress.clear();
        for (const each of few) printMessage(reportText(each));
        printed += few.length;
        return errors.keep(reported, length);
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
