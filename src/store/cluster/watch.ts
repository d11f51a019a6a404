// Which workers of a cluster are away, and which orgs with them, known without waiting: what is sent to a worker that hangs waits
// for seconds, and keeps a connection meanwhile that others need.
import { bounds } from '../../base/limits.ts';
import type { Away, Transaction } from '../database.ts';
import { isTimedOut } from '../pg-error.ts';
import { isReachable, listNodes, listOrgsOf } from './nodes.ts';

export class ClusterWatch {
  readonly #database: Transaction;
  readonly #timer: NodeJS.Timeout;
  #away: Away = 'none';
  #orgs: ReadonlySet<number> = new Set();
  #looking: Promise<void> | undefined;

  private constructor(database: Transaction) {
    this.#database = database;
    this.#timer = setInterval(() => void this.#look(), bounds.store.workersLookedAtMs).unref();
  }

  /** The connections are the watch's own, and their statements end soon. */
  static async open(database: Transaction): Promise<ClusterWatch> {
    const watch = new ClusterWatch(database);
    await watch.#look();
    return watch;
  }

  get away(): Away {
    return this.#away;
  }

  isAway(orgId: number): boolean {
    return this.#orgs.has(orgId);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** If the first server does not answer, that is found by everybody who asks it. */
  async #ask(): Promise<void> {
    try {
      const workers = (await listNodes(this.#database)).filter(({ takesRows }) => takesRows);
      const answers = await Promise.all(workers.map(({ address }) => this.#answers(address)));
      const away = workers.filter((_, index) => answers[index] === false).map(({ address }) => address);
      this.#orgs = new Set(away.length === 0 ? [] : await listOrgsOf(this.#database, away));
      this.#away = away.length === 0 ? 'none' : away.length < workers.length ? 'some' : 'all';
    } catch {
      // What was found last still holds.
    }
  }

  /** A worker with which the first server has a connection already can take that and say nothing. */
  async #answers(address: string): Promise<boolean> {
    try {
      return await isReachable(this.#database, address);
    } catch (error) {
      if (isTimedOut(error)) return false;
      throw error;
    }
  }
}
