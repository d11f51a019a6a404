// A primary that another server has replaced, written to past all proxies until it stands by: it must accept nothing, also
// when it was only hung or cut off and knows of nothing yet.
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from './ask.mjs';

const database = 'attempts';
const patienceMs = 10_000;
const pauseMs = 200;
/** Attempts that are under way: on a server that hangs, none ends. */
const openMost = 10;

export async function prepareAttempts(port) {
  await query(port, `create database ${database}`, { ms: 30_000 });
  await query(port, 'create table attempt (note text)', { database });
}

export class FormerPrimary {
  counts = { accepted: 0, refused: 0, unanswered: 0 };
  #port;
  #open = new Set();
  #isOver = false;
  #done;

  constructor({ ports }) {
    this.#port = ports.database;
    this.#done = this.#work();
  }

  async stop() {
    this.#isOver = true;
    await this.#done;
    await Promise.all(this.#open);
  }

  async #work() {
    while (!this.#isOver) {
      if (this.#open.size < openMost) {
        const attempt = this.#attempt().finally(() => this.#open.delete(attempt));
        this.#open.add(attempt);
      }
      await sleep(pauseMs);
    }
  }

  async #attempt() {
    const text = `insert into attempt values ('another server leads')`;
    const outcome = await query(this.#port, text, { database, ms: patienceMs }).then(
      () => 'accepted',
      (error) => (error.code === undefined ? 'unanswered' : 'refused'),
    );
    this.counts[outcome]++;
  }
}
