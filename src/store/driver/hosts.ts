// The hosts of a database server, of which one at a time takes writes: the primary, while the others stand by. Connections go to
// the one that was found last. When one fails, all hosts are asked at once, so that a host which does not answer delays nobody.
// If two take writes, one was replaced and does not know it: the one that was promoted last is used.
import type pg from 'pg';
import { sleep, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Transport } from '../database.ts';
import type { ServerAddress } from './address/server-address.ts';
import { type Settled, settleTransport } from './address/transport.ts';
import { hasAnswered, isLasting, unusable } from './address/unusable.ts';
import { type Answer, askServer } from './ask-server.ts';
import type { Reach } from './reach.ts';
import { type Host, Search } from './search.ts';

/** The reach of a server. With one host that may be anything, nothing is asked before the first connection. */
export async function openHosts(address: ServerAddress): Promise<Reach> {
  const opened = new Hosts(address);
  await opened.open();
  return opened;
}

class Hosts implements Reach {
  readonly place: string;
  readonly takesWrites: boolean;
  readonly #hosts: readonly Host[];
  #current: Host;
  #finding: Promise<Answer> | undefined;

  constructor({ hosts, takesWrites }: ServerAddress) {
    this.#hosts = hosts.map((address) => ({ address, settled: undefined, refusal: undefined, timeline: 0 }));
    this.#current = this.#hosts[0] as Host;
    this.takesWrites = takesWrites;
    const database = hosts[0]?.connection.database ?? '';
    this.place = `${hosts.map(({ host, port }) => `${host}:${port}`).join()}/${database}`;
  }

  get connection(): pg.ClientConfig {
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
    // The first answer of a host that is far away takes longer than any later one, and nobody asks again while the chosen one answers.
    while (typeof (await this.#find(bounds.store.askMs)) === 'string') {
      const refusal = this.#lastingRefusal();
      if (refusal !== undefined) throw unusable(this.place, refusal);
      if (systemClock.monotonicMs() > untilMs) throw this.#noneTakesWrites();
      await sleep(bounds.store.openingPauseMs);
    }
  }

  async revive(): Promise<void> {
    if (this.#hosts.length > 1) await this.ask();
  }

  /** What the current host answers, or the host that has just become it. */
  ask(): Promise<Answer> {
    this.#finding ??= this.#find(bounds.store.rivalMs).finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  get #settled(): Settled {
    const { settled } = this.#current;
    if (settled === undefined) throw new TypeError('A host is used once it has been asked.');
    return settled;
  }

  /**
   * Of the hosts that take writes, the one promoted last becomes the current one. If none does, the answer is that of the current
   * one. Once one has answered, the others have so long.
   */
  async #find(othersMs: number): Promise<Answer> {
    if (this.#hosts.length === 1) return this.#usable(await askServer(this.connection));
    const search = new Search(this.#hosts.length);
    const asking = this.#hosts.map((host) => search.until(host, async () => this.#usable(await this.#askOne(host))));
    try {
      const found = await search.best(await Promise.any(asking), othersMs);
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
    host.refusal = undefined;
    const answer = await askServer(settled.connection, {
      refused: (error) => {
        host.refusal = error;
      },
      answered: async (client, { takesWrites }) => {
        if (takesWrites) host.timeline = await timelineOf(client);
      },
    });
    if (typeof answer !== 'string') host.settled = settled;
    return answer;
  }

  /** What all hosts that answer say, if waiting does not change it. */
  #lastingRefusal(): unknown {
    if (this.#hosts.some(({ settled }) => settled !== undefined)) return undefined;
    const refusals = this.#hosts.map(({ refusal }) => refusal).filter(hasAnswered);
    return refusals.every(isLasting) ? refusals[0] : undefined;
  }

  #noneTakesWrites(): Failure {
    return new Failure(
      'database_unreachable',
      `None of the PostgreSQL servers at ${this.place} takes writes: each is a standby, is down, or refuses the connection.`,
      'Check DATABASE_URL and that one of the servers is the primary.',
    );
  }
}

/** As in `orrery.log_timeline`, which may not be there yet. Amazon Aurora refuses it, and has one log for all its servers. */
async function timelineOf(client: pg.Client): Promise<number> {
  const query = 'select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline';
  return client.query<{ readonly timeline: string }>(query).then(
    ({ rows }) => Number.parseInt(rows[0]?.timeline ?? '0', 16),
    () => 0,
  );
}
