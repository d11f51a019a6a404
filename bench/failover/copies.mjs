// A copy of the records and links that the writers make, kept by the client's own `sync` as its README says: an error that
// outlasts the retries is thrown, and `sync` is called again.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClient,
  MemoryStore,
  OrreryNetworkError,
  OrreryProblem,
  OrreryTimeoutError,
  sync,
} from '../../dist/client/main.js';

export const copied = { objectTypes: ['svc_contact', 'svc_company'], associations: ['svc_contact_to_company'] };

const pauseMs = 1_000;
/** Steps without changes, one after the other, after which a copy has everything: the first may have been asked before. */
const quietSteps = 2;

export class SyncedCopy {
  /** To the database. */
  way;
  findings = [];
  /** How often it was loaded, the first time included, and how often `sync` was called again. */
  loads = 0;
  restarts = 0;
  #client;
  #store = new MemoryStore();
  #over = new AbortController();
  #quiet = 0;
  #done;

  constructor(way, url, key) {
    this.way = way;
    this.#client = createClient({ url, key });
    this.#done = this.#follow();
  }

  /** Once nobody writes any more: waits until the copy has everything, and ends it. */
  async finish(ms) {
    this.#quiet = 0;
    const giveUpMs = performance.now() + ms;
    while (this.#quiet < quietSteps) {
      if (performance.now() > giveUpMs) {
        this.findings.push(`the copy by ${this.way} has no end after ${ms / 1_000} s`);
        break;
      }
      await sleep(100);
    }
    await this.stop();
  }

  async stop() {
    this.#over.abort();
    await this.#done;
  }

  get records() {
    return [...this.#store.records.values()];
  }

  get links() {
    return [...this.#store.links].flatMap(([source, types]) =>
      [...types].flatMap(([type, targets]) => targets.map((target) => ({ type, source, target }))),
    );
  }

  async #follow() {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        for await (const step of sync(this.#client, { ...copied, store: this.#store, waitSeconds: 1, signal })) {
          this.loads = step.generation;
          this.#quiet = step.isCaughtUp ? this.#quiet + 1 : 0;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isPassing(error)) this.findings.push(`the copy by ${this.way} got ${String(error)}`);
        this.restarts++;
        await sleep(pauseMs);
      }
    }
  }
}

function isPassing(error) {
  if (error instanceof OrreryProblem) return error.status === 503;
  return error instanceof OrreryNetworkError || error instanceof OrreryTimeoutError;
}
