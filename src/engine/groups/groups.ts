// Work of one kind that is done in groups while it waits for the database: under load many requests share a statement and a
// commit, and a single request waits for nobody.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

/** One piece of work that waits, or is being done. */
export interface Member<Work, Result> {
  readonly work: Work;
  readonly bytes: number;
  readonly sinceMs: number;
  done(result: Result): void;
  failed(error: unknown): void;
}

interface GroupOptions<Work, Result> {
  readonly clock: Clock;
  /** What a client is told whose work has waited too long. */
  readonly tooBusy: string;
  /** Does the work of a group, and tells each member of it how it ended. It must not reject. */
  readonly run: (orgId: number, group: readonly Member<Work, Result>[]) => Promise<void>;
}

interface Queue<Work, Result> {
  readonly waiting: Member<Work, Result>[];
  running: number;
}

export class Groups<Work, Result> {
  readonly #options: GroupOptions<Work, Result>;
  readonly #queues = new Map<string, Queue<Work, Result>>();

  constructor(options: GroupOptions<Work, Result>) {
    this.#options = options;
  }

  /** Work with the same name can be in one group; that of different orgs never is. */
  add(orgId: number, name: string, work: Work, bytes: number): Promise<Result> {
    const key = `${orgId}/${name}`;
    const queue = this.#queues.get(key) ?? { waiting: [], running: 0 };
    this.#queues.set(key, queue);
    const { clock, tooBusy } = this.#options;
    if (queue.waiting.length >= bounds.shares.waitingOfOrg) return Promise.reject(overloaded(tooBusy));
    return new Promise((resolve, reject) => {
      queue.waiting.push({ work, bytes, sinceMs: clock.monotonicMs(), done: resolve, failed: reject });
      if (queue.running < bounds.engine.groupsAtOnce) void this.#run(orgId, key, queue);
    });
  }

  /** Whether the work has waited so long that it must not begin any more. */
  isLate({ sinceMs }: Member<Work, Result>): boolean {
    return sinceMs < this.#options.clock.monotonicMs() - bounds.engine.groupWaitMs;
  }

  async #run(orgId: number, key: string, queue: Queue<Work, Result>): Promise<void> {
    queue.running++;
    while (queue.waiting.length > 0) {
      this.#giveUpLate(queue.waiting);
      const group = nextGroup(queue.waiting);
      if (group.length > 0) await this.#options.run(orgId, group);
    }
    queue.running--;
    if (queue.running === 0) this.#queues.delete(key);
  }

  /** Refuses what has waited too long, before others are grouped with it. */
  #giveUpLate(waiting: Member<Work, Result>[]): void {
    for (let [first] = waiting; first !== undefined && this.isLate(first); [first] = waiting) {
      waiting.shift();
      first.failed(overloaded(this.#options.tooBusy));
    }
  }
}

/** The first that wait, as many as one statement should carry. */
function nextGroup<Work, Result>(waiting: Member<Work, Result>[]): readonly Member<Work, Result>[] {
  let bytes = 0;
  const past = waiting.findIndex((each, index) => {
    bytes += each.bytes;
    return index > 0 && (index >= bounds.engine.groupedWrites || bytes > bounds.engine.groupedBytes);
  });
  return waiting.splice(0, past < 0 ? waiting.length : past);
}
