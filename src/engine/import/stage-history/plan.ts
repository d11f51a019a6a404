// Plans an import of stage history: every file needs the record, the stage and the time at which it was entered.

import { shorten } from '../../../../client/import/described.ts';
import { Failure } from '../../../base/failure.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import type { BadCells, PlannedColumn } from '../column-use.ts';
import { sideOf } from './columns.ts';
import { exactRank, guessHistoryUse, type HistoryGuess } from './guess.ts';

const examples = {
  record: '{"Deal id": {"association": "svc_stage_timer_to_deal", "by": "external_id", "source": "hubspot"}}',
  stage: '{"Stage": {"association": "svc_stage_timer_to_deal_pipeline_stage", "by": "title"}}',
  entered: '{"Since": "svc_entered_at"}',
} as const;

/** The columns with what their headers say of records and stages, for all that nobody has decided. */
export function planHistory(
  catalog: Catalog,
  planned: readonly PlannedColumn[],
  { match, badCells }: { readonly match: string | undefined; readonly badCells: BadCells },
): readonly PlannedColumn[] {
  refuseOptions(match, badCells);
  const columns = withGuesses(catalog, planned);
  for (const { header, use } of columns) {
    if (use.kind !== 'external_id' && use.kind !== 'created_at') continue;
    const sentence = `The map gives stage timers ${use.kind === 'created_at' ? 'a date of creation' : 'an id in another system'} by the column ${quoted(header)}, which they do not have.`;
    throw new Failure('usage', sentence, `Set the column to null, or name the record by it: ${examples.record}`);
  }
  for (const side of ['record', 'stage'] as const) {
    if (columns.some(({ use }) => use.kind === 'link' && sideOf(catalog, use) === side)) continue;
    throw new Failure(
      'usage',
      `No column of the file names the ${side} of each stage timer.`,
      `Say with --map: ${examples[side]}`,
    );
  }
  if (!columns.some(({ use }) => use.kind === 'property' && use.property === 'svc_entered_at')) {
    const sentence = 'No column of the file says when the stage was entered.';
    throw new Failure('usage', sentence, `Say with --map: ${examples.entered}`);
  }
  return columns;
}

function refuseOptions(match: string | undefined, badCells: BadCells): void {
  if (match !== undefined) {
    const sentence = 'Stage timers are recognised by their record, stage and times, not by --match.';
    throw new Failure('usage', sentence, 'Leave out --match: rows that were imported before are left unchanged.');
  }
  if (badCells === 'refuse') return;
  const sentence = 'Stage timers are taken whole, so --bad-cells drop does not apply to them.';
  throw new Failure('usage', sentence, 'Leave it out: rows with a bad cell are refused.');
}

/** Only one column of each side is guessed, except those that are called as an export calls them. */
function withGuesses(catalog: Catalog, planned: readonly PlannedColumn[]): readonly PlannedColumn[] {
  const isOpen = ({ use, decidedBy }: PlannedColumn) => decidedBy === 'header' && use.kind !== 'property';
  const decided = new Set(
    planned.flatMap(({ use, decidedBy }) => (use.kind === 'link' && decidedBy === 'map' ? [sideOf(catalog, use)] : [])),
  );
  const guesses = planned.map((column) => (isOpen(column) ? guessHistoryUse(catalog, column.header) : undefined));
  const best = new Map<HistoryGuess['side'], HistoryGuess>();
  for (const guess of guesses) {
    if (guess === undefined || decided.has(guess.side)) continue;
    if (guess.rank > (best.get(guess.side)?.rank ?? -1)) best.set(guess.side, guess);
  }
  return planned.map((column, index): PlannedColumn => {
    const guess = guesses[index];
    // What a column would be in a file of records says nothing about stage history.
    if (guess === undefined && isOpen(column) && column.use.kind !== 'ignored') {
      return { ...column, use: { kind: 'ignored', why: 'no matching property' } };
    }
    if (guess === undefined) return column;
    const surest = best.get(guess.side);
    if (guess === surest || (surest?.rank === exactRank && guess.rank === exactRank))
      return { ...column, use: guess.use };
    return { ...column, use: { kind: 'ignored', why: `another column names the ${guess.side}` } };
  });
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
