// The messages and the result of an import: how each column is used, and how many rows were written.

import { shorten } from '../../../client/import/described.ts';
import { counted } from '../../base/counted.ts';
import { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { type ColumnUse, type LinkUse, propertyOf } from '../../engine/import/column-use.ts';
import type { DoneImport, PlannedImport } from '../../engine/import/import.ts';
import type { ImportPlan } from '../../engine/import/plan.ts';
import type { Context } from '../command.ts';
import { plural, printable } from '../terminal/text.ts';
import type { ImportFile } from './source-file.ts';

const delimiterNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;

export function printPlan({ name, encoding, delimiter, notes }: ImportFile, { plan }: PlannedImport): void {
  const count = plan.columns.length;
  const columns = count === 1 ? '1 column' : `${count} columns, ${delimiterNames[delimiter]}-separated`;
  printMessage(`${name}: ${columns}, ${encoding}.`);
  if (notes > 0) printMessage(`  Skipped: ${plural(notes, 'row')} of notes above the column names.`);
  for (const { header, use } of plan.columns)
    printMessage(`  ${JSON.stringify(shorten(header, 64))}: ${useText(plan, use)}`);
  const zone = zoneOf(plan);
  if (zone !== undefined) printMessage(`  Times without an offset are in ${zone}.`);
  if (plan.match !== undefined) printMessage(`  Rows are matched by ${plan.match}.`);
  if (plan.columns.some(({ use }) => isGuess(use))) {
    printMessage(
      '  Guesses can be wrong. To correct or confirm them, write them to a file with --map-out and use it with --map.',
    );
  }
}

function isGuess(use: ColumnUse): boolean {
  return 'guessed' in use && use.guessed === true;
}

function useText(plan: ImportPlan, use: ColumnUse): string {
  return isGuess(use) ? `${usedAs(plan, use)}, a guess` : usedAs(plan, use);
}

function usedAs({ type }: ImportPlan, use: ColumnUse): string {
  if (use.kind === 'ignored') return `ignored (${use.why})`;
  if (use.kind === 'unit') return `the currency of ${use.property}`;
  if (use.kind === 'link') return linkText(use);
  if (use.kind === 'external_id') return `the id in ${use.source}`;
  if (use.kind === 'created_at') {
    return use.style.dates === undefined
      ? 'the date of creation'
      : `the date of creation (dates as ${use.style.dates.name})`;
  }
  const { dates, decimal, country, currency } = use.style;
  const fieldType = type.properties.get(use.property)?.fieldType;
  const notes = [
    fieldType?.index?.kind === 'time' && dates !== undefined ? `dates as ${dates.name}` : '',
    (fieldType?.comparison === 'number' || fieldType?.comparison === 'money') && decimal === ',' ? 'decimal comma' : '',
    fieldType?.comparison === 'money' && currency !== undefined ? `in ${currency}` : '',
    fieldType?.comparison === 'phone' && country !== undefined ? `numbers of ${country}` : '',
  ].filter(Boolean);
  return notes.length === 0 ? use.property : `${use.property} (${notes.join(', ')})`;
}

const missingTexts = {
  refuse: 'rows without such a record are refused',
  skip: 'left out where there is no such record',
  create: 'created where there is no such record',
} as const;

function linkText({ association, by, source, missing, within, guessed }: LinkUse): string {
  const place = within === undefined ? '' : ` within ${within}`;
  const name = source === undefined ? by : `the id in ${source}`;
  const otherwise = guessed === true ? 'left out unless exactly one record is found' : missingTexts[missing];
  return `${association} by ${name}${place} (${otherwise})`;
}

/** The time zone of columns with times. */
function zoneOf({ type, columns }: ImportPlan): string | undefined {
  for (const { use } of columns) {
    if (use.kind === 'created_at') return use.style.timeZone?.name;
    if (use.kind !== 'property' || type.properties.get(use.property)?.fieldType.comparison !== 'moment') continue;
    return use.style.timeZone?.name;
  }
  return undefined;
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
  const { rows, created, updated, unchanged, refused, incomplete, linked, unlinked, targetsCreated } = counts;
  const columns = plan.columns.map(({ header, use }) => ({
    header,
    property: propertyOf(use) ?? null,
    ...moreJson(use),
  }));
  const value = {
    org_id: orgId,
    object_type: plan.type.name,
    job_id: counts.jobId,
    rows,
    created,
    updated,
    unchanged,
    refused,
    incomplete,
    linked,
    unlinked,
    targets_created: targetsCreated,
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
    ...(incomplete === 0 ? [] : [`${counted(incomplete)} imported without bad cells`]),
    ...(linked === 0 ? [] : [`${plural(linked, 'link')} made`]),
    ...(targetsCreated === 0 ? [] : [`${plural(targetsCreated, 'link target')} created`]),
    ...(unlinked === 0 ? [] : [`${plural(unlinked, 'link')} left out without a target`]),
  ];
  const kept = dryRun ? ' This was a dry run; nothing was stored.' : '';
  context.print(value, `${plan.type.name} of org ${orgId}: ${outcomes.join(', ')}.${kept}`);
  if (refused > 0) throw rowsRefused(result);
}

/** What the column is, if it is not a property, and whether that is a guess that could be wrong. */
function moreJson(use: ColumnUse): Readonly<Record<string, Json>> {
  const guess = isGuess(use) ? { guessed: true } : {};
  if (use.kind === 'ignored') return { ignored: use.why };
  if (use.kind === 'unit') return { part: 'unit' };
  if (use.kind === 'external_id') return { external_id: true, source: use.source, ...guess };
  if (use.kind === 'created_at') return { created_at: true, ...guess };
  if (use.kind === 'property') return guess;
  const source = use.source === undefined ? {} : { source: use.source };
  return { association: use.association, by: use.by, ...source, ...guess };
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
