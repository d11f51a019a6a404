// The hosts of a database server, of which one at a time takes writes: the primary, while the others stand by. Connections go to
// the one that was found last. When one fails, all hosts are asked at once, so that a host which does not answer delays nobody.
import type { ClientConfig } from 'pg';
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Transport } from '../database.ts';
import type { HostAddress, ServerAddress } from './address/server-address.ts';
import { type Settled, settleTransport } from './address/transport.ts';
import { type Answer, askServer } from './ask-server.ts';
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

interface Answered {
  readonly host: Host;
  readonly answer: Answer;
}

async function takingWrites(asked: Promise<Answered>): Promise<Answered> {
  const found = await asked;
  if (typeof found.answer === 'string') throw new NoWrites();
  return found;
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
    const asked = this.#hosts.map(async (host) => ({ host, answer: this.#usable(await this.#askOne(host)) }));
    const found = await Promise.any(asked.map(takingWrites)).catch(() => undefined);
    if (found !== undefined) {
      this.#current = found.host;
      return found.answer;
    }
    // A fault other than that none takes writes is thrown here.
    const answers = await Promise.all(asked);
    return answers.find(({ host }) => host === this.#current)?.answer ?? 'silence';
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
