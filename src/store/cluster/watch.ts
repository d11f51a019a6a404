// Which workers of a cluster are away, known without waiting: a question about a worker that hangs takes long.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Away, Transaction } from '../database.ts';
import { isTimedOut } from '../pg-error.ts';
import { listNodes } from './nodes.ts';

export class ClusterWatch {
  readonly #database: Transaction;
  #known: Away = 'none';
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(database: Transaction) {
    this.#database = database;
  }

  /** What was found last. If that is a while ago, it is looked at again meanwhile. */
  look(): Away {
    const nowMs = systemClock.monotonicMs();
    if (this.#asking === undefined && nowMs - this.#askedAtMs > bounds.store.workersLookedAtMs) {
      this.#askedAtMs = nowMs;
      this.#asking = this.#ask().finally(() => {
        this.#asking = undefined;
      });
    }
    return this.#known;
  }

  async #ask(): Promise<void> {
    try {
      const workers = (await listNodes(this.#database)).filter(({ takesRows }) => takesRows);
      const away = workers.filter(({ isReachable }) => !isReachable);
      this.#known = away.length === 0 ? 'none' : away.length < workers.length ? 'some' : 'all';
    } catch (error) {
      // A worker that hangs. Any other fault is that of the first server, which is asked for itself.
      if (isTimedOut(error)) this.#known = 'some';
    }
  }
}
