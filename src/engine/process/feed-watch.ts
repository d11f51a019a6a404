// Looks at the change feed for all requests that wait for it. Each org with waiting requests has one follower: when
// something was noted, and once a second, it looks once at what was committed since its last look, and wakes the requests
// that this can concern. The others sleep on without a statement; for them the follower's position becomes their place.
// What they ask, and how a page is read, is not known here.
import { sleep } from '../../base/clock.ts';
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { type FeedPlace, higherFloor, mayLackEntries } from '../../query/feed-cursor.ts';
import type { Transaction } from '../../store/database.ts';
import { findTouched, type Touched } from '../../store/feed/touched.ts';
import type { Connections } from '../shares/connections.ts';
import type { FeedWaits } from '../shares/feed-waits.ts';
import type { FeedPosition, FeedPositions } from './feed-position.ts';
import type { Signals } from './signal.ts';

/** What a request waits for. */
interface FeedInterest {
  /** The record whose changes alone are wanted, as the request names it. */
  readonly recordId: string | undefined;
  /** Whether a page can have an entry for the request. In doubt it can. */
  concerns(touched: Touched): boolean;
}

/** A request that waits for changes. */
interface FeedWaiter {
  /** Before this place there is nothing for the request that it has not read. */
  readonly place: FeedPlace;
  /**
   * Resolves with the position up to which the request must read from its place, as soon as it must; undefined after
   * `ms` milliseconds, or when the service stops.
   */
  next(ms: number): Promise<FeedPosition | undefined>;
  /** The request has read up to the position of `next`, and found nothing. */
  hasRead(place: FeedPlace, upTo: FeedPosition): void;
  /** Whether there is still a point in waiting. */
  isOpen(): boolean;
  close(): void;
}

export interface FeedWatch {
  /**
   * Waits after a read that ended at this place and position. Undefined when the service is stopping; throws when too
   * many wait already.
   */
  join(orgId: number, place: FeedPlace, readUpTo: FeedPosition, interest: FeedInterest): FeedWaiter | undefined;
  /** Wakes all requests; none waits from now on. */
  release(): void;
}

interface Sources {
  readonly connections: Pick<Connections, 'of'>;
  readonly positions: Pick<FeedPositions, 'now'>;
  readonly signals: Pick<Signals, 'hear' | 'attend' | 'leave'>;
  readonly waits: Pick<FeedWaits, 'enter'>;
}

export function openFeedWatch({ connections, positions, signals, waits }: Sources): FeedWatch {
  const followers = new Map<number, Follower>();
  let isReleased = false;
  signals.hear((orgId) => {
    if (orgId !== undefined) followers.get(orgId)?.hear();
    else for (const follower of followers.values()) follower.hear();
  });

  const followerOf = (orgId: number, position: FeedPosition): Follower => {
    const known = followers.get(orgId);
    if (known !== undefined) return known;
    const follower = new Follower(orgId, connections.of(orgId), positions, position);
    followers.set(orgId, follower);
    return follower;
  };

  return {
    join: (orgId, place, readUpTo, interest) => {
      if (isReleased) return undefined;
      const leave = waits.enter(orgId);
      signals.attend();
      const follower = followerOf(orgId, { ...readUpTo, floor: place.after });
      const waiter = new Waiter(interest, place, readUpTo.order);
      follower.add(waiter);
      return {
        get place() {
          return waiter.place;
        },
        next: (ms) => waiter.next(isReleased ? 0 : ms),
        hasRead: (read, upTo) => waiter.hasRead(read, upTo),
        isOpen: () => !isReleased,
        close: () => {
          leave();
          if (follower.remove(waiter) > 0) return;
          if (followers.get(orgId) === follower) followers.delete(orgId);
          if (followers.size === 0) signals.leave();
        },
      };
    },
    release: () => {
      isReleased = true;
      for (const follower of followers.values()) follower.wakeAll();
    },
  };
}

/** Looks at the feed of one org while requests wait for it. */
class Follower {
  readonly #orgId: number;
  readonly #database: Transaction;
  readonly #positions: Pick<FeedPositions, 'now'>;
  readonly #waiters = new Set<Waiter>();
  readonly #alarm = new Alarm();
  /** Everything that this position sees was looked at for every request that joined before. */
  #known: FeedPosition;

  constructor(orgId: number, database: Transaction, positions: Pick<FeedPositions, 'now'>, start: FeedPosition) {
    this.#orgId = orgId;
    this.#database = database;
    this.#positions = positions;
    this.#known = start;
  }

  hear(): void {
    this.#alarm.ring();
  }

  wakeAll(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }

  add(waiter: Waiter): void {
    // What was looked at since its own read was not looked at for this request.
    if (waiter.order < this.#known.order) waiter.mustRead(this.#known);
    this.#waiters.add(waiter);
    if (this.#waiters.size === 1) void this.#follow();
  }

  /** Returns how many are left. The last one ends the follower. */
  remove(waiter: Waiter): number {
    waiter.wake();
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) this.#alarm.ring();
    return this.#waiters.size;
  }

  async #follow(): Promise<void> {
    while (this.#waiters.size > 0) {
      await this.#alarm.next(bounds.engine.feedPollMs);
      // Changes that follow at once are looked at together.
      if (this.#waiters.size > 0) await sleep(bounds.engine.notifyEveryMs);
      if (this.#waiters.size > 0) await this.#look().catch((error: unknown) => this.#fail(error));
    }
  }

  /** Every request ends with the error, unless the org just has no connection left: then the next look covers this one. */
  #fail(error: unknown): void {
    if (error instanceof Problem && error.reason === 'overloaded') return;
    for (const waiter of this.#waiters) waiter.fail(error);
  }

  async #look(): Promise<void> {
    const before = this.#known;
    const now = await this.#positions.now();
    const isSameFeed = now.epoch === before.epoch;
    // If nothing was committed, there is nothing to look at.
    if (isSameFeed && now.snapshot === before.snapshot) return;
    const touched = isSameFeed ? await this.#touched(before, now) : undefined;
    const position = { ...now, floor: isSameFeed ? higherFloor(now.floor, before.floor) : now.floor };
    this.#known = position;
    for (const waiter of this.#waiters) waiter.looked(position, touched);
  }

  /** Undefined if not everything is known that was committed between the two. */
  async #touched({ snapshot: from, floor: after }: FeedPosition, to: FeedPosition): Promise<Touched | undefined> {
    const wanted = [...this.#waiters].map(({ recordId }) => recordId ?? '').filter(isId);
    const touched = await findTouched(this.#database, {
      orgId: this.#orgId,
      from,
      to: to.snapshot,
      after,
      recordIds: new Set(wanted),
    });
    return touched.isCutOff || mayLackEntries({ from, after }, touched.purge) ? undefined : touched;
  }
}

class Waiter {
  readonly #interest: FeedInterest;
  readonly #alarm = new Alarm();
  #place: FeedPlace;
  #order: number;
  #isAsleep = false;
  /** Up to where the request must read. */
  #upTo: FeedPosition | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(interest: FeedInterest, place: FeedPlace, order: number) {
    this.#interest = interest;
    this.#place = place;
    this.#order = order;
  }

  get place(): FeedPlace {
    return this.#place;
  }

  /** The number of the position that belongs to the place. */
  get order(): number {
    return this.#order;
  }

  get recordId(): string | undefined {
    return this.#interest.recordId;
  }

  wake(): void {
    this.#alarm.ring();
  }

  mustRead(upTo: FeedPosition): void {
    this.#upTo = upTo;
    this.#alarm.ring();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#alarm.ring();
  }

  /** The follower has looked at everything up to the position; undefined if everybody must read it. */
  looked(position: FeedPosition, touched: Touched | undefined): void {
    // The request itself has read more.
    if (position.order <= this.#order) return;
    if (touched === undefined || this.#interest.concerns(touched)) this.mustRead(position);
    // A request that is awake, or was woken, is about to read from its place.
    else if (this.#isAsleep && this.#upTo === undefined) this.hasRead(placeAt(position), position);
  }

  hasRead(place: FeedPlace, upTo: FeedPosition): void {
    this.#place = place;
    this.#order = upTo.order;
  }

  async next(ms: number): Promise<FeedPosition | undefined> {
    this.#isAsleep = true;
    await this.#alarm.next(ms);
    this.#isAsleep = false;
    if (this.#failure !== undefined) throw this.#failure.error;
    const upTo = this.#upTo;
    this.#upTo = undefined;
    return upTo;
  }
}

function placeAt({ epoch, snapshot, floor }: FeedPosition): FeedPlace {
  return { epoch, from: snapshot, after: floor, window: null };
}

class Alarm {
  #isRung = false;
  #resolve: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#resolve?.();
  }

  /** Resolves when it was rung since this last resolved, or after `ms` milliseconds. */
  async next(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#isRung && ms > 0) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.#resolve = undefined;
    this.#isRung = false;
  }
}
