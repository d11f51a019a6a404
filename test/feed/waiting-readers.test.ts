// Readers that begin to wait, or wake up, just while something else happens: nothing is skipped and nothing comes twice
// (contract 5). Each test holds one statement back until the other thing has happened.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { within } from '../../src/base/clock.ts';
import { overloaded } from '../../src/base/problem.ts';
import { aroundStatements } from '../support/around-statements.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { beginWrite, type OpenWrite } from '../support/feed/open-write.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { untilUseIsNoted } from '../support/noted-use.ts';
import { changes, endOfFeed } from '../support/read-feed.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const page = 'as reads_as';
const look = 'array_agg(distinct c.type_id)';
const revision = 'from orrery.epoch as e';

/** Holds back or refuses the next statement with a text. */
class Gate {
  #refused: string | undefined;
  #text: string | undefined;
  #reached = () => {};
  #opened: Promise<void> = Promise.resolve();
  #open = () => {};
  looks = 0;

  /** What a test that failed has left must not stop the next one. */
  reset(): void {
    this.#refused = undefined;
    this.#text = undefined;
    this.#open();
  }

  readonly adapt = (database: TestService['database']) =>
    aroundStatements(database, async (text, run) => {
      if (text.includes(look)) this.looks++;
      if (this.#refused !== undefined && text.includes(this.#refused)) {
        this.#refused = undefined;
        throw overloaded('The connections of the org are busy.');
      }
      if (this.#text !== undefined && text.includes(this.#text)) {
        this.#text = undefined;
        this.#reached();
        await this.#opened;
      }
      return run();
    });

  refuse(text: string): void {
    this.#refused = text;
  }

  hold(text: string): { readonly reached: Promise<void>; readonly open: () => void } {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    const open = this.#open;
    const reached = new Promise<void>((resolve) => {
      this.#reached = resolve;
    });
    this.#text = text;
    return { reached, open };
  }
}

const gate = new Gate();
let service: TestService;
let orgId: number;
let client: Client;
let restoreBounds: () => void;
/** Transactions that a failed test has not ended: they would stop what waits for the oldest one, in other files too. */
const begun: OpenWrite[] = [];
async function openWrite(type?: 'svc_contact' | 'svc_company'): Promise<OpenWrite> {
  const write = await beginWrite(service.databaseUrl, orgId, type);
  begun.push(write);
  return write;
}
beforeAll(async () => {
  // That the key is used is noted once, before the first test: the note asks for the revision as well.
  restoreBounds = lowerBounds({ engine: { keyNotedMs: 3_600_000 } });
  service = await startService({ adapt: gate.adapt });
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
  await untilUseIsNoted(service, client);
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

afterEach(async () => {
  gate.reset();
  for (const write of begun.splice(0)) await write.rollback();
});

/** The records that a reader of contacts gets who waits from the cursor on. */
async function waitForContacts(cursor: string): Promise<readonly string[] | undefined> {
  const got = await within(20_000, changes(client, { cursor, wait: 25, object_type: 'svc_contact' }));
  return got?.entries.map(({ record_id }) => record_id);
}

const waiting = (count: number) => until(async () => service.waitingRequests() === count);

async function lookedAgain(): Promise<void> {
  const before = gate.looks;
  await until(async () => gate.looks > before);
}

test('a change between the read of a reader and its wait reaches it, although the others were woken before', async () => {
  // A look between the read of a reader and its wait makes it read again, and then its own read would be held back.
  const usual = lowerBounds({ engine: { feedPollMs: 3_600_000 } });
  try {
    const cursor = await endOfFeed(client);
    const first = waitForContacts(cursor);
    // One after the other: a reader that comes after one that has read more must read again, which would be held back.
    await waiting(1);
    const stays = changes(client, { cursor, wait: 25, object_type: 'svc_note' });
    await waiting(2);
    const held = gate.hold(page);
    const second = waitForContacts(cursor);
    await held.reached;
    const { id } = await make(client, 'svc_contact');
    expect(await first).toEqual([id]);
    held.open();
    expect(await second).toEqual([id]);
    await make(client, 'svc_note');
    await stays;
  } finally {
    usual();
  }
});

test('a look that began before a reader came does not take it back to what it has read', async () => {
  // While a transaction is under way, the numbers of entries alone do not tell what was read.
  await openWrite();
  const cursor = await endOfFeed(client);
  const first = waitForContacts(cursor);
  await waiting(1);
  const held = gate.hold(look);
  const early = await make(client, 'svc_contact');
  await held.reached;
  await make(client, 'svc_contact');
  const second = waitForContacts(await endOfFeed(client));
  await waiting(2);
  held.open();
  expect((await first)?.[0]).toBe(early.id);
  const late = await make(client, 'svc_contact');
  expect(await second).toEqual([late.id]);
});

test('a reader that wakes slowly gets what woke it, although other changes were looked at meanwhile', async () => {
  const cursor = await endOfFeed(client);
  const reader = waitForContacts(cursor);
  await waiting(1);
  // What wakes it is not known to the process, and its key is checked again.
  const write = await openWrite();
  const other = await openWrite('svc_company');
  const held = gate.hold(revision);
  await held.reached;
  await write.commit();
  await lookedAgain();
  await other.commit();
  await lookedAgain();
  held.open();
  expect(await reader).toEqual([write.id]);
});

test('a look for which the org has no connection left is made again, and its readers wait on', async () => {
  const reader = waitForContacts(await endOfFeed(client));
  await waiting(1);
  gate.refuse(look);
  const { id } = await make(client, 'svc_contact');
  expect(await reader).toEqual([id]);
});
