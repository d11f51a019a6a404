// The places in front of the connections, one for each: work of an org runs only while it has one. Orgs are served in
// turn. An org that has places leaves some to those that have none. While other orgs are active, one whose work holds its
// places for long gets few at a time, so that its statements do not use all cores of the database.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { Company } from './company.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Long reads of an org do not delay its writes, nor long writes its reads. */
export type Purpose = 'read' | 'write';

export interface Place {
  end(): void;
}

/** The number under which work that belongs to no org has its share. Orgs have positive numbers. */
export const serviceId = 0;

interface Waiting {
  readonly sinceMs: number;
  start(place: Place): void;
}

/** The places that an org has for one purpose, and the requests that wait for one. Both have the oldest first. */
class Line {
  readonly held: HeldPlace[] = [];
  readonly waiting: Waiting[] = [];
  /** How many places it may have now. Long work makes it narrow; each piece of short work widens it again. */
  width: number;

  constructor(width: number) {
    this.width = width;
  }

  /** How many places it has had since then or longer. */
  countSince(beforeMs: number): number {
    let count = 0;
    while ((this.held[count]?.sinceMs ?? Number.POSITIVE_INFINITY) <= beforeMs) count++;
    return count;
  }
}

class Org {
  readonly id: number;
  readonly read: Line;
  readonly write: Line;
  held = 0;
  /** Larger for orgs that got a place later; 0 for those that have got none. */
  served = 0;

  constructor(id: number, width: number) {
    this.id = id;
    this.read = new Line(width);
    this.write = new Line(width);
  }

  get isWaiting(): boolean {
    return this.read.waiting.length > 0 || this.write.waiting.length > 0;
  }
}

class HeldPlace implements Place {
  readonly org: Org;
  readonly line: Line;
  readonly sinceMs: number;
  readonly #ended: (place: HeldPlace) => void;

  constructor(org: Org, line: Line, sinceMs: number, ended: (place: HeldPlace) => void) {
    this.org = org;
    this.line = line;
    this.sinceMs = sinceMs;
    this.#ended = ended;
  }

  end(): void {
    this.#ended(this);
  }
}

export class Places {
  readonly #clock: Clock;
  readonly #room: WaitingRoom;
  readonly #reserved: number;
  readonly #widest: number;
  readonly #long: number;
  readonly #orgs = new Map<number, Org>();
  /** The orgs with waiting requests. */
  readonly #queue = new Set<Org>();
  #free: number;
  #served = 0;
  /** The orgs that get places. */
  readonly #company: Company<number>;
  /** How long the shortest work takes, about. */
  #shortestMs = 0;

  constructor(connections: number, clock: Clock, room: WaitingRoom) {
    this.#clock = clock;
    this.#company = new Company(clock);
    this.#room = room;
    this.#reserved = Math.floor(connections * bounds.shares.connectionsReserved);
    this.#widest = connections - this.#reserved;
    this.#long = Math.max(2, Math.floor(connections * bounds.shares.longWorkConnections));
    this.#free = connections;
  }

  /** A place at once if the org may have one, otherwise when its turn comes. */
  enter(orgId: number, purpose: Purpose): Place | Promise<Place> {
    const org = this.#orgs.get(orgId) ?? this.#addOrg(orgId);
    const line = org[purpose];
    const nowMs = this.#clock.monotonicMs();
    if (line.waiting.length === 0 && this.#mayStart(org, line, nowMs)) return this.#start(org, line, nowMs);
    return this.#wait(org, line, nowMs);
  }

  /**
   * The same for a read that holds a turn of the lane for scans, and with it others that wait for the lane: it is the next
   * of its org, and does not wait long.
   */
  enterFromLane(orgId: number): Place | Promise<Place> {
    const org = this.#orgs.get(orgId) ?? this.#addOrg(orgId);
    const nowMs = this.#clock.monotonicMs();
    if (this.#mayStart(org, org.read, nowMs)) return this.#start(org, org.read, nowMs);
    return this.#wait(org, org.read, nowMs, { at: 0, ms: bounds.shares.lanePlaceMs });
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    let count = 0;
    for (const { read, write } of this.#queue) count += read.waiting.length + write.waiting.length;
    return count;
  }

  #mayStart(org: Org, line: Line, nowMs: number): boolean {
    if (this.#free === 0) return false;
    const isAlone = this.#company.isAlone(org.id);
    const left = isAlone ? Math.min(this.#reserved, bounds.shares.connectionsReservedAlone) : this.#reserved;
    if (org.held > 0 && this.#free <= left) return false;
    if (isAlone) return true;
    return line.held.length < line.width && line.countSince(nowMs - this.#longMs) < this.#long;
  }

  get #longMs(): number {
    return Math.max(bounds.shares.longWorkMs, bounds.shares.longWorkTimes * this.#shortestMs);
  }

  /** A shorter time counts at once. Longer ones count only if there are no short ones any more. */
  #learn(heldMs: number): void {
    this.#shortestMs += (heldMs - this.#shortestMs) * (heldMs < this.#shortestMs ? 1 : 0.001);
  }

  #start(org: Org, line: Line, nowMs: number): Place {
    const place = new HeldPlace(org, line, nowMs, this.#end);
    this.#free--;
    org.held++;
    org.served = ++this.#served;
    if (org.id !== serviceId) this.#company.came(org.id);
    line.held.push(place);
    return place;
  }

  readonly #end = (place: HeldPlace): void => {
    const { org, line, sinceMs } = place;
    const nowMs = this.#clock.monotonicMs();
    this.#free++;
    org.held--;
    line.held.splice(line.held.indexOf(place), 1);
    const heldMs = nowMs - sinceMs;
    if (heldMs >= this.#longMs) line.width = Math.min(this.#long, this.#widest);
    else if (line.width < this.#widest) line.width++;
    this.#learn(heldMs);
    if (this.#queue.size > 0) this.#serve(nowMs);
  };

  #wait(
    org: Org,
    line: Line,
    nowMs: number,
    { at, ms } = { at: line.waiting.length, ms: bounds.shares.waitMs as number },
  ): Promise<Place> {
    this.#room.enter(org.id);
    this.#queue.add(org);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        sinceMs: nowMs,
        start: (place) => {
          clearTimeout(timer);
          resolve(place);
        },
      };
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(entry), 1);
        if (!org.isWaiting) this.#queue.delete(org);
        this.#room.leave(org.id);
        reject(overloaded('Other requests of the org kept the database busy for too long; send fewer at once.'));
      }, ms);
      line.waiting.splice(at, 0, entry);
    });
  }

  /** Gives the free places to those that wait. */
  #serve(nowMs: number): void {
    for (let next = this.#next(nowMs); next !== undefined; next = this.#next(nowMs)) {
      const { org, line } = next;
      const first = line.waiting.shift();
      if (!org.isWaiting) this.#queue.delete(org);
      this.#room.leave(org.id);
      first?.start(this.#start(org, line, nowMs));
    }
  }

  /** The org with the fewest places comes first; among several of them, the one that was served longest ago. */
  #next(nowMs: number): { readonly org: Org; readonly line: Line } | undefined {
    let found: { readonly org: Org; readonly line: Line } | undefined;
    if (this.#free === 0) return undefined;
    for (const org of this.#queue) {
      if (found !== undefined && !isBefore(org, found.org)) continue;
      const line = this.#nextLine(org, nowMs);
      if (line !== undefined) found = { org, line };
    }
    return found;
  }

  /** The line whose first request has waited longer, unless only the other one may have a place. */
  #nextLine(org: Org, nowMs: number): Line | undefined {
    const { read, write } = org;
    const sinceMs = ({ waiting: [first] }: Line) => first?.sinceMs ?? Number.POSITIVE_INFINITY;
    const lines = sinceMs(read) <= sinceMs(write) ? [read, write] : [write, read];
    return lines.find((line) => line.waiting.length > 0 && this.#mayStart(org, line, nowMs));
  }

  /** An org is kept after its work has ended, because its lines may be narrow; many of them are not. */
  #addOrg(id: number): Org {
    if (this.#orgs.size >= bounds.engine.cachedOrgs) {
      for (const org of this.#orgs.values()) if (org.held === 0 && !org.isWaiting) this.#orgs.delete(org.id);
    }
    const org = new Org(id, this.#widest);
    this.#orgs.set(id, org);
    return org;
  }
}

function isBefore(org: Org, other: Org): boolean {
  return org.held === other.held ? org.served < other.served : org.held < other.held;
}
