// Where somebody is on the way from a file to records.
import type { ImportState, Progress } from '../../data/import/messages.ts';

export const steps = ['file', 'columns', 'check', 'import'] as const;
export type Step = (typeof steps)[number];

/** The step that is shown: the one that is wanted, as far as there is something to show. */
export function stepOf({ file, progress, reading }: ImportState, wanted: Step): Step {
  if (progress !== undefined && progress.kind !== 'dry run' && isUnderWay(progress)) return 'import';
  if (reading !== undefined) return 'file';
  const isRun = wanted === 'check' || wanted === 'import';
  if (isRun && (file !== undefined || progress !== undefined)) return wanted;
  return file === undefined || wanted === 'file' ? 'file' : 'columns';
}

/** What the step shows of a run; undefined before it has begun. */
export function runOf({ progress }: ImportState, step: Step): Progress | undefined {
  if (progress === undefined || (step !== 'check' && step !== 'import')) return undefined;
  return (progress.kind === 'dry run') === (step === 'check') ? progress : undefined;
}

export function isUnderWay({ state }: Progress): boolean {
  return state === 'running' || state === 'stopping' || state === 'waiting';
}
