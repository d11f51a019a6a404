// What an org does for one purpose: how much of the database's time its work takes, and what waits for a place.
import { bounds } from '../../base/limits.ts';

export interface Place {
  /** A statement of its work has been answered. */
  moved(): void;
  end(): void;
}

/** A place that is held. */
export interface Held {
  /** When it was taken, or its last statement was answered. */
  readonly movedMs: number;
}

export interface Waiting {
  readonly sinceMs: number;
  start(place: Place): void;
}

/** The places that an org has for one purpose, and the requests that wait for one, the oldest first. */
export class Line {
  readonly waiting: Waiting[] = [];
  /** How many places it may have all the time. */
  readonly #cores: number;
  /** Work that has not moved for so long waits for a lock, and takes no time of the database. */
  readonly #stuckMs: number;
  readonly #held = new Set<Held>();
  /** The time that it has taken beyond that; what it may take at once if it is negative. As it was at `#atMs`. */
  #aheadMs: number = -bounds.shares.burstMs;
  #atMs = 0;
  /** What its work takes, about. */
  #usualMs = 0;
  /** None of its work begins before: the thread is busy with what it has read. */
  #restsUntilMs = 0;

  constructor(cores: number, stuckMs = Number.POSITIVE_INFINITY) {
    this.#cores = cores;
    this.#stuckMs = stuckMs;
  }

  /** How many places it has. */
  get held(): number {
    return this.#held.size;
  }

  /** Those that have a place have not taken all of their time yet. */
  mayStart(nowMs: number): boolean {
    if (nowMs < this.#restsUntilMs) return false;
    if (this.#working(nowMs) < this.#cores) return true;
    this.#pass(nowMs);
    return this.#aheadMs + this.#held.size * this.#usualMs <= 0;
  }

  began(nowMs: number, place: Held): void {
    this.#pass(nowMs);
    this.#held.add(place);
  }

  /** `latencyMs` is what even the shortest work takes: it is the time of the network, not of the database. */
  ended(nowMs: number, place: Held, heldMs: number, latencyMs: number): void {
    this.#pass(nowMs);
    this.#held.delete(place);
    const idleMs = Math.min(heldMs, latencyMs);
    this.#aheadMs -= idleMs;
    const takenMs = Math.min(heldMs - idleMs, bounds.shares.aheadMs);
    this.#usualMs += (takenMs - this.#usualMs) * (takenMs > this.#usualMs ? 1 : bounds.shares.usualLearned);
  }

  /** Returns how long it rests now. */
  rest(nowMs: number, ms: number): number {
    const untilMs = Math.max(nowMs, this.#restsUntilMs) + ms;
    this.#restsUntilMs = Math.min(untilMs, nowMs + bounds.shares.restMs);
    return this.#restsUntilMs - nowMs;
  }

  #working(nowMs: number): number {
    if (this.#held.size < this.#cores) return this.#held.size;
    let count = 0;
    for (const { movedMs } of this.#held) if (nowMs - movedMs < this.#stuckMs) count++;
    return count;
  }

  #pass(nowMs: number): void {
    const aheadMs = this.#aheadMs + (this.#held.size - this.#cores) * (nowMs - this.#atMs);
    this.#aheadMs = Math.max(-bounds.shares.burstMs, Math.min(bounds.shares.aheadMs, aheadMs));
    this.#atMs = nowMs;
  }
}
