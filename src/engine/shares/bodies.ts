// What bodies of requests take: their bytes while they arrive, and many times as much while they are parsed and written.
// So long bodies wait for their turn to be worked on as the bytes that they came in. Orgs are served in turn.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Bytes } from './bytes.ts';

export interface Bodies {
  open(orgId: number): Body;
}

/** The share of one body. */
export interface Body {
  /** Counts bytes before they arrive, or refuses them. */
  reserve(bytes: number): void;
  /** Waits until the body may be worked on; undefined if it may at once. */
  turn(): Promise<void> | undefined;
  /** The request is answered, and nothing of its body is left. */
  end(): void;
}

export function openBodies(bytes: Bytes): Bodies {
  const turns = new Turns();
  return {
    open: (orgId) => {
      let reserved = 0;
      let isWorkedOn = false;
      return {
        reserve: (count) => {
          bytes.take(orgId, count);
          reserved += count;
        },
        turn: () => {
          if (reserved === 0) return undefined;
          const waiting = turns.begin(orgId, reserved);
          if (waiting === undefined) isWorkedOn = true;
          return waiting?.then(() => {
            isWorkedOn = true;
          });
        },
        end: () => {
          if (isWorkedOn) turns.end(orgId, reserved);
          if (reserved > 0) bytes.remove(orgId, reserved);
          isWorkedOn = false;
          reserved = 0;
        },
      };
    },
  };
}

interface Waiting {
  readonly bytes: number;
  start(): void;
}

class Turns {
  /** Those that wait, by org; the org that was served last is the last. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #worked = new Map<number, number>();
  #total = 0;
  /** Whether the next one is too long for the bytes that are left. Others wait behind it, so that its turn comes. */
  #isFull = false;

  /** Undefined if the turn begins at once. */
  begin(orgId: number, bytes: number): Promise<void> | undefined {
    const fits = this.#isFull
      ? this.#fitsAlways(orgId, bytes)
      : this.#fitsOrg(orgId, bytes) && this.#fitsAll(orgId, bytes);
    if (!fits || this.#waiting.has(orgId)) return this.#wait(orgId, bytes);
    this.#start(orgId, bytes);
    return undefined;
  }

  end(orgId: number, bytes: number): void {
    const left = (this.#worked.get(orgId) ?? 0) - bytes;
    if (left > 0) this.#worked.set(orgId, left);
    else this.#worked.delete(orgId);
    this.#total -= bytes;
    if (this.#waiting.size > 0) this.#serve();
  }

  #fitsAlways(orgId: number, bytes: number): boolean {
    return (this.#worked.get(orgId) ?? 0) + bytes <= bounds.shares.workedBytesAlways;
  }

  #fitsOrg(orgId: number, bytes: number): boolean {
    const worked = this.#worked.get(orgId);
    return worked === undefined || worked + bytes <= bounds.shares.workedBytesOfOrg;
  }

  #fitsAll(orgId: number, bytes: number): boolean {
    return this.#total + bytes <= bounds.shares.workedBytes || this.#fitsAlways(orgId, bytes);
  }

  #start(orgId: number, bytes: number): void {
    this.#worked.set(orgId, (this.#worked.get(orgId) ?? 0) + bytes);
    this.#total += bytes;
  }

  #wait(orgId: number, bytes: number): Promise<void> {
    const line = this.#waiting.get(orgId) ?? [];
    this.#waiting.set(orgId, line);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        bytes,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(entry), 1);
        if (line.length === 0) this.#waiting.delete(orgId);
        reject(overloaded('Other long bodies of the org took too long; send fewer of them at once.'));
        this.#serve();
      }, bounds.shares.bodyWaitMs);
      line.push(entry);
      this.#serve();
    });
  }

  #serve(): void {
    this.#isFull = false;
    for (const [orgId, line] of this.#waiting) {
      const [first] = line;
      if (first === undefined || !this.#fitsOrg(orgId, first.bytes)) continue;
      this.#isFull = !this.#fitsAll(orgId, first.bytes);
      if (this.#isFull) return;
      line.shift();
      this.#waiting.delete(orgId);
      if (line.length > 0) this.#waiting.set(orgId, line);
      this.#start(orgId, first.bytes);
      first.start();
    }
  }
}
