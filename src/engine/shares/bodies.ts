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
      let turn: Turn | undefined;
      return {
        reserve: (count) => {
          bytes.take(orgId, count);
          reserved += count;
        },
        turn: () => {
          if (reserved === 0) return undefined;
          const begun = turns.begin(orgId, reserved);
          if (!(begun instanceof Promise)) turn = begun;
          else
            return begun.then((begins) => {
              turn = begins;
            });
          return undefined;
        },
        end: () => {
          if (turn !== undefined) turns.end(turn);
          if (reserved > 0) bytes.remove(orgId, reserved);
          turn = undefined;
          reserved = 0;
        },
      };
    },
  };
}

/** A body that is worked on. */
interface Turn {
  readonly orgId: number;
  readonly bytes: number;
  /** Whether it counts as bytes of all orgs, or as bytes beyond those. */
  readonly room: Room;
}

type Room = 'shared' | 'beyond';

interface Waiting {
  readonly bytes: number;
  start(turn: Turn): void;
}

class Turns {
  /** Those that wait, by org; the org that was served last is the last. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #worked = new Map<number, number>();
  readonly #total: Record<Room, number> = { shared: 0, beyond: 0 };
  /** Whether the next one is too long for the bytes that are left. Others wait behind it, so that its turn comes. */
  #isFull = false;

  begin(orgId: number, bytes: number): Turn | Promise<Turn> {
    const room = this.#waiting.has(orgId) ? undefined : this.#roomFor(orgId, bytes);
    return room === undefined ? this.#wait(orgId, bytes) : this.#start(orgId, bytes, room);
  }

  end({ orgId, bytes, room }: Turn): void {
    const left = (this.#worked.get(orgId) ?? 0) - bytes;
    if (left > 0) this.#worked.set(orgId, left);
    else this.#worked.delete(orgId);
    this.#total[room] -= bytes;
    if (this.#waiting.size > 0) this.#serve();
  }

  /** Where the body counts if it begins now; undefined if it must wait. */
  #roomFor(orgId: number, bytes: number): Room | undefined {
    const { workedBytes, workedBytesAlways, workedBytesBeyond } = bounds.shares;
    const mine = (this.#worked.get(orgId) ?? 0) + bytes;
    if (mine <= workedBytesAlways) return 'shared';
    if (!this.#fitsOrg(orgId, bytes)) return undefined;
    if (!this.#isFull && this.#total.shared + bytes <= workedBytes) return 'shared';
    // An org with less than an equal part does not wait for a few others that have more. It is counted apart, so that those
    // who wait for a long body are not delayed by it.
    const part = workedBytes / (this.#worked.size + (this.#worked.has(orgId) ? 0 : 1));
    return mine <= part && this.#total.beyond + bytes <= workedBytesBeyond ? 'beyond' : undefined;
  }

  #fitsOrg(orgId: number, bytes: number): boolean {
    const worked = this.#worked.get(orgId);
    return worked === undefined || worked + bytes <= bounds.shares.workedBytesOfOrg;
  }

  #start(orgId: number, bytes: number, room: Room): Turn {
    this.#worked.set(orgId, (this.#worked.get(orgId) ?? 0) + bytes);
    this.#total[room] += bytes;
    return { orgId, bytes, room };
  }

  #wait(orgId: number, bytes: number): Promise<Turn> {
    const line = this.#waiting.get(orgId) ?? [];
    this.#waiting.set(orgId, line);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        bytes,
        start: (turn) => {
          clearTimeout(timer);
          resolve(turn);
        },
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(entry), 1);
        if (line.length === 0) this.#waiting.delete(orgId);
        reject(overloaded('Other long bodies, of this org or of all orgs, took too long; send fewer of them at once.'));
        this.#serve();
      }, bounds.shares.bodyWaitMs);
      line.push(entry);
      this.#serve();
    });
  }

  #serve(): void {
    this.#isFull = false;
    // The ones that are served move to the end, where they must not be met again.
    for (const [orgId, line] of [...this.#waiting]) {
      const [first] = line;
      if (first === undefined) continue;
      const room = this.#roomFor(orgId, first.bytes);
      if (room === undefined) {
        if (this.#fitsOrg(orgId, first.bytes)) this.#isFull = true;
        continue;
      }
      line.shift();
      this.#waiting.delete(orgId);
      if (line.length > 0) this.#waiting.set(orgId, line);
      first.start(this.#start(orgId, first.bytes, room));
    }
  }
}
