// How fast an import is, by its last batches, and how long the rest will take.
import { importBounds } from '../bounds.ts';

interface Pace {
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | undefined;
}

export class PaceMeter {
  readonly #now: () => number;
  #marks: { readonly atMs: number; readonly rows: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  at(rows: number, total: number): Pace {
    this.#marks = [...this.#marks, { atMs: this.#now(), rows }].slice(-importBounds.batchesMeasured);
    const [first] = this.#marks;
    const last = this.#marks.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs || last.rows <= first.rows) {
      return { rowsPerSecond: 0, secondsLeft: undefined };
    }
    const rowsPerSecond = ((last.rows - first.rows) * 1_000) / (last.atMs - first.atMs);
    return { rowsPerSecond, secondsLeft: Math.ceil(Math.max(0, total - rows) / rowsPerSecond) };
  }

  /** After a wait, which says nothing of the speed. */
  forget(): void {
    this.#marks = [];
  }
}
