// What an import tells a person: what it takes each column for, and what came of it.
import { Failure } from '../../base/failure.ts';
import { shorten } from '../../base/json.ts';
import type { PlannedImport } from '../../engine/import/import.ts';
import type { PlannedColumn } from '../../engine/import/plan.ts';
import type { ImportCounts } from '../../store/import/imports.ts';
import type { Context } from '../command.ts';
import { printable } from '../terminal/text.ts';
import type { ImportFile } from './source-file.ts';

const delimiterNames = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const;

export function tellPlan({ path, encoding, delimiter }: ImportFile, { plan }: PlannedImport): void {
  const count = plan.columns.length;
  const columns = count === 1 ? 'one column' : `${count} columns, ${delimiterNames[delimiter]} between them`;
  tell(`${path}: ${columns}, ${encoding}.`);
  for (const column of plan.columns) tell(`  ${columnText(column)}`);
  if (plan.match !== undefined) tell(`  Rows are matched by ${plan.match}.`);
}

function columnText({ header, property, leftOut }: PlannedColumn): string {
  const name = JSON.stringify(shorten(header, 64));
  return property === undefined ? `${name} is left out: ${leftOut ?? ''}.` : `${name} is ${property}.`;
}

/** To standard error. */
export function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

export interface ImportResult {
  readonly planned: PlannedImport;
  readonly counts: ImportCounts;
  readonly errorsFile: string | null;
  readonly dryRun: boolean;
  /** How many rows an earlier run had dealt with; null for an import that began. */
  readonly resumedAt: number | null;
  readonly seconds: number;
}

/** Fails where rows were refused, after all others were told. */
export function printResult(context: Context, result: ImportResult): void {
  const { planned, counts, errorsFile, dryRun, resumedAt, seconds } = result;
  const { orgId, plan } = planned;
  const { rows, created, updated, unchanged, refused } = counts;
  const columns = plan.columns.map(({ header, property = null }) => ({ header, property }));
  const value = {
    org_id: orgId,
    object_type: plan.type.name,
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
  const told = [
    `${counted(created)} created`,
    `${counted(updated)} updated`,
    `${counted(unchanged)} unchanged`,
    `${counted(refused)} refused`,
  ];
  const kept = dryRun ? ' Nothing was stored: this was a dry run.' : '';
  context.print(value, `${plan.type.name} of org ${orgId}: ${told.join(', ')}.${kept}`);
  if (refused > 0) throw rowsRefused(result);
}

function rowsRefused({ counts: { rows, refused }, errorsFile, dryRun }: ImportResult): Failure {
  const was = dryRun ? 'would be' : refused === 1 ? 'was' : 'were';
  const others = rows === refused ? '' : dryRun ? '; all others would go in' : '; all others are in';
  const sentence = `${refused === 1 ? 'One row' : `${counted(refused)} rows`} ${was} refused${others}.`;
  const they = refused === 1 ? 'It is' : 'They are';
  const fix =
    errorsFile === null
      ? 'Mend the file, or name one with --errors to have all that is refused, with the reasons.'
      : `${they} in ${errorsFile} with the reasons: mend ${refused === 1 ? 'it' : 'them'} there and import that file.`;
  return new Failure('rows_refused', sentence, fix);
}

export function counted(count: number): string {
  return count.toLocaleString('en-US');
}
