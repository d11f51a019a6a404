// A request that waits for changes, as its follower sees it: from where it must read, and when it is woken. What was committed
// is looked at in `feed-watch`.
import type { FeedPlace } from '../../query/feed-cursor.ts';
import type { Touched } from '../../store/feed/touched.ts';
import type { FeedPosition } from './feed-position.ts';

/** What a request waits for. */
export interface FeedInterest {
  /** The record whose changes alone are wanted, as the request names it. */
  readonly recordId: string | undefined;
  /** Whether a page can have an entry for the request. In doubt it can. */
  concerns(touched: Touched): boolean;
}

/** One waiting request. */
export class Waiter {
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

function placeAt({ life, log, snapshot, floor }: FeedPosition): FeedPlace {
  return { life, log, from: snapshot, after: floor, window: null };
}

export class Alarm {
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
