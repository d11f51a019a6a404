// Whether somebody has the service to itself. Then nobody is there whom its work could delay, and it may take all it can.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';

interface Visit<Id> {
  readonly id: Id | undefined;
  readonly atMs: number;
}

export class Company<Id> {
  readonly #clock: Clock;
  /** The last one that came, and the last one before it that was another. */
  #latest: Visit<Id> = { id: undefined, atMs: Number.NEGATIVE_INFINITY };
  #other: Visit<Id> = this.#latest;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  came(id: Id): void {
    if (id !== this.#latest.id) this.#other = this.#latest;
    this.#latest = { id, atMs: this.#clock.monotonicMs() };
  }

  isAlone(id: Id): boolean {
    const { atMs } = this.#latest.id === id ? this.#other : this.#latest;
    return atMs < this.#clock.monotonicMs() - bounds.shares.aloneAfterMs;
  }
}
