// The messages and the result of an import: how each column is used, and how many rows were written.
import { Failure } from '../../base/failure.ts';
import { shorten } from '../../base/json.ts';
import type { DoneImport, PlannedImport } from '../../engine/import/import.ts';
import type { PlannedColumn } from '../../engine/import/plan.ts';
import type { Context } from '../command.ts';
import { counted, printable } from '../terminal/text.ts';
import type { ImportFile } from './source-file.ts';

const delimiterNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;

export function printPlan({ path, encoding, delimiter }: ImportFile, { plan }: PlannedImport): void {
  const count = plan.columns.length;
  const columns = count === 1 ? '1 column' : `${count} columns, ${delimiterNames[delimiter]}-separated`;
  printMessage(`${path}: ${columns}, ${encoding}.`);
  for (const column of plan.columns) printMessage(`  ${columnText(column)}`);
  if (plan.match !== undefined) printMessage(`  Rows are matched by ${plan.match}.`);
}

function columnText({ header, property, ignored }: PlannedColumn): string {
  const name = JSON.stringify(shorten(header, 64));
  return property === undefined ? `${name}: ignored (${ignored ?? ''})` : `${name}: ${property}`;
}

/** Writes a line to standard error. */
export function printMessage(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

interface ImportResult {
  readonly planned: PlannedImport;
  readonly counts: DoneImport;
  readonly errorsFile: string | null;
  readonly dryRun: boolean;
  /** How many rows an earlier run had finished; null for a new import. */
  readonly resumedAt: number | null;
  readonly seconds: number;
}

/** Prints the result, then fails if rows were refused. */
export function printResult(context: Context, result: ImportResult): void {
  const { planned, counts, errorsFile, dryRun, resumedAt, seconds } = result;
  const { orgId, plan } = planned;
  const { rows, created, updated, unchanged, refused } = counts;
  const columns = plan.columns.map(({ header, property = null }) => ({ header, property }));
  const value = {
    org_id: orgId,
    object_type: plan.type.name,
    job_id: counts.jobId,
    rows,
    created,
    updated,
    unchanged,
    refused,
    errors_file: errorsFile,
    dry_run: dryRun,
    resumed_at: resumedAt,
    seconds: Number(seconds.toFixed(3)),
    columns,
  };
  const outcomes = [
    `${counted(created)} created`,
    `${counted(updated)} updated`,
    `${counted(unchanged)} unchanged`,
    `${counted(refused)} refused`,
  ];
  const kept = dryRun ? ' This was a dry run; nothing was stored.' : '';
  context.print(value, `${plan.type.name} of org ${orgId}: ${outcomes.join(', ')}.${kept}`);
  if (refused > 0) throw rowsRefused(result);
}

function rowsRefused({ counts: { rows, refused }, errorsFile, dryRun }: ImportResult): Failure {
  const was = dryRun ? 'would be' : refused === 1 ? 'was' : 'were';
  const others = rows === refused ? '' : dryRun ? '; all others would be imported' : '; all others were imported';
  const sentence = `${refused === 1 ? 'One row' : `${counted(refused)} rows`} ${was} refused${others}.`;
  const fix =
    errorsFile === null
      ? 'Fix the file, or use --errors to write all refused rows with their errors to a file.'
      : `Fix ${refused === 1 ? 'it' : 'them'} in ${errorsFile}, which lists the errors, and import that file.`;
  return new Failure('rows_refused', sentence, fix);
}
