// One run: writers and a copy that follows the feed while the service and its PostgreSQL are killed again and again. Then
// nothing that was acknowledged is lost, nothing is stored twice, the copy is exact, and what is derived from the records
// agrees with them. It needs no test runner: it returns its findings as sentences.
import { sleep } from '../../../src/base/clock.ts';
import { Copy, type FeedEntry } from '../feed/copy.ts';
import { type FeedAnswer, plainSend } from '../plain-requests.ts';
import { Random } from '../random.ts';
import { compareKept, integrityFindings } from './compare-kept.ts';
import { type KillableHost, postmasterOf, type Victim } from './killable-host.ts';
import { makeCompanies } from './marked-writes.ts';
import { PersistentWriters } from './persistent-writers.ts';

interface KillRun {
  readonly host: KillableHost;
  /** An org that nothing else uses, and a key of it with all grants. */
  readonly orgId: number;
  readonly key: string;
  readonly kills: readonly Victim[];
  /** The least and the most writes that pass before the next kill. */
  readonly writesBetween: readonly [number, number];
  readonly seed: number;
  readonly onKill?: (index: number, victim: Victim, recoveryMs: number) => void;
}

interface KillReport {
  readonly findings: readonly string[];
  /** Acknowledged writes that are not stored, and writes that are stored twice. */
  readonly lost: number;
  readonly doubled: number;
  readonly writes: number;
  readonly counts: PersistentWriters['counts'];
  readonly entries: number;
  readonly records: number;
  readonly links: number;
  /** For each kill, how long it took until the next write was acknowledged. */
  readonly recoveriesMs: readonly number[];
}

const writerCount = 12;
/** How many writes follow the last kill. */
const lastWrites = 30;
/** How long the copy may take to read the rest of the feed. */
const patienceMs = 120_000;

export async function runKills(run: KillRun): Promise<KillReport> {
  const { host, key, seed, kills, writesBetween } = run;
  const companies = await makeCompanies(plainSend(await host.url(), key));
  const follower = new Follower(() => host.url(), key);
  const writers = new PersistentWriters({ url: () => host.url(), key, seed, companies, writers: writerCount });
  const random = new Random(seed);
  const recoveriesMs: number[] = [];
  try {
    for (const [index, victim] of kills.entries()) {
      await writers.progress(random.between(...writesBetween));
      if (writers.findings.length > 0) break;
      const killedMs = performance.now();
      await host.kill(victim);
      await writers.progress(1);
      recoveriesMs.push(Math.round(performance.now() - killedMs));
      run.onKill?.(index, victim, recoveriesMs.at(-1) ?? 0);
    }
    await writers.progress(lastWrites);
  } finally {
    await writers.stop();
    await follower.finish();
  }
  const { findings, ...found } = await compareAll(run, writers, follower.copy);
  const counts = { writes: writers.writes.length, counts: writers.counts, recoveriesMs };
  return { ...found, ...counts, findings: [...writers.findings, ...follower.findings, ...findings] };
}

/** Reads the database beside the service, which has nothing to do. */
async function compareAll({ host, key, orgId }: KillRun, writers: PersistentWriters, copy: Copy) {
  const send = plainSend(await host.url(), key);
  const { host: folder, port } = await postmasterOf(host.dataDir);
  const kept = await compareKept(send, writers, copy);
  const integrity = await integrityFindings({ host: folder, port }, 'postgres', orgId);
  return { ...kept, findings: [...kept.findings, ...integrity] };
}

/** A client that keeps a copy from the very first entry, and asks again when it gets no answer. */
class Follower {
  readonly copy = new Copy('whole');
  readonly findings: string[] = [];
  readonly #url: () => Promise<string>;
  readonly #key: string;
  readonly #done: Promise<void>;
  #cursor = 'earliest';
  #isLast = false;

  constructor(url: () => Promise<string>, key: string) {
    this.#url = url;
    this.#key = key;
    this.#done = this.#follow();
  }

  /** Reads on to the end: everything that was acknowledged before is in the feed now. */
  async finish(): Promise<void> {
    this.#isLast = true;
    await this.#done;
    const giveUpAt = performance.now() + patienceMs;
    while (this.findings.length === 0 && (await this.#poll(0)) !== 0) {
      if (performance.now() > giveUpAt) this.findings.push(`the feed has no end after ${patienceMs} ms`);
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isLast && this.findings.length === 0) {
      if ((await this.#poll(1)) === undefined) await sleep(20);
    }
  }

  /** How many entries came; undefined if the service is away. */
  async #poll(wait: number): Promise<number | undefined> {
    const send = plainSend(await this.#url(), this.#key);
    const path = `/changes/?cursor=${this.#cursor}&limit=1000&wait=${wait}`;
    const answer: FeedAnswer | undefined = await send('GET', path).catch(() => undefined);
    if (answer === undefined || answer.status === 503) return undefined;
    if (answer.status !== 200) {
      this.findings.push(`${path}: ${answer.status} ${answer.text}`);
      return 0;
    }
    const entries = answer.body.data as FeedEntry[];
    for (const entry of entries) this.copy.apply(entry);
    this.#cursor = answer.body.pagination?.next_cursor ?? '';
    return entries.length;
  }
}
