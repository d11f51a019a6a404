// Commits batches that run at the same time in the order of the file. A batch that met a lock or a taken value runs again
// after all batches before it are committed; the batches behind it roll back and wait for it, so that no two of them wait
// for each other.

/** Thrown in a batch when one before it has to run again: it rolls back, and runs again after that one. */
export class StepBack extends Error {
  override readonly name = 'StepBack';
}

interface Waiting {
  readonly number: number;
  readonly mode: 'steps_back' | 'stays';
  resolve(): void;
  reject(error: unknown): void;
}

export class CommitOrder {
  #committed = 0;
  readonly #rerunning = new Set<number>();
  #waiting: Waiting[] = [];
  #failure: { readonly error: unknown } | undefined;

  /** Resolves when all batches before this one are committed; rejects with StepBack if one of them has to run again. */
  turnOrStepBack(number: number): Promise<void> {
    return this.#wait(number, 'steps_back');
  }

  /** Resolves when all batches before this one are committed, however often they run. */
  turn(number: number): Promise<void> {
    return this.#wait(number, 'stays');
  }

  /** Whether all batches before this one are committed. */
  isNext(number: number): boolean {
    return number === this.#committed;
  }

  committed(number: number): void {
    this.#committed = number + 1;
    this.#rerunning.delete(number);
    this.#wake();
  }

  rerun(number: number): void {
    this.#rerunning.add(number);
    this.#wake();
  }

  /** Nothing is committed from now on; every wait rejects with the first error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  #wait(number: number, mode: Waiting['mode']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ number, mode, resolve, reject });
      this.#wake();
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      if (this.#failure !== undefined) each.reject(this.#failure.error);
      else if (each.number === this.#committed) each.resolve();
      else if (each.mode === 'steps_back' && this.#isBehind(each.number)) each.reject(new StepBack());
      else this.#waiting.push(each);
    }
  }

  #isBehind(number: number): boolean {
    return [...this.#rerunning].some((earlier) => earlier < number);
  }
}
