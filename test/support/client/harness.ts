// Shared by the tests of the client: a client whose every answer is checked against the served document, and a store that
// can be killed.
import { type ClientOptions, createClient, MemoryStore, type SyncBatch, type SyncStore } from '../../../client/main.ts';
import type { AssociationEnd } from '../../../client/wire.ts';
import { sleep } from '../../../src/base/clock.ts';
import { keepHouse } from '../../../src/engine/admin/housekeeping.ts';
import type { Random } from '../random.ts';
import type { TestService } from '../service.ts';

export type Fetch = NonNullable<ClientOptions['fetch']>;

/** Sends the client's request, and checks the answer against the contract. */
export function checkedFetch(service: TestService, key: string | undefined): Fetch {
  const checker = service.client(key);
  return async (address, init) => {
    const response = await fetch(address, init);
    const text = await response.clone().text();
    const path = address.slice(`${service.url}/rest/v1`.length);
    const { status, headers } = response;
    await checker.verify(String(init.method), path, { status, headers, text, body: JSON.parse(text) });
    return response;
  };
}

export function checkedClient(service: TestService, key: string, more: Partial<ClientOptions> = {}) {
  return createClient({ url: service.url, key, fetch: checkedFetch(service, key), ...more });
}

/**
 * Removes all entries, as if they were too old. They may be newer than a transaction that is still open on the same
 * server, and until it ends, new places in the feed count as too old as well.
 */
export async function forgetChanges(service: TestService, key: string): Promise<void> {
  await sleep(5);
  await keepHouse(service.database, { trashSeconds: 1_000_000, changesSeconds: 0 });
  const client = createClient({ url: service.url, key });
  for (let looks = 0; looks < 200; looks++) {
    const { changesCursor } = await client.records('svc_company').list({ limit: 1 }).first();
    const known = await client
      .listChanges({ cursor: changesCursor })
      .first()
      .catch(() => undefined);
    if (known !== undefined) return;
    await sleep(50);
  }
  throw new Error('New places in the feed are not kept.');
}

export class Killed extends Error {}

/** A store like a file: stored data survives a kill, which can come before or after it is stored. */
export class MortalStore implements SyncStore {
  #kept: MemoryStore = new MemoryStore();
  readonly #random: Random;
  kills = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get copy(): MemoryStore {
    return this.#kept;
  }

  load(): Promise<unknown> {
    return this.#kept.load();
  }

  read(records: readonly AssociationEnd[]) {
    return this.#kept.read(records);
  }

  async apply(batch: SyncBatch): Promise<void> {
    if (this.#random.chance(0.15)) this.#kill();
    // It stores text, so that it shares no objects with the batch.
    await this.#kept.apply(JSON.parse(JSON.stringify(batch)) as SyncBatch);
    if (this.#random.chance(0.15)) this.#kill();
  }

  #kill(): never {
    this.kills++;
    throw new Killed('The process was killed.');
  }
}
