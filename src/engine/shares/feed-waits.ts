// Requests that wait for changes: how many may wait, of one org and in all, and the reads that serve them. Equal reads
// share one, and only a few of an org run at once, so that no number of waiting requests turns into load for others.
// Which of them have something to read is decided elsewhere (`process/feed-watch`).
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { FeedPage } from '../../store/feed/pages.ts';

export interface FeedWaits {
  /** Counts one more waiting request until the returned function is called. Throws when too many wait already. */
  enter(orgId: number): () => void;
  /** How many requests wait. */
  count(): number;
  /** The result of the read, or of an equal one that is under way. Equal texts mean equal reads. */
  share(text: string, read: () => Promise<FeedPage>): Promise<FeedPage>;
  /** Reads when it is the turn of this read among those of the org. */
  inTurn(orgId: number, read: () => Promise<FeedPage>): Promise<FeedPage>;
}

export function openFeedWaits(): FeedWaits {
  const orgs = new Map<number, OrgWaits>();
  const reads = new Map<string, Promise<FeedPage>>();
  let count = 0;

  const waitsOf = (orgId: number): OrgWaits => {
    const known = orgs.get(orgId);
    if (known !== undefined) return known;
    const own = new OrgWaits();
    orgs.set(orgId, own);
    return own;
  };
  const forgetIdle = (orgId: number, own: OrgWaits): void => {
    if (own.isIdle) orgs.delete(orgId);
  };

  return {
    enter: (orgId) => {
      const { feedWaits, feedWaitsOfOrg } = bounds.shares;
      if ((orgs.get(orgId)?.waiting ?? 0) >= feedWaitsOfOrg) throw tooMany(`${feedWaitsOfOrg} requests of the org`);
      if (count >= feedWaits) throw tooMany(`${feedWaits} requests of all orgs`);
      const own = waitsOf(orgId);
      own.waiting++;
      count++;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        own.waiting--;
        count--;
        forgetIdle(orgId, own);
      };
    },
    count: () => count,
    share: (text, read) => {
      const running = reads.get(text);
      if (running !== undefined) return running;
      const started = read().finally(() => reads.delete(text));
      reads.set(text, started);
      return started;
    },
    inTurn: async (orgId, read) => {
      const own = waitsOf(orgId);
      try {
        return await own.inTurn(read);
      } finally {
        forgetIdle(orgId, own);
      }
    },
  };
}

/** The waiting requests of one org. */
class OrgWaits {
  waiting = 0;
  #reading = 0;
  /** Each starts a read. There are never more than waiting requests. */
  readonly #queue: (() => void)[] = [];

  get isIdle(): boolean {
    return this.waiting === 0 && this.#reading === 0;
  }

  async inTurn<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reading < bounds.shares.feedReadsOfOrg) this.#reading++;
    else {
      await new Promise<void>((resolve) => {
        this.#queue.push(resolve);
      });
    }
    try {
      return await read();
    } finally {
      const next = this.#queue.shift();
      // The next read takes over the turn, so the number of reads stays the same.
      if (next === undefined) this.#reading--;
      else next();
    }
  }
}

function tooMany(who: string): Error {
  const detail = `${who} are already waiting for changes, which is the limit. Ask without \`wait\`, or let fewer requests wait.`;
  return overloaded(detail, bounds.shares.feedWaitRetrySeconds);
}
