// Requests of one org, or of one address without a key, beyond a few at once. They begin one by one, at a pace that leaves
// the thread free for others, and those who have sent so many take turns. So a request of somebody else waits for a few of
// them at most, however many arrive together. Whoever has just been refused by a limit begins even less often: a refusal is
// work as well, and no faster answer helps a client that should wait.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { afterRest } from '../../base/turns.ts';
import { Company } from './company.ts';

export interface Crowd {
  /**
   * Undefined, not a promise, if the request may begin at once. Throws a Problem if too many wait already. Each request that
   * entered must leave.
   */
  enter(who: Sender): Promise<void> | undefined;
  /** One that a limit has refused counts longer: it was answered at once, and the next one often follows it. */
  leave(who: Sender, outcome?: 'answered' | 'refused'): void;
  /** Whether nobody else has sent anything for a while. */
  isAlone(who: Sender): boolean;
}

/** The number of an org, or an address. */
export type Sender = number | string;

/** When something is to run: in the next pass of the event loop, or after a pause. */
interface Timing {
  readonly nextPass: (run: () => void) => unknown;
  readonly afterPause: (run: () => void) => unknown;
}

/** The requests of a sender that wait, the oldest first, and when the last one before them began. */
interface Waiting {
  readonly line: Set<() => void>;
  readonly lastMs: number;
}

interface CrowdOptions extends Timing {
  /** How many requests of a sender begin as soon as they arrive. */
  readonly atOnce: (who: Sender) => number;
  /** Whether a sender is one whom the crowd of another must not delay. */
  readonly isCompany: (who: Sender) => boolean;
}

/** Probes and visitors of pages are not company: their requests are few and short. */
const usual: CrowdOptions = {
  nextPass: setImmediate,
  afterPause: (run) => afterRest(run, { pauseMs: bounds.shares.crowdPauseMs, pausesMost: bounds.shares.crowdPauses }),
  atOnce: (who) => (isOrg(who) ? bounds.shares.requestsAtOnce : bounds.shares.requestsOfAddressAtOnce),
  isCompany: isOrg,
};

function isOrg(who: Sender): boolean {
  return typeof who === 'number';
}

export function openCrowd(clock: Clock, options: Partial<CrowdOptions> = {}): Crowd {
  const { nextPass, afterPause, atOnce, isCompany } = { ...usual, ...options };
  const present = new Present();
  /** Those that wait, the oldest first. The first sender in the map has the next turn, if it is not too early. */
  const waiting = new Map<Sender, Waiting>();
  /** The senders that count. */
  const company = new Company<Sender>(clock);
  let isScheduled = false;

  const schedule = (): void => {
    const [who] = waiting.keys();
    if (isScheduled || who === undefined) return;
    isScheduled = true;
    if (waiting.size === 1 && company.isAlone(who)) nextPass(giveTurn);
    else afterPause(giveTurn);
  };

  const mayBegin = ([who, { lastMs }]: [Sender, Waiting]): boolean =>
    !present.hasRefused(who) || company.isAlone(who) || clock.monotonicMs() - lastMs >= bounds.shares.refusedPauseMs;

  const giveTurn = (): void => {
    isScheduled = false;
    const next = [...waiting].find(mayBegin);
    if (next !== undefined) {
      const [who, { line }] = next;
      const [begin] = line;
      waiting.delete(who);
      if (begin !== undefined) line.delete(begin);
      if (line.size > 0) waiting.set(who, { line, lastMs: clock.monotonicMs() });
      begin?.();
    }
    schedule();
  };

  return {
    enter: (who) => {
      if (isCompany(who)) company.came(who);
      const most = company.isAlone(who) ? atOnce(who) : Math.min(atOnce(who), bounds.shares.requestsBesideOthers);
      if (present.count(who) < most) {
        present.add(who);
        return undefined;
      }
      const before = waiting.get(who) ?? { line: new Set(), lastMs: clock.monotonicMs() };
      const { line } = before;
      if (line.size >= bounds.shares.crowdWaiting) throw overloaded('Too many requests arrived at once; send fewer.');
      present.add(who);
      return new Promise((resolve) => {
        line.add(resolve);
        waiting.set(who, before);
        schedule();
      });
    },
    isAlone: (who) => company.isAlone(who),
    leave: (who, outcome = 'answered') => {
      if (outcome === 'answered') present.remove(who);
      else present.removeRefused(who);
    },
  };
}

/** The requests that have entered and not left. */
class Present {
  readonly #all = new Counts();
  /** Those of them that have been refused. */
  readonly #refused = new Counts();

  count(who: Sender): number {
    return this.#all.of(who);
  }

  hasRefused(who: Sender): boolean {
    return this.#refused.of(who) > 0;
  }

  add(who: Sender): void {
    this.#all.add(who);
  }

  remove(who: Sender): void {
    this.#all.remove(who);
  }

  /** After a while. */
  removeRefused(who: Sender): void {
    this.#refused.add(who);
    const remove = (): void => {
      this.#all.remove(who);
      this.#refused.remove(who);
    };
    setTimeout(remove, bounds.shares.refusedStayMs).unref();
  }
}

class Counts {
  readonly #counts = new Map<Sender, number>();

  of(who: Sender): number {
    return this.#counts.get(who) ?? 0;
  }

  add(who: Sender): void {
    this.#counts.set(who, this.of(who) + 1);
  }

  remove(who: Sender): void {
    const count = this.of(who);
    if (count > 1) this.#counts.set(who, count - 1);
    else this.#counts.delete(who);
  }
}
