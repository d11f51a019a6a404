// Work of one kind that is done in groups while it waits for the database: under load many requests share a statement and a
// commit, and a single request waits for nobody.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

/** What a piece of work adds to the statement of its group. */
interface Size {
  readonly records: number;
  readonly bytes: number;
}

/** One piece of work that waits, or is being done. */
export interface Member<Work, Result> {
  readonly work: Work;
  readonly size: Size;
  readonly sinceMs: number;
  done(result: Result): void;
  failed(error: unknown): void;
}

interface GroupOptions<Work, Result> {
  readonly clock: Clock;
  /** For the client of work that has waited too long. */
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
  /** By org, and by the name of the work. */
  readonly #orgs = new Map<number, Map<string, Queue<Work, Result>>>();

  constructor(options: GroupOptions<Work, Result>) {
    this.#options = options;
  }

  /** Work with the same name can be in one group; that of different orgs never is. */
  add(orgId: number, name: string, work: Work, size: Size): Promise<Result> {
    const { clock, tooBusy } = this.#options;
    const queues = this.#orgs.get(orgId) ?? new Map<string, Queue<Work, Result>>();
    const waiting = [...queues.values()].reduce((sum, each) => sum + each.waiting.length, 0);
    if (waiting >= bounds.shares.waitingOfOrg) return Promise.reject(overloaded(tooBusy));
    const queue = queues.get(name) ?? { waiting: [], running: 0 };
    this.#orgs.set(orgId, queues.set(name, queue));
    return new Promise((resolve, reject) => {
      queue.waiting.push({ work, size, sinceMs: clock.monotonicMs(), done: resolve, failed: reject });
      if (queue.running < bounds.engine.groupsAtOnce) void this.#run(orgId, name, queue);
    });
  }

  /** Whether the work has waited so long that it must not begin any more. */
  isLate({ sinceMs }: Member<Work, Result>): boolean {
    return sinceMs < this.#options.clock.monotonicMs() - bounds.engine.groupWaitMs;
  }

  async #run(orgId: number, name: string, queue: Queue<Work, Result>): Promise<void> {
    queue.running++;
    while (queue.waiting.length > 0) {
      this.#giveUpLate(queue.waiting);
      const group = nextGroup(queue.waiting);
      if (group.length > 0) await this.#options.run(orgId, group);
    }
    queue.running--;
    if (queue.running > 0) return;
    const queues = this.#orgs.get(orgId);
    queues?.delete(name);
    if (queues?.size === 0) this.#orgs.delete(orgId);
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
  let [records, bytes] = [0, 0];
  const past = waiting.findIndex(({ size }, index) => {
    records += size.records;
    bytes += size.bytes;
    return index > 0 && (records > bounds.engine.groupedWrites || bytes > bounds.engine.groupedBytes);
  });
  return waiting.splice(0, past < 0 ? waiting.length : past);
}
