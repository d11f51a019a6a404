// Looks at the change feed for all requests that wait for it. Each org with waiting requests has one follower: when
// something was noted, and once a second, it looks once at what was committed since its last look, and wakes the requests
// that this can concern. The others sleep on without a statement; for them the follower's position becomes their place.
// What they ask, and how a page is read, is not known here.
import { type Clock, sleep } from '../../base/clock.ts';
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { type FeedPlace, higherFloor, mayLackEntries } from '../../query/feed-cursor.ts';
import type { Transaction } from '../../store/database.ts';
import { findTouched, type Touched } from '../../store/feed/touched.ts';
import type { Connections } from '../shares/connections.ts';
import type { FeedWaits } from '../shares/feed-waits.ts';
import type { FeedPosition, FeedPositions } from './feed-position.ts';
import { Alarm, type FeedInterest, Waiter } from './feed-waiter.ts';
import type { Signals } from './signal.ts';

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
  /** How long changes of which this process knows have not been looked at for the requests that wait. */
  lagMs(): number;
}

interface Sources {
  readonly connections: Pick<Connections, 'of'>;
  readonly positions: Pick<FeedPositions, 'now'>;
  readonly signals: Pick<Signals, 'hear' | 'attend' | 'leave'>;
  readonly waits: Pick<FeedWaits, 'enter'>;
  readonly clock: Clock;
}

export function openFeedWatch({ connections, positions, signals, waits, clock }: Sources): FeedWatch {
  const followers = new Map<number, Follower>();
  let isReleased = false;
  signals.hear((orgId) => {
    if (orgId !== undefined) followers.get(orgId)?.hear();
    else for (const follower of followers.values()) follower.hear();
  });

  const followerOf = (orgId: number, position: FeedPosition): Follower => {
    const known = followers.get(orgId);
    if (known !== undefined) return known;
    const follower = new Follower(orgId, { database: connections.of(orgId), positions, clock }, position);
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
    lagMs: () => Math.max(0, ...[...followers.values()].map((follower) => follower.lagMs)),
  };
}

interface FollowerSources extends Pick<Sources, 'positions' | 'clock'> {
  readonly database: Transaction;
}

/** Looks at the feed of one org while requests wait for it. */
class Follower {
  readonly #orgId: number;
  readonly #sources: FollowerSources;
  readonly #waiters = new Set<Waiter>();
  readonly #alarm = new Alarm();
  /** Everything that this position sees was looked at for every request that joined before. */
  #known: FeedPosition;
  /** When it first heard of something that it has not begun to look at, and the same for what it is looking at. */
  #heardAtMs = Number.POSITIVE_INFINITY;
  #lookingSinceMs = Number.POSITIVE_INFINITY;

  constructor(orgId: number, sources: FollowerSources, start: FeedPosition) {
    this.#orgId = orgId;
    this.#sources = sources;
    this.#known = start;
  }

  get lagMs(): number {
    return Math.max(0, this.#nowMs() - Math.min(this.#heardAtMs, this.#lookingSinceMs));
  }

  hear(): void {
    this.#heardAtMs = Math.min(this.#heardAtMs, this.#nowMs());
    this.#alarm.ring();
  }

  #nowMs(): number {
    return this.#sources.clock.monotonicMs();
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

  /** If it fails, the next look is late by as much. */
  async #look(): Promise<void> {
    this.#lookingSinceMs = Math.min(this.#lookingSinceMs, this.#heardAtMs, this.#nowMs());
    this.#heardAtMs = Number.POSITIVE_INFINITY;
    await this.#wakeConcerned();
    this.#lookingSinceMs = Number.POSITIVE_INFINITY;
  }

  async #wakeConcerned(): Promise<void> {
    const before = this.#known;
    const now = await this.#sources.positions.now();
    const isSameFeed = now.life === before.life;
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
    const touched = await findTouched(this.#sources.database, {
      orgId: this.#orgId,
      from,
      to: to.snapshot,
      after,
      recordIds: new Set(wanted),
    });
    return touched.isCutOff || mayLackEntries({ from, after }, touched.purge) ? undefined : touched;
  }
}
