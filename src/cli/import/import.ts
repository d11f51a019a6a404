// orrery import: a CSV file into records. The file is read twice, once to know it and once to write it; what is told goes
// to standard error, and the result alone to standard output.
import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { type OpenImport, openDryRun, openImport, type PlannedImport, planFor } from '../../engine/import/import.ts';
import type { ImportCounts } from '../../store/import/imports.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openProgress } from '../terminal/progress.ts';
import { refusalText } from '../terminal/refusal.ts';
import { type CommandEngine, withEngine } from '../with-database.ts';
import { type ErrorsFile, errorsPathOf, noErrorsFile, openErrorsFile } from './errors-file.ts';
import { readColumnMap } from './map-file.ts';
import { counted, printResult, tell, tellPlan } from './report.ts';
import { type ImportFile, openImportFile, readRows } from './source-file.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Bring records in from a CSV file',
  argument: ['<FILE>', 'the CSV file; its first line names the columns'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type of every row', required: true },
    { flags: '--match <PROPERTY>', description: 'update the record that has the same value of this unique property' },
    { flags: '--map <FILE>', description: 'a JSON file that says which column is which property: {"Column": "name"}' },
    { flags: '--dry-run', description: 'check everything and store nothing' },
    { flags: '--errors <FILE>', description: 'where refused rows go (default: beside the file, as NAME.errors.csv)' },
  ],
  example: [
    'orrery import --org 1 --type svc_contact contacts.csv --match svc_email',
    '',
    'Columns are found by names and labels of properties; what each is taken for is told first. Delimiter and',
    'encoding are detected. Refused rows go into a file of their own, with the reasons in front: mend them there',
    'and import that file. An import that was broken off goes on where it stopped when it is run again.',
  ].join('\n'),
  run: async (context) => {
    const { argument: path, options } = context;
    if (path === '-') throw usage('An import reads its file twice, so it cannot come from a pipe.', 'Save it first.');
    const beganMs = systemClock.monotonicMs();
    const orgId = parseOrgId(options.text('org'));
    const map = await readColumnMap(options.text('map'));
    const file = await openImportFile(path);
    await withEngine(context, async (engine) => {
      const typeName = options.text('type') ?? '';
      const request = { orgId, typeName, headers: file.headers, map, match: options.text('match') };
      const planned = await planFor(engine, request);
      tellPlan(file, planned);
      const dryRun = options.flag('dryRun');
      const errorsPath = chosenErrors(path, options.text('errors'));
      const done = await (dryRun ? checkOnly : store)(engine, planned, file, errorsPath);
      // Told before the database is closed: from here on nothing more is to come.
      printResult(context, { ...done, planned, dryRun, seconds: (systemClock.monotonicMs() - beganMs) / 1_000 });
    });
  },
};

interface Done {
  readonly counts: ImportCounts;
  readonly errorsFile: string | null;
  readonly resumedAt: number | null;
}

/** Where refused rows were asked to go. */
function chosenErrors(path: string, errors: string | undefined): string | undefined {
  if (errors === undefined || resolve(errors) !== resolve(path)) return errors && resolve(errors);
  throw usage('--errors names the file that is imported.', 'Name another one, or leave it out.');
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
    if (resumedAt !== null) tell(`Goes on after ${counted(resumedAt)} rows, where this import stopped before.`);
    const errors = await openErrorsFile(path, file, before?.errorsBytes);
    if (errors.length < (before?.errorsBytes ?? 0)) tell(`The rows refused before are not in ${path} any more.`);
    const counts = await run(opened, file, errors);
    return { counts, errorsFile: errors.kept(), resumedAt };
  } finally {
    await opened.close();
  }
}

/** A dry run leaves nothing behind: it writes refused rows only where it is told to. */
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
    return { counts, errorsFile: errors.kept(), resumedAt: null };
  } finally {
    await opened.close();
  }
}

async function run(opened: OpenImport, file: ImportFile, errors: ErrorsFile): Promise<ImportCounts> {
  let rows = opened.before?.rows ?? 0;
  const progress = openProgress('rows', { done: rows });
  let told = 0;
  try {
    return await opened.run(readRows(file), errors, {
      keepRefused: async (refused, length) => {
        const few = refused.slice(0, Math.max(0, bounds.cli.importRefusalsPrinted - told));
        if (few.length > 0) progress.clear();
        for (const { row, problem } of few) tell(refusalText(row.line, problem, bounds.cli.faultsPrintedPerRow));
        told += few.length;
        return errors.keep(refused, length);
      },
      progressed: (counts, bytesRead) => {
        rows = counts.rows;
        const fraction = Math.min(1, bytesRead / file.bytes);
        progress.show({ done: rows, fraction, note: `${counted(counts.refused)} refused` });
      },
    });
  } catch (error) {
    throw brokenOff(error, rows);
  } finally {
    progress.clear();
    await errors.close();
  }
}

function otherErrors(path: string): Failure {
  const sentence = `This import was begun with ${path} for its refused rows.`;
  return new Failure('usage', sentence, `Go on with --errors ${path}.`);
}

/** The database gave up in the middle: what is in stays in. */
function brokenOff(error: unknown, rows: number): unknown {
  if (!(error instanceof Problem)) return error;
  const done = rows === 0 ? 'Nothing is in yet.' : `The first ${counted(rows)} rows are dealt with.`;
  const fix = 'Check that the database runs with "orrery doctor", then run the same command: it goes on from there.';
  return new Failure('database_unreachable', `${error.message} ${done}`, fix, error);
}
