// Watches everything that waits for the database. PostgreSQL ends a statement in time, and a server that is down refuses a
// connection at once; but a frozen server, or a network that swallows everything, does neither. If nothing has been heard
// for a moment while something waits, the server is asked for a new connection. If it does not answer that either, it is
// silent: everything that waits is given up, and nothing new begins until it answers. A request therefore waits once for a
// silent database, however many things it would have to wait for one after the other. If another server answers than the one
// that is waited for, whatever waits for the former one is given up as well, however long it may wait.
import { type Clock, sleep, systemClock, within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Answer, ServerState } from './ask-server.ts';

/** Something that waits for the database. */
export interface Wait {
  /** The server that is waited for; undefined while it is connected to. */
  readonly server: string | undefined;
  readonly sinceMs: number;
  /** When it is given up, even if the database answers others. */
  readonly untilMs: number;
  giveUp(): void;
}

/** A connection that may wait for as long as its server is the one that takes writes. */
interface Lasting {
  readonly server: string;
  leave(): void;
}

export class Pulse {
  readonly #ask: () => Promise<Answer>;
  readonly #clock: Clock;
  readonly #waits = new Set<Wait>();
  readonly #lasting = new Set<Lasting>();
  #heardMs = Number.NEGATIVE_INFINITY;
  /** Since when the server has been asked without an answer. */
  #askedMs: number | undefined;
  #asking: Promise<void> | undefined;
  #isSilent = false;
  /** The server that has answered a new connection last. */
  #server: string | undefined;
  #suspectMs = Number.NEGATIVE_INFINITY;
  #sweeping: NodeJS.Timeout | undefined;
  #sweptMs = 0;
  #isClosed = false;

  /** `ask` resolves with what the server says to a new connection, soon after `bounds.store.askMs` at the latest. */
  constructor(ask: () => Promise<Answer>, clock: Clock = systemClock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Whether the server does not even answer a new connection. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Begins to watch a wait, which the caller must end. */
  begin(maxMs: number, giveUp: () => void, server?: string): Wait {
    const sinceMs = this.#clock.monotonicMs();
    const wait = { server, sinceMs, untilMs: sinceMs + maxMs, giveUp };
    this.#waits.add(wait);
    if (this.#sweeping === undefined) {
      this.#sweptMs = sinceMs;
      // One timer for all: a timer for each would double the cost of waiting.
      this.#sweeping = setInterval(() => this.sweep(), bounds.store.sweepMs).unref();
    }
    return wait;
  }

  end(wait: Wait): void {
    this.#waits.delete(wait);
  }

  /** Notes an answer of the server, whatever it says. Returns when that was. */
  heard(): number {
    this.#heardMs = this.#clock.monotonicMs();
    this.#askedMs = undefined;
    this.#isSilent = false;
    return this.#heardMs;
  }

  /**
   * Notes which server answers new connections. Where it is another one than before, because a standby took over or the server
   * has restarted, the connections to the former one are dead, even if nobody has closed them.
   */
  met({ server, takesWrites }: ServerState): void {
    this.#server = server;
    for (const wait of this.#waits) if (wait.server !== undefined && wait.server !== server) this.#giveUp(wait);
    if (!takesWrites) return;
    for (const lasting of this.#lasting) if (lasting.server !== server) lasting.leave();
  }

  /**
   * Watches a connection without a time limit: `leave` is called once another server takes writes instead of its own. One to a
   * standby is nobody's replacement. Returns what ends the watch.
   */
  last({ server, takesWrites }: ServerState, leave: () => void): () => void {
    if (!takesWrites) return () => {};
    const lasting = { server, leave };
    this.#lasting.add(lasting);
    return () => this.#lasting.delete(lasting);
  }

  /** Every connection may be dead that was not heard from after this. */
  suspectAll(): void {
    this.#suspectMs = this.#clock.monotonicMs();
  }

  wasHeardWithin(ms: number): boolean {
    return this.#clock.monotonicMs() - this.#heardMs < ms;
  }

  /**
   * Whether a connection that was last heard from then may be dead: one that was used later did not answer, or its server is
   * no longer the one that answers. A new connection costs less than another wait.
   */
  isSuspect(heardMs: number, server: string | undefined): boolean {
    return heardMs < this.#suspectMs || (server !== undefined && server !== this.#server);
  }

  /** Runs at intervals while something waits. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#creditPause(nowMs);
    if (this.#askedMs !== undefined && nowMs - this.#askedMs >= bounds.store.silentMs) this.#giveUpAll(this.#askedMs);
    for (const wait of this.#waits) if (wait.untilMs <= nowMs) this.#giveUp(wait);
    const [oldest] = this.#waits;
    if (oldest === undefined) {
      clearInterval(this.#sweeping);
      this.#sweeping = undefined;
    } else if (nowMs - Math.max(oldest.sinceMs, this.#heardMs) >= bounds.store.quietMs) {
      this.#question(nowMs);
    }
  }

  /** A question that is under way ends first: its connection would count as somebody who uses the server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    if (this.#asking !== undefined) await within(bounds.store.poolCloseMs, this.#asking);
  }

  /** While this process did not run, answers may have arrived that it could not read. */
  #creditPause(nowMs: number): void {
    const pauseMs = nowMs - this.#sweptMs - bounds.store.sweepMs;
    this.#sweptMs = nowMs;
    if (this.#askedMs !== undefined && pauseMs > bounds.store.sweepMs) this.#askedMs += pauseMs;
  }

  #question(nowMs: number): void {
    if (this.#isClosed) return;
    this.#askedMs ??= nowMs;
    this.#asking ??= this.#askUntilHeard().finally(() => {
      this.#asking = undefined;
    });
  }

  async #askUntilHeard(): Promise<void> {
    while (this.#askedMs !== undefined && !this.#isClosed) {
      const answer = await this.#ask();
      if (answer === 'silence') {
        await sleep(bounds.store.sweepMs);
        continue;
      }
      this.heard();
      if (answer !== 'refusal') this.met(answer);
    }
  }

  #giveUpAll(sinceMs: number): void {
    this.#isSilent = true;
    this.#suspectMs = Math.max(this.#suspectMs, sinceMs);
    for (const wait of this.#waits) this.#giveUp(wait);
  }

  #giveUp(wait: Wait): void {
    this.#waits.delete(wait);
    this.#suspectMs = Math.max(this.#suspectMs, wait.sinceMs);
    wait.giveUp();
  }
}
