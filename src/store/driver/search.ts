// One search among the hosts of a server for the one that takes writes.
import { sleep, within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { HostAddress } from './address/server-address.ts';
import type { Settled } from './address/transport.ts';
import type { Answer, ServerState } from './ask-server.ts';
import { NoWrites } from './reach.ts';

export interface Host {
  readonly address: HostAddress;
  /** Known once the host has answered. */
  settled: Settled | undefined;
  /** Why it could not be connected to when it was asked last. */
  refusal: unknown;
  /** That of its log when it was asked last: each promotion begins another one, with a higher number. */
  timeline: number;
}

/** A host that takes writes. */
interface Found {
  readonly host: Host;
  readonly answer: ServerState;
}

/** The hosts are asked side by side. While one of them says nothing, the others are asked again: one may take writes by now. */
export class Search {
  readonly #hosts: number;
  readonly #heard = new Map<Host, Answer>();
  readonly #found: Found[] = [];
  readonly #faults: unknown[] = [];
  readonly #allHeard: Promise<void>;
  #endHearing = () => {};
  #isOver = false;

  constructor(hosts: number) {
    this.#hosts = hosts;
    this.#allHeard = new Promise((resolve) => {
      this.#endHearing = resolve;
    });
  }

  /** Ends with the answer of a host that takes writes. */
  async until(host: Host, ask: () => Promise<Answer>): Promise<Found> {
    while (!this.#isOver) {
      const answer = await ask().catch((fault: unknown) => this.#failed(fault));
      this.#heard.set(host, answer);
      if (this.#heard.size === this.#hosts) this.#endHearing();
      if (typeof answer !== 'string') {
        this.#found.push({ host, answer });
        return { host, answer };
      }
      if (this.#heard.size === this.#hosts) this.end();
      else await sleep(bounds.store.sweepMs);
    }
    throw new NoWrites();
  }

  /** Of those that take writes, the one that was promoted last. The others have so long to answer. */
  async best(first: Found, othersMs: number): Promise<Found> {
    await within(othersMs, this.#allHeard);
    return this.#found.reduce((best, each) => (each.host.timeline > best.host.timeline ? each : best), first);
  }

  answerOf(host: Host): Answer {
    if (this.#faults.length > 0) throw this.#faults[0];
    return this.#heard.get(host) ?? 'silence';
  }

  end(): void {
    this.#isOver = true;
  }

  #failed(fault: unknown): Answer {
    this.#faults.push(fault);
    return 'silence';
  }
}
