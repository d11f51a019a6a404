// Requests that wait for changes: how many may wait, of one org and in all, and the reads that serve them. Equal reads
// share one, and only a few of an org run at once, so that no number of waiting requests turns into load for others.
// Which of them have something to read is decided elsewhere (`process/feed-watch`).
import { within } from '../../base/clock.ts';
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
  /**
   * The same for a request that has waited: the read begins when it is its turn among those of the org. Undefined if the
   * request has no time left before that.
   */
  shareInTurn(orgId: number, wanted: WantedRead): Promise<FeedPage | undefined>;
}

export interface WantedRead {
  /** Undefined for a read that is like no other. */
  readonly text: string | undefined;
  readonly read: () => Promise<FeedPage>;
  readonly leftMs: () => number;
}

export function openFeedWaits(): FeedWaits {
  const orgs = new Map<number, OrgWaits>();
  const reads = new Map<string, SharedRead>();
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
  const begin = (text: string | undefined, read: SharedRead): SharedRead => {
    if (text === undefined) return read;
    reads.set(text, read);
    read.onceOver(() => {
      if (reads.get(text) === read) reads.delete(text);
    });
    return read;
  };
  const running = (text: string | undefined) => (text === undefined ? undefined : reads.get(text));

  return {
    enter: (orgId) => {
      refuseMore(orgs, orgId, count);
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
      const known = running(text);
      if (known?.isBegun === true) return known.page;
      const own = begin(text, new SharedRead(read));
      own.begin();
      return own.page;
    },
    shareInTurn: async (orgId, { text, read, leftMs }) => {
      const own = waitsOf(orgId);
      const shared = running(text) ?? own.line(begin(text, new SharedRead(read)));
      try {
        return await shared.within(leftMs);
      } finally {
        if (!shared.isWanted) own.drop(shared);
        forgetIdle(orgId, own);
      }
    },
  };
}

function refuseMore(orgs: ReadonlyMap<number, OrgWaits>, orgId: number, count: number): void {
  const { feedWaits, feedWaitsOfOrg } = bounds.shares;
  const own = orgs.get(orgId);
  const mine = own?.waiting ?? 0;
  if (mine >= feedWaitsOfOrg) throw tooMany(`${feedWaitsOfOrg} requests of the org`);
  // When all orgs together have too many, an org that has less than an equal part of the bound still gets its places.
  const part = feedWaits / (orgs.size + (own === undefined ? 1 : 0));
  if (count >= feedWaits && mine + 1 > part) throw tooMany(`${feedWaits} requests of all orgs`);
}

/** One read for all requests that want the same. */
class SharedRead {
  readonly page: Promise<FeedPage>;
  isBegun = false;
  readonly #begun: Promise<void>;
  #begin: () => void = () => {};
  #over: () => void = () => {};
  #waiting = 0;

  constructor(read: () => Promise<FeedPage>) {
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.page = this.#begun.then(read).finally(() => this.#over());
    // Those that want the page get its error; there may be none of them left.
    this.page.catch(() => {});
  }

  /** Whether it has begun, or somebody waits until it does. */
  get isWanted(): boolean {
    return this.isBegun || this.#waiting > 0;
  }

  onceOver(run: () => void): void {
    this.#over = run;
  }

  begin(): void {
    this.isBegun = true;
    this.#begin();
  }

  /** It will never begin. */
  drop(): void {
    this.#over();
  }

  /** The page; undefined if no time is left before the read begins. */
  async within(leftMs: () => number): Promise<FeedPage | undefined> {
    this.#waiting++;
    try {
      while (!this.isBegun) {
        const ms = Math.min(leftMs(), bounds.engine.feedPollMs);
        if (ms <= 0) return undefined;
        await within(ms, this.#begun);
      }
    } finally {
      this.#waiting--;
    }
    return this.page;
  }
}

/** The waiting requests of one org. */
class OrgWaits {
  waiting = 0;
  #reading = 0;
  /** Reads that wait for their turn. Each is wanted by a request, so there are never more than waiting requests. */
  readonly #queue: SharedRead[] = [];

  get isIdle(): boolean {
    return this.waiting === 0 && this.#reading === 0;
  }

  /** Begins the read, now or in its turn. */
  line(read: SharedRead): SharedRead {
    if (this.#reading < bounds.shares.feedReadsOfOrg) this.#start(read);
    else this.#queue.push(read);
    return read;
  }

  /** Nobody wants the read any more. */
  drop(read: SharedRead): void {
    const index = this.#queue.indexOf(read);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    read.drop();
  }

  #start(read: SharedRead): void {
    this.#reading++;
    read.begin();
    const passOn = () => {
      this.#reading--;
      const first = this.#queue.shift();
      if (first !== undefined) this.#start(first);
    };
    void Promise.allSettled([read.page]).then(passOn);
  }
}

function tooMany(who: string): Error {
  const detail = `${who} are already waiting for changes, which is the limit. Ask without \`wait\`, or let fewer requests wait.`;
  return overloaded(detail, bounds.shares.feedWaitRetrySeconds);
}
