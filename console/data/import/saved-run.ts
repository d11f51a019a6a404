// A kept import as the page shows it.
import { runTexts } from '../../text/import-run-texts.ts';
import type { KeptImport } from './kept-import.ts';
import type { Progress, SavedRun } from './messages.ts';
import { undoProgress } from './run/undo-run.ts';

export function savedRun(kept: KeptImport): SavedRun {
  const { id, fileName, startedAt, choice, counts, total, state, pending, undone } = kept;
  const [first, last] = [pending?.rows[0]?.line, pending?.rows.at(-1)?.line];
  const isDoubtful = state === 'in doubt' && first !== undefined && last !== undefined;
  const said = isDoubtful ? { detail: runTexts.inDoubt(first, last) } : {};
  const isUndone = undone !== undefined && undone.batches === undone.of;
  const progress: Progress =
    undone === undefined
      ? { kind: 'import', ...counts, total, rowsPerSecond: 0, secondsLeft: undefined, state, ...said }
      : undoProgress(kept, isUndone ? 'done' : 'stopped');
  return { id, fileName, typeName: choice.typeName, startedAt, progress };
}
