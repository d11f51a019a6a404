// The org that others must not disturb: it reads and writes at a fixed pace, whatever the answers take, and keeps the
// time and the outcome of each request.
import { mustSend, plainSend, recordsOf } from '../plain-requests.ts';
import { Random } from '../random.ts';
import { requestBytes, Wire } from './wire.ts';

export interface Sample {
  readonly operation: string;
  readonly ms: number;
  /** 0 if no answer came. */
  readonly status: number;
  /** The answer, if it was not expected. */
  readonly text: string;
}

/** Twenty requests, in the order in which they are sent again and again. */
const round = [
  ...['get', 'list', 'update', 'get', 'query', 'create', 'get', 'aggregate', 'get', 'list'],
  ...['update', 'get', 'query', 'health', 'create', 'get', 'list', 'update', 'get', 'query'],
] as const;
type QuietOperation = (typeof round)[number];

const connectionsMax = 200;
/** The service closes idle connections after a longer time, so none is used while it closes. */
const idleMsMax = 20_000;
const answerMsMax = 60_000;

export class QuietOrg {
  readonly #port: number;
  readonly #key: string;
  readonly #ids: readonly string[];
  readonly #random = new Random(1);
  readonly #idle: Wire[] = [];
  #open = 0;
  #turn = 0;

  private constructor(port: number, key: string, ids: readonly string[]) {
    this.#port = port;
    this.#key = key;
    this.#ids = ids;
  }

  /** Creates as many contacts as asked for; the key needs all grants. */
  static async prepare(port: number, key: string, records: number): Promise<QuietOrg> {
    const send = plainSend(`http://127.0.0.1:${port}`, key);
    const operations = Array.from({ length: records }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_last_name: `Person ${index}`, svc_job_title: `Job ${index % 10}` },
    }));
    const made = await mustSend<{ results: { id: string }[] }>(send, 'POST', '/batch/', { operations });
    return new QuietOrg(
      port,
      key,
      made.results.map(({ id }) => id),
    );
  }

  /** Sends requests at this pace until `isOver` says so, and waits for the last answers. */
  async run(perSecond: number, isOver: () => boolean): Promise<readonly Sample[]> {
    const samples: Sample[] = [];
    const running = new Set<Promise<void>>();
    const began = performance.now();
    for (let index = 0; !isOver(); index++) {
      const request = this.#send().then((sample) => {
        samples.push(sample);
      });
      running.add(request);
      void request.finally(() => running.delete(request));
      const due = began + ((index + 1) * 1_000) / perSecond;
      await new Promise((resolve) => {
        setTimeout(resolve, Math.max(0, due - performance.now()));
      });
    }
    await Promise.all(running);
    return samples;
  }

  close(): void {
    for (const wire of this.#idle) wire.close();
    this.#idle.length = 0;
  }

  async #send(): Promise<Sample> {
    const operation = round[this.#turn++ % round.length] as QuietOperation;
    const wire = this.#takeWire();
    if (wire === undefined) return { operation, ms: 0, status: 0, text: 'too many requests are unanswered' };
    const began = performance.now();
    const timer = setTimeout(() => wire.close(), answerMsMax);
    const reply = await wire.ask(this.#request(operation));
    clearTimeout(timer);
    const ms = performance.now() - began;
    if (wire.isClosed) this.#open--;
    else this.#idle.push(wire);
    if (reply === undefined) return { operation, ms, status: 0, text: 'the connection was closed' };
    const isExpected = reply.status === (operation === 'create' ? 201 : 200);
    return { operation, ms, status: reply.status, text: isExpected ? '' : reply.text };
  }

  #takeWire(): Wire | undefined {
    for (let wire = this.#idle.pop(); wire !== undefined; wire = this.#idle.pop()) {
      if (!wire.isClosed && performance.now() - wire.idleSinceMs < idleMsMax) return wire;
      wire.close();
      this.#open--;
    }
    if (this.#open >= connectionsMax) return undefined;
    this.#open++;
    return new Wire({ port: this.#port }, 'kept');
  }

  #request(operation: QuietOperation): Buffer {
    const key = this.#key;
    const records = `/rest/v1${recordsOf('svc_contact')}`;
    const number = this.#random.below(1_000_000);
    const body = (value: unknown) => ({ key, body: JSON.stringify(value) });
    switch (operation) {
      case 'get':
        return requestBytes('GET', `${records}${this.#random.pick(this.#ids)}/`, { key });
      case 'list':
        return requestBytes('GET', `${records}?limit=20`, { key });
      case 'query': {
        const filter = { property: 'svc_job_title', operator: 'eq', value: `Job ${number % 10}` };
        return requestBytes('POST', `${records}query/`, body({ filter, limit: 20 }));
      }
      case 'aggregate': {
        const aggregations = [{ function: 'count' }];
        return requestBytes(
          'POST',
          `${records}aggregate/`,
          body({ group_by: [{ property: 'svc_job_title' }], aggregations }),
        );
      }
      case 'create':
        return requestBytes('POST', records, body({ properties: { svc_last_name: `New ${number}` } }));
      case 'update': {
        const properties = { svc_headline: `Headline ${number}` };
        return requestBytes('PATCH', `${records}${this.#random.pick(this.#ids)}/`, body({ properties }));
      }
      case 'health':
        return requestBytes('GET', '/healthz');
      default:
        return operation satisfies never;
    }
  }
}
