// Clients that write whatever happens to the service: a write with an Idempotency-Key is sent again with the same key
// until it is answered, one without is sent once. They note what was acknowledged, and what no client should have got.
import { sleep } from '../../../src/base/clock.ts';
import { Random } from '../random.ts';
import { changeOf, createOf, type Owned, type Write } from './marked-writes.ts';

interface WriterOptions {
  /** Of the service that runs, or of the next one. Writers may use several: each has a number, from 0. */
  readonly url: (writer: number) => Promise<string>;
  readonly key: string;
  readonly seed: number;
  readonly writers: number;
  /** How long a writer rests before its next write; not at all by default. */
  readonly restMs?: number;
  readonly onAcknowledged?: (writer: number) => void;
  /** Records to link to, which nobody changes. */
  readonly companies: readonly string[];
}

/** How long an answer, or the next acknowledged write, may take. */
const patienceMs = 120_000;
const pauseMs = 20;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class PersistentWriters {
  readonly writes: Write[] = [];
  /** The records of the writers, each as its last acknowledged write left it. */
  readonly owned = new Set<Owned>();
  readonly findings: string[] = [];
  readonly counts = { acknowledged: 0, replayed: 0, unavailable: 0, unanswered: 0, inProgress: 0 };
  readonly #options: WriterOptions;
  readonly #done: Promise<unknown>;
  #writing = true;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#done = Promise.all(Array.from({ length: options.writers }, (_, lane) => this.#work(lane)));
  }

  /** Resolves when this many more writes are acknowledged, with the time that it took. */
  async progress(count: number): Promise<number> {
    const beganMs = performance.now();
    const enough = this.counts.acknowledged + count;
    while (this.counts.acknowledged < enough && this.findings.length === 0) {
      if (performance.now() - beganMs > patienceMs) this.findings.push(`no write succeeded in ${patienceMs} ms`);
      await sleep(pauseMs);
    }
    return performance.now() - beganMs;
  }

  /** Ends after the last answers. */
  async stop(): Promise<void> {
    this.#writing = false;
    await this.#done;
  }

  async #work(lane: number): Promise<void> {
    const { seed, companies, restMs } = this.#options;
    const random = new Random(seed * 1_000 + lane);
    let own: Owned | undefined;
    for (let turn = 0; this.#writing && this.findings.length === 0; turn++) {
      if (restMs !== undefined) await sleep(restMs);
      const mark = `w${lane}n${turn}`;
      own = own === undefined || random.chance(0.2) ? await this.#create(lane, random, mark, own) : own;
      if (own !== undefined)
        own = await this.#change(lane, changeOf(random, `${mark}c`, own, companies), `${mark}c`, own);
    }
  }

  async #create(lane: number, random: Random, mark: string, own: Owned | undefined): Promise<Owned | undefined> {
    const { company, ...plan } = createOf(random, mark, this.#options.companies);
    const { records } = await this.#send(lane, { ...plan, mark, state: 'sent', records: [] });
    const [made] = records;
    if (made === undefined) return own;
    const next = { id: made.id, version: 1, companies: new Set<string>(company === undefined ? [] : [company]) };
    this.owned.add(next);
    return next;
  }

  /** The record if its state is known: after a write without key that was not answered, nobody knows it. */
  async #change(lane: number, plan: ReturnType<typeof changeOf>, mark: string, own: Owned): Promise<Owned | undefined> {
    const { state, records } = await this.#send(lane, { ...plan, mark, state: 'sent', records: [] });
    if (state !== 'acknowledged') {
      this.owned.delete(own);
      return undefined;
    }
    plan.effect?.(own);
    const told = records.findLast(({ id }) => id === own.id)?.version;
    if (told !== undefined && told !== String(own.version)) {
      this.findings.push(`${own.id} got version ${told} by ${JSON.stringify(plan.body)}, expected ${own.version}`);
    }
    return own;
  }

  async #send(lane: number, write: Write): Promise<Write> {
    this.writes.push(write);
    const giveUpAt = performance.now() + patienceMs;
    do {
      const reply = await this.#ask(lane, write).catch(() => undefined);
      if (this.#note(write, reply)) {
        this.#options.onAcknowledged?.(lane);
        return write;
      }
      if (performance.now() > giveUpAt) this.findings.push(`no answer in ${patienceMs} ms: ${JSON.stringify(write)}`);
      await sleep(pauseMs);
    } while (write.keyed && this.findings.length === 0);
    write.state = 'unknown';
    return write;
  }

  async #ask(lane: number, { method, path, body, keyed, mark }: Write): Promise<Reply> {
    const response = await fetch(`${await this.#options.url(lane)}/rest/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#options.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(keyed ? { 'idempotency-key': mark } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Whether the write is acknowledged. */
  #note(write: Write, reply: Reply | undefined): boolean {
    if (reply === undefined) {
      this.counts.unanswered++;
      return false;
    }
    const { status, headers, text } = reply;
    if (status === 200 || status === 201) {
      const { data } = JSON.parse(text);
      write.records = data.results ?? (data.version === undefined ? [] : [data]);
      write.state = 'acknowledged';
      this.counts.acknowledged++;
      if (headers.get('svc-idempotent-replay') === 'true') this.counts.replayed++;
      return true;
    }
    if (status === 503 && Number(headers.get('retry-after')) > 0) this.counts.unavailable++;
    else if (text.includes('"idempotency_in_progress"')) this.counts.inProgress++;
    else this.findings.push(`${write.method} ${write.path} ${JSON.stringify(write.body)}: ${status} ${text}`);
    return false;
  }
}
