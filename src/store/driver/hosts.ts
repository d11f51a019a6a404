// The hosts of a database server, of which one at a time takes writes: the primary, while the others stand by. Connections go to
// the one that was found last. When one fails, all hosts are asked at once, so that a host which does not answer delays nobody.
import type { ClientConfig } from 'pg';
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Transport } from '../database.ts';
import type { HostAddress, ServerAddress } from './address/server-address.ts';
import { type Settled, settleTransport } from './address/transport.ts';
import { type Answer, askServer, type ServerState } from './ask-server.ts';
import { NoWrites, type Reach } from './reach.ts';

/** The reach of a server. With one host that may be anything, nothing is asked before the first connection. */
export async function openHosts(address: ServerAddress): Promise<Reach> {
  const opened = new Hosts(address);
  await opened.open();
  return opened;
}

interface Host {
  readonly address: HostAddress;
  /** Known once the host has answered. */
  settled: Settled | undefined;
}

interface Found {
  readonly host: Host;
  readonly answer: ServerState;
}

/** The hosts are asked side by side. While one of them says nothing, the others are asked again: one may take writes by now. */
class Search {
  readonly #hosts: number;
  readonly #heard = new Map<Host, Answer>();
  readonly #faults: unknown[] = [];
  #isOver = false;

  constructor(hosts: number) {
    this.#hosts = hosts;
  }

  /** Ends with the answer of a host that takes writes. */
  async until(host: Host, ask: () => Promise<Answer>): Promise<Found> {
    while (!this.#isOver) {
      const answer = await ask().catch((fault: unknown) => this.#failed(fault));
      if (typeof answer !== 'string') return { host, answer };
      this.#heard.set(host, answer);
      if (this.#heard.size === this.#hosts) this.end();
      else await sleep(bounds.store.sweepMs);
    }
    throw new NoWrites();
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

class Hosts implements Reach {
  readonly place: string;
  readonly takesWrites: boolean;
  readonly #hosts: readonly Host[];
  #current: Host;
  #finding: Promise<Answer> | undefined;

  constructor({ hosts, takesWrites }: ServerAddress) {
    this.#hosts = hosts.map((address) => ({ address, settled: undefined }));
    this.#current = this.#hosts[0] as Host;
    this.takesWrites = takesWrites;
    const database = hosts[0]?.connection.database ?? '';
    this.place = `${hosts.map(({ host, port }) => `${host}:${port}`).join()}/${database}`;
  }

  get connection(): ClientConfig {
    return this.#settled.connection;
  }

  get transport(): Transport {
    return this.#settled.transport;
  }

  /** One host reports its own errors when it is connected to. Of several, one must take writes, if only after a moment. */
  async open(): Promise<void> {
    if (this.#hosts.length === 1) {
      this.#current.settled = await settleTransport(this.#current.address, bounds.store.poolWaitMs);
      return;
    }
    const untilMs = systemClock.monotonicMs() + bounds.store.openingMs;
    while (typeof (await this.ask()) === 'string') {
      if (systemClock.monotonicMs() > untilMs) throw this.#noneTakesWrites();
      await sleep(bounds.store.openingPauseMs);
    }
  }

  async revive(): Promise<void> {
    if (this.#hosts.length > 1) await this.ask();
  }

  /** What the current host answers, or the host that has just become it. */
  ask(): Promise<Answer> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  get #settled(): Settled {
    const { settled } = this.#current;
    if (settled === undefined) throw new TypeError('A host is used once it has been asked.');
    return settled;
  }

  /** The first host that takes writes becomes the current one. If none does, the answer is that of the current one. */
  async #find(): Promise<Answer> {
    if (this.#hosts.length === 1) return this.#usable(await askServer(this.connection));
    const search = new Search(this.#hosts.length);
    const asking = this.#hosts.map((host) => search.until(host, async () => this.#usable(await this.#askOne(host))));
    try {
      const found = await Promise.any(asking);
      this.#current = found.host;
      return found.answer;
    } catch {
      return search.answerOf(this.#current);
    } finally {
      search.end();
    }
  }

  #usable(answer: Answer): Answer {
    return typeof answer !== 'string' && this.takesWrites && !answer.takesWrites ? 'refusal' : answer;
  }

  async #askOne(host: Host): Promise<Answer> {
    const settled = host.settled ?? (await settleTransport(host.address, bounds.store.askMs));
    const answer = await askServer(settled.connection);
    if (typeof answer !== 'string') host.settled = settled;
    return answer;
  }

  #noneTakesWrites(): Failure {
    return new Failure(
      'database_unreachable',
      `None of the PostgreSQL servers at ${this.place} takes writes: each is a standby, is down, or lets nobody in.`,
      'Check DATABASE_URL and that one of the servers is the primary.',
    );
  }
}
