// What became of the rows of a batch, by its answer.
import type { BatchItemResult } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { CellFault, Counts } from '../messages.ts';
import type { BatchRow, PreparedBatch } from './prepare-batch.ts';
import type { RowReader } from './row-reader.ts';

export const noCounts: Counts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  linked: 0,
  unlinked: 0,
  targetsCreated: 0,
};

export type Fate = 'created' | 'updated' | 'unchanged' | 'refused';

export interface SettledRow {
  readonly row: BatchRow;
  readonly fate: Fate;
  /** The record, unless the row was refused. */
  readonly id: string | undefined;
  /** Why it was refused, as the file of refused rows says it. */
  readonly reason: string | undefined;
}

/** `results` are those of the operations. The versions of records tell whether a row has changed anything. */
export function settleRows(
  { rows }: Pick<PreparedBatch, 'rows'>,
  results: readonly BatchItemResult[],
  reader: Pick<RowReader, 'headers' | 'columnsOf'>,
): readonly SettledRow[] {
  const versions = new Map<string, string>();
  return rows.map((row): SettledRow => {
    if (row.faults.length > 0) return refused(row, reasonOf(row, reader.headers));
    const own = row.operations.map((place) => results[place]);
    const failed = own.find((result) => result === undefined || result.problem !== undefined);
    const [first] = own;
    if (failed !== undefined || first?.id === undefined) return refused(row, problemText(row.line, failed, reader));
    const { id } = first;
    const last = own.at(-1)?.version ?? '';
    const before = versions.get(id) ?? (row.before?.id === id ? row.before.version : undefined);
    versions.set(id, last);
    const fate = first.status === 201 ? 'created' : before === last ? 'unchanged' : 'updated';
    return { row, fate, id, reason: undefined };
  });
}

export function countsOf(
  { needed }: Pick<PreparedBatch, 'needed'>,
  results: readonly BatchItemResult[],
  settled: readonly SettledRow[],
): Counts {
  const taken = settled.filter(({ fate }) => fate !== 'refused');
  const count = (fate: Fate) => settled.filter((each) => each.fate === fate).length;
  return {
    rows: settled.length,
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    refused: count('refused'),
    linked: taken.reduce((sum, { row }) => sum + row.linked, 0),
    unlinked: taken.reduce((sum, { row }) => sum + row.unlinked, 0),
    targetsCreated: needed.filter(({ operation }) => results[operation]?.status === 201).length,
  };
}

export function addCounts(one: Counts, other: Counts): Counts {
  const names = Object.keys(noCounts) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as Counts;
}

export function refused(row: BatchRow, reason: string): SettledRow {
  return { row, fate: 'refused', id: undefined, reason };
}

function reasonOf({ line, faults }: BatchRow, headers: readonly string[]): string {
  const named = faults.slice(0, importBounds.faultsNamed).map((fault) => faultText(fault, headers));
  const more = faults.length - named.length;
  return runTexts.lineReason(line, [...named, ...(more > 0 ? [runTexts.moreFaults(more)] : [])].join(' '));
}

function faultText({ column, detail }: CellFault, headers: readonly string[]): string {
  return column === undefined ? detail : `${headers[column] ?? ''}: ${detail}`;
}

/** In the words of the service, with the columns of the file in place of those of the batch. */
function problemText(line: number, result: BatchItemResult | undefined, reader: Pick<RowReader, 'columnsOf'>): string {
  const problem = result?.problem;
  if (problem === undefined) return runTexts.lineReason(line, runTexts.noAnswerForRow);
  const { errors = [], detail, conflict, reason, code } = problem;
  const named = errors.slice(0, importBounds.faultsNamed).map((error) => {
    const place = (error.pointer ?? '').replace(/^\/operations\/[0-9]+\/?/, '');
    const allowed = (error.allowed ?? []).slice(0, 10);
    const options = allowed.length === 0 ? '' : ` ${runTexts.allowed(allowed)}`;
    return `${place === '' ? '' : `${reader.columnsOf(place)}: `}${error.detail}${options}`;
  });
  if (errors.length > named.length) named.push(runTexts.moreFaults(errors.length - named.length));
  if (conflict?.existing_id !== undefined) named.push(runTexts.holder(conflict.existing_id));
  const text = named.length === 0 ? detail : named.join(' ');
  return `${runTexts.lineReason(line, text)} (${reason ?? code})`;
}
