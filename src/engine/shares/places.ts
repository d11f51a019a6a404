// The places in front of the connections, one for each: work of an org runs only while it has one. Orgs are served in
// turn. An org that has places leaves some to those that have none. While other orgs are active, its work takes the time of
// few cores of the database: what it takes beyond them makes the next work wait.
import { availableParallelism } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { Company } from './company.ts';
import { type Held, Line, type Place, type Waiting } from './line.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Long reads of an org do not delay its writes, nor long writes its reads. What the lane lets pass delays neither. */
export type Purpose = 'read' | 'write' | 'scan';

/** The number under which work that belongs to no org has its share. Orgs have positive numbers. */
export const serviceId = 0;

class Org {
  readonly id: number;
  readonly lines: Readonly<Record<Purpose, Line>>;
  held = 0;
  /** Larger for orgs that got a place later; 0 for those that have got none. */
  served = 0;

  constructor(id: number, cores: number) {
    this.id = id;
    this.lines = { read: new Line(cores), write: new Line(cores, bounds.shares.stuckMs), scan: new Line(cores) };
  }

  get waiting(): number {
    const { read, write, scan } = this.lines;
    return read.waiting.length + write.waiting.length + scan.waiting.length;
  }
}

/** How much work has a place, and how much waits for one. */
export interface LaneLoad {
  readonly running: number;
  readonly waiting: number;
}

class HeldPlace implements Place, Held {
  readonly org: Org;
  readonly line: Line;
  readonly sinceMs: number;
  movedMs: number;
  readonly #clock: Clock;
  readonly #ended: (place: HeldPlace) => void;

  constructor(org: Org, line: Line, clock: Clock, ended: (place: HeldPlace) => void) {
    this.org = org;
    this.line = line;
    this.sinceMs = clock.monotonicMs();
    this.movedMs = this.sinceMs;
    this.#clock = clock;
    this.#ended = ended;
  }

  moved(): void {
    this.movedMs = this.#clock.monotonicMs();
  }

  end(): void {
    this.#ended(this);
  }
}

export class Places {
  readonly #clock: Clock;
  readonly #room: WaitingRoom;
  readonly #reserved: number;
  readonly #cores: number;
  readonly #orgs = new Map<number, Org>();
  /** The orgs with waiting requests. */
  readonly #queue = new Set<Org>();
  #free: number;
  #served = 0;
  /** The orgs that get places. */
  readonly #company: Company<number>;
  /** How long the shortest work takes, about. */
  #shortestMs = 0;
  /** Looks for work that is stuck while other work waits. */
  #watch: NodeJS.Timeout | undefined;

  constructor(connections: number, clock: Clock, room: WaitingRoom, cores = availableParallelism()) {
    this.#clock = clock;
    this.#company = new Company(clock);
    this.#room = room;
    this.#reserved = Math.floor(connections * bounds.shares.connectionsReserved);
    this.#cores = Math.max(1, Math.min(cores - 1, Math.floor(connections * bounds.shares.connectionsBesideOthers)));
    this.#free = connections;
  }

  /** A place at once if the org may have one, otherwise when its turn comes. */
  enter(orgId: number, purpose: Purpose): Place | Promise<Place> {
    const org = this.#orgs.get(orgId) ?? this.#addOrg(orgId);
    const line = org.lines[purpose];
    const nowMs = this.#clock.monotonicMs();
    if (line.waiting.length === 0 && this.#mayStart(org, line, nowMs)) return this.#start(org, line, nowMs);
    return this.#wait(org, line, nowMs);
  }

  /** Whether the org has the service to itself. */
  isAlone(orgId: number): boolean {
    return this.#company.isAlone(orgId);
  }

  /** A long answer was read for the org, and is being sent. Beside others its next reads wait for a while. */
  answered(orgId: number, bytes: number): void {
    const org = this.#orgs.get(orgId);
    if (bytes < bounds.shares.longAnswerBytes || org === undefined || this.#company.isAlone(orgId)) return;
    const restMs = org.lines.read.rest(this.#clock.monotonicMs(), (bytes / 1_048_576) * bounds.shares.answerRestMs);
    // A timer may fire a little early.
    setTimeout(() => this.#serve(this.#clock.monotonicMs()), Math.ceil(restMs) + 1).unref();
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    let count = 0;
    for (const { waiting } of this.#queue) count += waiting;
    return count;
  }

  /** All orgs together, for one purpose. */
  load(purpose: Purpose): LaneLoad {
    let [running, waiting] = [0, 0];
    for (const { lines } of this.#orgs.values()) {
      running += lines[purpose].held;
      waiting += lines[purpose].waiting.length;
    }
    return { running, waiting };
  }

  #mayStart(org: Org, line: Line, nowMs: number): boolean {
    if (this.#free === 0) return false;
    const isAlone = this.#company.isAlone(org.id);
    const left = isAlone ? Math.min(this.#reserved, bounds.shares.connectionsReservedAlone) : this.#reserved;
    if (org.held > 0 && this.#free <= left) return false;
    // The service itself has little work, and everybody may be waiting for it.
    if (isAlone || org.id === serviceId) return true;
    return line.mayStart(nowMs);
  }

  /** A shorter time counts at once. Longer ones count only if there are no short ones any more. */
  #learn(heldMs: number): void {
    this.#shortestMs += (heldMs - this.#shortestMs) * (heldMs < this.#shortestMs ? 1 : 0.001);
  }

  #start(org: Org, line: Line, nowMs: number): Place {
    const place = new HeldPlace(org, line, this.#clock, this.#end);
    this.#free--;
    org.held++;
    org.served = ++this.#served;
    if (org.id !== serviceId) this.#company.came(org.id);
    line.began(nowMs, place);
    return place;
  }

  readonly #end = (place: HeldPlace): void => {
    const { org, line, sinceMs } = place;
    const nowMs = this.#clock.monotonicMs();
    this.#free++;
    org.held--;
    const heldMs = nowMs - sinceMs;
    this.#learn(heldMs);
    line.ended(nowMs, place, heldMs, this.#shortestMs);
    if (this.#queue.size > 0) this.#serve(nowMs);
  };

  #wait(org: Org, line: Line, nowMs: number): Promise<Place> {
    this.#room.enter(org.id);
    this.#queue.add(org);
    this.#watch ??= setInterval(() => this.#lookOut(), bounds.shares.stuckMs / 2).unref();
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        sinceMs: nowMs,
        start: (place) => {
          clearTimeout(timer);
          resolve(place);
        },
      };
      const timer = setTimeout(
        () => {
          line.waiting.splice(line.waiting.indexOf(entry), 1);
          if (org.waiting === 0) this.#queue.delete(org);
          this.#room.leave(org.id);
          reject(overloaded('Other requests of the org kept the database busy for too long; send fewer at once.'));
        },
        line === org.lines.scan ? bounds.shares.lanePlaceMs : bounds.shares.waitMs,
      );
      line.waiting.push(entry);
    });
  }

  #lookOut(): void {
    this.#serve(this.#clock.monotonicMs());
    if (this.#queue.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  /** Gives the free places to those that wait. */
  #serve(nowMs: number): void {
    for (let next = this.#next(nowMs); next !== undefined; next = this.#next(nowMs)) {
      const { org, line } = next;
      const first = line.waiting.shift();
      if (org.waiting === 0) this.#queue.delete(org);
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

  /**
   * The line whose first request has waited longer, unless only the other one may have a place. A scan holds up others that
   * wait for the lane, so it comes first.
   */
  #nextLine(org: Org, nowMs: number): Line | undefined {
    const { read, write, scan } = org.lines;
    const sinceMs = ({ waiting: [first] }: Line) => first?.sinceMs ?? Number.POSITIVE_INFINITY;
    const lines = sinceMs(read) <= sinceMs(write) ? [scan, read, write] : [scan, write, read];
    return lines.find((line) => line.waiting.length > 0 && this.#mayStart(org, line, nowMs));
  }

  /** An org is kept after its work has ended, because it may be ahead of its time; many of them are not. */
  #addOrg(id: number): Org {
    if (this.#orgs.size >= bounds.engine.cachedOrgs) {
      for (const org of this.#orgs.values()) if (org.held === 0 && org.waiting === 0) this.#orgs.delete(org.id);
    }
    const org = new Org(id, this.#cores);
    this.#orgs.set(id, org);
    return org;
  }
}

function isBefore(org: Org, other: Org): boolean {
  return org.held === other.held ? org.served < other.served : org.held < other.held;
}
