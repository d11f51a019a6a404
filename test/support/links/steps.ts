// A step of a test of links: one request, single or a batch, and the result that the model predicts.
import { applyItem } from './model.ts';
import { type Item, isRefused, type Outcome } from './rules.ts';
import type { LinkState } from './state.ts';

export interface Step {
  readonly way: 'single' | 'batch' | 'atomic';
  /** One of them unless it is a batch. */
  readonly items: readonly Item[];
  /** Everything is checked and nothing is written. */
  readonly dry?: true;
  /** A condition on the version of a single record: the one that it has, or another. */
  readonly onlyIf?: 'current' | 'stale';
}

export interface Prediction {
  /** One for each item; of an atomic batch that fails, up to the one that failed. */
  readonly outcomes: readonly Outcome[];
  /** Whether the whole request is refused. */
  readonly refused: boolean;
  /** The version that the record of a single item had before. */
  readonly version: number;
  readonly after: LinkState;
}

/** A label of a record that never existed. */
export const nobody = 'nobody';
/** A name that no item of a batch has given. */
export const noRef = 'no ref';

/** The answer to a step, and the state after it: the same one, changed, unless something may have to be undone. */
export function predict(before: LinkState, step: Step): Prediction {
  const version = before.find(step.items[0]?.id ?? '')?.version ?? 1;
  const after = step.way === 'atomic' || step.dry === true ? before.copy() : before;
  const refs = new Set<string>([noRef]);
  const outcomes: Outcome[] = [];
  for (const item of step.items) {
    const stale = step.onlyIf === 'stale' && after.isLive(item.id) ? ['412 version_mismatch'] : [];
    const outcome = stale.length > 0 ? refuse(after, item, stale) : applyItem(after, item, refs);
    outcomes.push(outcome);
    if (isMaking(item)) refs.add(item.id);
    if (isRefused(outcome) && step.way !== 'batch') return { outcomes, refused: true, version, after: before };
  }
  return { outcomes, refused: false, version, after: step.dry === true ? before : after };
}

/** A condition that does not hold, besides other errors of the item. */
function refuse(state: LinkState, item: Item, refusals: readonly string[]): Outcome {
  const outcome = applyItem(state.copy(), item, new Set());
  return { refusals: [...refusals, ...(isRefused(outcome) ? outcome.refusals : [])] };
}

/** Whether the item gives a new record its label. */
export function isMaking({ operation }: Item): boolean {
  return operation === 'create' || operation === 'upsert';
}

/** Whether the step names only existing records: steps before it may have been left out. */
export function isPlayable(state: LinkState, { items }: Step): boolean {
  const known = new Set([nobody, noRef]);
  for (const item of items) {
    const named = [
      ...(isMaking(item) ? [] : [item.id]),
      ...('duplicate' in item ? [item.duplicate] : []),
      ...('target' in item ? [item.target] : []),
      ...('links' in item ? item.links.map((link) => link.target) : []),
    ];
    if (named.some((label) => !known.has(label) && state.find(label) === undefined)) return false;
    if (isMaking(item)) known.add(item.id);
  }
  return true;
}

/** The step in one line, for a person who searches for the error. */
export function stepText({ way, items, dry, onlyIf }: Step): string {
  const lines = items.map((item) => {
    const { operation, type, id, ...more } = item;
    return `${operation} ${type} ${id} ${JSON.stringify(more)}`.replace(' {}', '');
  });
  const marks = [way, dry === true ? 'dry' : '', onlyIf ?? ''].filter((mark) => mark !== '').join(' ');
  return `${marks}: ${lines.join('; ')}`;
}
