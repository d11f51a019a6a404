// What a governed type adds to the rules of every write. A guard checks everything that can fail, completes the values that
// the service keeps, and returns what follows; that runs once the write is in the unit.
import type { Draft, Properties } from '../unit/draft.ts';
import type { LinkEffect, ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';

/** A record that is not in the unit yet; a guard may complete its values. `at` is its place in the request. */
interface NewRecord {
  readonly draft: Draft;
  readonly links: readonly ResolvedLink[];
  readonly at: string;
}

interface Change {
  readonly draft: Draft;
  readonly next: Properties;
  readonly effects: readonly LinkEffect[];
  readonly at: string;
}

type Consequence = () => void;

export interface Guard {
  create(unit: Unit, made: NewRecord): Promise<Consequence>;
  /** Also for links alone. The values may be others than those that were sent. */
  change(unit: Unit, change: Change): Promise<{ readonly next: Properties; readonly follow: Consequence }>;
  remove(unit: Unit, draft: Draft): Promise<Consequence>;
  restore(unit: Unit, draft: Draft): Promise<Consequence>;
}
