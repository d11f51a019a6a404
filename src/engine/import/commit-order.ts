// The order in which batches that are under way at the same time are committed: that of the file. A batch that has met a
// lock, or a value that was taken, runs anew once all before it are in; those behind it step back until it is in, so that
// no two of them wait for each other.

/** A batch before this one has to run anew: what it has written so far is rolled back, and it runs once that one is in. */
export class StepBack extends Error {
  override readonly name = 'StepBack';
}

interface Waiting {
  readonly number: number;
  readonly patience: 'steps_back' | 'stays';
  resolve(): void;
  reject(error: unknown): void;
}

export class CommitOrder {
  #passed = 0;
  readonly #rerunning = new Set<number>();
  #waiting: Waiting[] = [];
  #failure: { readonly error: unknown } | undefined;

  /** Resolves when all batches before this one are in; rejects when one of them has to run anew. */
  turnOrStepBack(number: number): Promise<void> {
    return this.#wait(number, 'steps_back');
  }

  /** Resolves when all batches before this one are in, however often they run. */
  turn(number: number): Promise<void> {
    return this.#wait(number, 'stays');
  }

  pass(number: number): void {
    this.#passed = number + 1;
    this.#rerunning.delete(number);
    this.#wake();
  }

  rerun(number: number): void {
    this.#rerunning.add(number);
    this.#wake();
  }

  /** Nothing is committed any more. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  #wait(number: number, patience: Waiting['patience']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ number, patience, resolve, reject });
      this.#wake();
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      if (this.#failure !== undefined) each.reject(this.#failure.error);
      else if (each.number === this.#passed) each.resolve();
      else if (each.patience === 'steps_back' && this.#isBehind(each.number)) each.reject(new StepBack());
      else this.#waiting.push(each);
    }
  }

  #isBehind(number: number): boolean {
    return [...this.#rerunning].some((anew) => anew < number);
  }
}
