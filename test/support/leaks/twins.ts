// One run: the same generated requests to two orgs that differ only in what a credential may not see, page by page, while
// others work in one of them. Every answer must be the same in both. It needs no test runner: it returns its findings as
// sentences.
import { sleep } from '../../../src/base/clock.ts';
import type { Answer } from '../answer.ts';
import { Random } from '../random.ts';
import { type Making, name, type Side } from './builder.ts';
import { changeHiddenValues } from './hidden-changes.ts';
import { hiddenWord } from './hidden-values.ts';
import { HiddenWork } from './hidden-work.ts';
import { type Request, Requests } from './requests.ts';
import { comparable, inWordsOf } from './world.ts';
import { Writes } from './writes.ts';

interface TwinRun {
  readonly sides: readonly [Making, Making];
  /** How many requests each org gets. */
  readonly count: number;
  /** How often some kinds of answers must have come: a run in which one is rarer goes on, up to three times as long. */
  readonly least?: Readonly<Record<string, number>>;
  readonly seed: number;
  readonly onProgress?: (sent: number, findings: number) => void;
}

interface TwinReport {
  readonly findings: readonly string[];
  readonly requests: number;
  /** How many of them continued a page. */
  readonly pages: number;
  /** By kind of request and status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How much others did in one of the orgs meanwhile. */
  readonly hiddenWork: number;
}

/** A run with more findings than this has shown enough: later ones may follow from earlier ones. */
const findingsMax = 20;
const pagesMax = 4;
const progressEvery = 5_000;

export async function runTwins(run: TwinRun): Promise<TwinReport> {
  await nameCursors(run.sides);
  const twins = new Twins(run);
  while (twins.isWanted && twins.findings.length < findingsMax) await twins.next();
  const { findings, sent: requests, pages, statuses, work } = twins;
  const sorted = [...statuses].sort(([left], [right]) => (left < right ? -1 : 1));
  return { findings, requests, pages, statuses: Object.fromEntries(sorted), hiddenWork: work.done };
}

/** Where the feed of each org ends now: from here on both have the same entries for the credential. */
async function nameCursors(sides: readonly Side[]): Promise<void> {
  for (const side of sides) {
    const { body } = await side.client.get('/changes/?cursor=latest');
    for (const word of ['«begin»', '«feed»']) name(side, word, body.pagination?.next_cursor ?? '');
  }
}

class Twins {
  readonly findings: string[] = [];
  readonly statuses = new Map<string, number>();
  readonly work: HiddenWork;
  sent = 0;
  pages = 0;
  readonly #run: TwinRun;
  readonly #random: Random;
  readonly #changes: Random;
  readonly #reads: Requests;
  readonly #writes: Writes;
  #named = 0;

  constructor(run: TwinRun) {
    this.#run = run;
    this.#random = new Random(run.seed);
    this.#changes = new Random(run.seed + 4);
    this.#reads = new Requests(new Random(run.seed + 1));
    this.#writes = new Writes(new Random(run.seed + 2));
    this.work = new HiddenWork(run.sides[1], new Random(run.seed + 3));
  }

  get isWanted(): boolean {
    const { count, least = {} } = this.#run;
    if (this.sent < count) return true;
    const isRare = Object.entries(least).some(([kind, times]) => (this.statuses.get(kind) ?? 0) < times);
    return isRare && this.sent < 3 * count;
  }

  /** One request to both orgs, with its pages. */
  async next(): Promise<void> {
    if (this.#random.chance(0.1)) await this.work.doSome();
    if (this.#random.chance(0.1)) this.#nameRequests(await changeHiddenValues(this.#run.sides, this.#changes));
    const choice = this.#random.next();
    const request = choice < 0.6 ? this.#reads.next() : choice < 0.8 ? this.#writes.write() : this.#writes.read();
    let cursors: readonly (string | null)[] = [null, null];
    for (let page = 0; page < pagesMax; page++) {
      const answers = await this.#ask(request, cursors);
      this.#compare(request, page, answers);
      cursors = answers.map((answer) => answer.body?.pagination?.next_cursor ?? null);
      this.#moveOn(request, cursors);
      if (cursors[0] === null || request.path.startsWith('/changes/')) break;
    }
    // So that no two writes are of one millisecond, on either side.
    if (!['GET', 'HEAD'].includes(request.method)) await sleep(2);
  }

  #ask(request: Request, cursors: readonly (string | null)[]): Promise<readonly Answer[]> {
    const { sides, onProgress } = this.#run;
    this.sent++;
    if (this.sent % progressEvery === 0) onProgress?.(this.sent, this.findings.length);
    return Promise.all(sides.map((side, index) => send(side, request, cursors[index] ?? null)));
  }

  #compare(request: Request, page: number, answers: readonly Answer[]): void {
    const { sides, seed } = this.#run;
    this.#learn(request, answers);
    this.pages += Number(page > 0);
    const kind = `${kindOf(request)} ${answers[0]?.status}`;
    this.statuses.set(kind, (this.statuses.get(kind) ?? 0) + 1);
    for (const finding of twinFindings(sides, request, answers)) {
      this.findings.push(`seed ${seed}, request ${this.sent}, page ${page}: ${JSON.stringify(request)}: ${finding}`);
    }
  }

  /** Gives two requests the same word, by which they can be taken back. */
  #nameRequests(ids: readonly string[]): void {
    const word = `«request ${this.#named++}»`;
    for (const [index, side] of this.#run.sides.entries()) name(side, word, ids[index] ?? '');
    this.#writes.noteRequest(word);
  }

  /** Gives new records, and requests that wrote, the same word in both orgs. */
  #learn(request: Request, answers: readonly Answer[]): void {
    const { sides } = this.#run;
    const made = answers.map(({ status, body }, index) => {
      const ids: readonly unknown[] = [
        body?.data?.id,
        ...(body?.data?.results ?? []).map(({ id }: { id: unknown }) => id),
      ];
      const isNew = (id: unknown): id is string => typeof id === 'string' && !sides[index]?.words.has(id);
      return status < 300 && request.method !== 'GET' ? ids.filter(isNew) : [];
    });
    const isWrite = !['GET', 'HEAD'].includes(request.method) && !/\/(query|aggregate)\/$/.test(request.path);
    if (isWrite && answers.every(({ status, body }) => status < 300 && body.dry_run !== true))
      this.#nameRequests(answers.map(({ body }) => body.request_id));
    if (made[0]?.length !== made[1]?.length) return;
    for (let index = 0; index < (made[0]?.length ?? 0); index++) {
      const word = `«new ${this.#named++}»`;
      for (const [place, side] of sides.entries()) name(side, word, made[place]?.[index] ?? '');
      const type = /^\/objects\/([^/]+)\/records\/$/.exec(request.path)?.[1];
      if (type !== undefined && answers[0]?.body.dry_run !== true) this.#writes.note(type, word);
    }
  }

  /** The next read of the feed begins where this one ended. */
  #moveOn({ path }: Request, cursors: readonly (string | null)[]): void {
    if (!path.includes('cursor=«feed»') || path.includes('&object_type=') || path.includes('&record_id=')) return;
    for (const [index, side] of this.#run.sides.entries()) {
      const cursor = cursors[index] ?? null;
      if (cursor !== null) name(side, '«feed»', cursor);
    }
  }
}

function send(side: Side, { method, path, body, headers = {} }: Request, cursor: string | null): Promise<Answer> {
  const address = inWordsOf(side, path);
  if (body !== undefined) {
    const whole = { ...body, ...(cursor === null ? {} : { cursor }) };
    return side.client.send(method, address, inWordsOf(side, JSON.stringify(whole)), headers);
  }
  const mark = address.includes('?') ? '&' : '?';
  return side.client.call(method, cursor === null ? address : `${address}${mark}cursor=${cursor}`, { headers });
}

function kindOf({ method, path }: Request): string {
  if (method === 'GET' || method === 'HEAD') return path.startsWith('/changes/') ? 'changes' : 'get';
  return /(query|aggregate|batch)\/$/.exec(path)?.[1] ?? method.toLowerCase();
}

/** What differs between the answers, and what they have of hidden records though the request did not name it. */
export function twinFindings(sides: readonly Side[], request: Request, answers: readonly Answer[]): readonly string[] {
  const [one = '', two = ''] = answers.map((answer, index) => comparable(sides[index] as Side, answer));
  const leaked = answers.flatMap((answer, index) => leakedIn(sides[index] as Side, request, answer));
  return [...(one === two ? [] : [difference(one, two)]), ...leaked.map((text) => `shows ${text}`)];
}

function difference(one: string, two: string): string {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at++;
  const from = Math.max(0, at - 100);
  return `one org answers …${one.slice(from, at + 300)}…, the other …${two.slice(from, at + 300)}…`;
}

function leakedIn(side: Side, request: Request, answer: Answer): readonly string[] {
  const asked = inWordsOf(side, JSON.stringify(request));
  const texts = [...side.hiddenIds, hiddenWord].filter((text) => answer.text.includes(text) && !asked.includes(text));
  return [...texts, ...(answer.text.match(emptyUpdate) ?? [])];
}

/** A change of hidden values alone would be an entry that tells of none. A record without values is created with none. */
const emptyUpdate = /"type":"record.updated"[^{}]*"changed":\{\}/;
