// One run of generated requests: several clients, each in an org of its own, send one request after the other, and every
// answer is compared with the served document. It needs no test runner: it returns its findings as sentences.
import { sleep } from '../../../src/base/clock.ts';
import type { Answer } from '../answer.ts';
import { Contract } from '../contract.ts';
import { Random } from '../random.ts';
import { answerFindings, isPolite } from './answer-findings.ts';
import { type GeneratedRequest, GeneratedRequests } from './generated-requests.ts';
import { KeptConnection } from './kept-connection.ts';
import { type Schema, Vocabulary } from './vocabulary.ts';

interface GeneratedRun {
  readonly port: number;
  /** For each client the keys of its org: one with all grants, one with few. */
  readonly clients: readonly { readonly full: string; readonly narrow: string }[];
  /** How many requests all of them send together, or up to twice as many, until each operation was among them. */
  readonly count: number;
  readonly seed: number;
  readonly onProgress?: (sent: number, findings: number) => void;
}

interface GeneratedReport {
  readonly findings: readonly string[];
  readonly requests: number;
  /** How often the service asked a client to wait, and the client did. */
  readonly waits: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  /** How many requests of each operation succeeded, and how many were refused. */
  readonly operations: Readonly<Record<string, { readonly succeeded: number; readonly refused: number }>>;
}

/** A run with more findings than this has shown enough. */
const findingsMax = 100;
const waitsMax = 20;
const waitSecondsMax = 60;
const progressEvery = 10_000;
/** A run of this many requests meets every operation in success and in refusal; if not, it proves too little. */
const longRun = 20_000;

export async function runGenerated(run: GeneratedRun): Promise<GeneratedReport> {
  const first = new KeptConnection(run.port);
  const served = await first.send({ method: 'GET', target: '/rest/v1/openapi.json', headers: {}, body: undefined });
  first.close();
  const document = JSON.parse(served.text) as Schema;
  const declared = operationsIn(document);
  const tally = new Tally(run, declared);
  const contract = new Contract(served.text, 'every answer');
  const work = run.clients.map(async (keys, index) => {
    const client = new GeneratingClient(run.port, keys, contract, tally);
    await client.work(new Random(run.seed * 1_000 + index), document);
  });
  await Promise.all(work);
  return tally.report();
}

class Tally {
  readonly findings = new Map<string, string>();
  readonly statuses = new Map<string, number>();
  readonly kinds = new Map<string, number>();
  readonly operations = new Map<string, { succeeded: number; refused: number }>();
  readonly #run: GeneratedRun;
  readonly #declared: readonly string[];
  waits = 0;
  #begun = 0;
  #ended = 0;

  constructor(run: GeneratedRun, declared: readonly string[]) {
    this.#run = run;
    this.#declared = declared;
  }

  /** Whether one more request is wanted; it counts from now on. */
  begin(): boolean {
    const { count } = this.#run;
    const isComplete = () => this.#declared.every((each) => this.operations.has(each));
    const isEnough = this.#begun >= 2 * count || (this.#begun >= count && isComplete());
    if (isEnough || this.findings.size >= findingsMax) return false;
    this.#begun++;
    return true;
  }

  end({ operation, kind }: GeneratedRequest, { status }: Answer): void {
    this.#ended++;
    count(this.statuses, String(status));
    count(this.kinds, kind);
    const known = this.operations.get(operation) ?? { succeeded: 0, refused: 0 };
    known[status < 300 ? 'succeeded' : 'refused']++;
    this.operations.set(operation, known);
    if (this.#ended % progressEvery === 0) this.#run.onProgress?.(this.#ended, this.findings.size);
  }

  /** Findings of one kind are told once. */
  find(request: GeneratedRequest, what: string): void {
    const kind = `${request.operation} ${what.replaceAll(/[0-9a-f-]{36}|\d+/g, '#').slice(0, 120)}`;
    if (!this.findings.has(kind)) this.findings.set(kind, `${told(request)}: ${what}`);
  }

  report(): GeneratedReport {
    const { waits, statuses, kinds, operations } = this;
    const untried = this.#declared.filter((each) => Object.values(operations.get(each) ?? { tried: 0 }).includes(0));
    const isLong = this.#ended >= longRun;
    return {
      findings: [
        ...this.findings.values(),
        ...(isLong ? untried.map((each) => `${each} was never answered with success, or never refused`) : []),
      ],
      requests: this.#ended,
      waits,
      statuses: sorted(statuses),
      kinds: sorted(kinds),
      operations: sorted(operations),
    };
  }
}

class GeneratingClient {
  readonly #connection: KeptConnection;
  readonly #keys: Readonly<Record<GeneratedRequest['caller'], string>>;
  readonly #contract: Contract;
  readonly #tally: Tally;

  constructor(port: number, keys: { full: string; narrow: string }, contract: Contract, tally: Tally) {
    this.#connection = new KeptConnection(port);
    this.#keys = { ...keys, nobody: `${keys.full.slice(0, -1)}?` };
    this.#contract = contract;
    this.#tally = tally;
  }

  async work(random: Random, document: Schema): Promise<void> {
    try {
      const headers = { authorization: `Bearer ${this.#keys.full}` };
      const ask = (path: string) =>
        this.#connection.send({ method: 'GET', target: `/rest/v1${path}`, headers, body: undefined });
      const vocabulary = await Vocabulary.read(ask);
      for (const { name } of vocabulary.types.filter((type) => type.isCreatable)) {
        const target = `/rest/v1/objects/${name}/records/`;
        const create = { method: 'POST', target, headers: { ...headers, 'content-type': 'application/json' } };
        vocabulary.learn(await this.#connection.send({ ...create, body: Buffer.from('{"properties":{}}') }));
      }
      const requests = new GeneratedRequests(random, document, vocabulary);
      while (this.#tally.begin()) {
        const request = requests.next();
        const answer = await this.#exchange(request);
        if (answer !== undefined) vocabulary.learn(answer);
      }
    } finally {
      this.#connection.close();
    }
  }

  /** Sends it until the service has time for it. */
  async #exchange(request: GeneratedRequest): Promise<Answer | undefined> {
    const { method, path, body, caller } = request;
    const headers = { ...request.headers, authorization: `Bearer ${this.#keys[caller]}` };
    try {
      for (let waits = 0; ; waits++) {
        const answer = await this.#connection.send({ method, target: `/rest/v1${path}`, headers, body });
        for (const finding of answerFindings(this.#contract, request, answer, this.#keys[caller])) {
          this.#tally.find(request, finding);
        }
        // Requests without a valid key share a small limit, so being refused is their answer.
        const isAnswered = !isPolite(answer) || caller === 'nobody' || waits >= waitsMax;
        if (isAnswered && waits >= waitsMax) this.#tally.find(request, `busy ${waits} times: ${answer.text}`);
        if (isAnswered) {
          this.#tally.end(request, answer);
          return answer;
        }
        this.#tally.waits++;
        await sleep(Math.min(waitSecondsMax, Number(answer.headers.get('retry-after'))) * 1_000);
      }
    } catch (error) {
      this.#tally.find(request, `no answer: ${String(error)}`);
      return undefined;
    }
  }
}

function operationsIn(document: Schema): readonly string[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  return Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => String(each['operationId'])));
}

function told({ operation, kind, caller, method, path, headers, body }: GeneratedRequest): string {
  const sent = body === undefined ? '' : ` ${body.toString().slice(0, 1_000)}`;
  return `${operation} (${kind}, ${caller}) ${method} ${path.slice(0, 500)} ${JSON.stringify(headers)}${sent}`;
}

function count(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1);
}

function sorted<T>(map: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...map].sort(([left], [right]) => (left < right ? -1 : 1)));
}
