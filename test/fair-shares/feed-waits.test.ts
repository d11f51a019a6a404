// Requests that wait for changes: one look at the feed serves all that wait, only those read a page that can find
// something on it, and beyond the bounds a request is refused instead of waiting. Counted in statements, not in time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep, within } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { revokeKey, rotateKey } from '../../src/engine/admin/keys.ts';
import { aroundStatements } from '../support/around-statements.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { until, withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { beginWrite } from '../support/feed/open-write.ts';
import { keyWith } from '../support/links.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { changes, changesPath, endOfFeed, type FeedEntry } from '../support/read-feed.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

/** Statements on the feed: pages for one request, and looks for all of an org. */
class Counter {
  pages = 0;
  looks = 0;

  readonly adapt = (database: TestService['database']) =>
    aroundStatements(database, (text, run) => {
      if (text.includes('as reads_as')) this.pages++;
      if (text.includes('array_agg(distinct c.type_id)')) this.looks++;
      return run();
    });

  /** The pages and looks that some work causes. */
  async during(work: () => Promise<unknown>) {
    const { pages, looks } = this;
    await work();
    return { pages: this.pages - pages, looks: this.looks - looks };
  }
}

const roomy = { quota: 1_000_000, windowSeconds: 60 };
const counter = new Counter();
let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService({ adapt: counter.adapt });
  orgId = await service.createOrg(roomy);
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

const recordsOf = (pages: readonly { readonly entries: readonly FeedEntry[] }[]) =>
  pages.map(({ entries }) => entries.map(({ record_id }) => record_id));

async function untilWaiting(count: number, at = service): Promise<void> {
  await until(async () => at.waitingRequests() === count);
}

/** Makes companies one after the other, each long enough after the last to be looked at on its own. */
async function writeCompanies(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await make(client, 'svc_company');
    await sleep(2 * bounds.engine.notifyEveryMs);
  }
}

/** Requests that wait for notes, for one note, and for everything that a key for contacts and notes sees. */
async function waitForOthers(count: number) {
  const cursor = await endOfFeed(client);
  const note = await make(client, 'svc_note');
  const narrow = await keyWith(service, orgId, ['svc_contact', 'read'], ['svc_note', 'read']);
  const { next } = await changes(client, { cursor });
  const wait = { cursor: next, wait: 25 };
  const polls = Array.from({ length: count / 3 }, () => [
    changes(client, { ...wait, object_type: 'svc_note' }),
    changes(client, { ...wait, record_id: note.id }),
    changes(narrow, wait),
  ]);
  const waiting = Promise.all(polls.flat());
  await untilWaiting(count);
  return { note, waiting };
}

test('writes of a type that nobody waits for cause no page, and no more looks for sixty requests than for one', async () => {
  const { note, waiting } = await waitForOthers(60);
  const caused = await counter.during(() => writeCompanies(10));
  expect(caused.pages).toBe(0);
  expect(caused.looks).toBeGreaterThan(0);
  expect(caused.looks).toBeLessThanOrEqual(30);
  // The change that they wait for reaches all of them, by one page for each way of asking.
  const told = await counter.during(async () => {
    await client.patch(pathOfRecord(note), { properties: { svc_title: 'Changed' } });
    const pages = await within(15_000, waiting);
    expect(recordsOf(pages ?? [])).toEqual(Array.from({ length: 60 }, () => [note.id]));
  });
  expect(told.pages).toBeLessThanOrEqual(6);
});

const listening = "select from pg_stat_activity where datname = current_database() and query ilike 'listen %'";

test('writes of another process wake those that they concern, and cause no page for the others', async () => {
  const other = await startService({ databaseUrl: service.databaseUrl });
  // So long that nothing is found without a notification.
  const usual = lowerBounds({ engine: { feedPollMs: 30_000 } });
  try {
    const writer = other.client(client.key);
    const { note, waiting } = await waitForOthers(30);
    // The connection that listens is opened with the first of them, but not waited for.
    await until(async () => (await rawQuery(service.databaseUrl, listening)).rowCount === 1);
    const caused = await counter.during(async () => {
      for (let index = 0; index < 5; index++) {
        await make(writer, 'svc_company');
        await sleep(2 * bounds.engine.notifyEveryMs);
      }
    });
    expect(caused.pages).toBe(0);
    await writer.patch(pathOfRecord(note), { properties: { svc_title: 'From afar' } });
    expect(recordsOf((await within(15_000, waiting)) ?? [])).toEqual(Array.from({ length: 30 }, () => [note.id]));
  } finally {
    usual();
    await other.stop();
  }
});

test('a change of which no process was notified is found, even if it began before the request and others came first', async () => {
  const late = await beginWrite(service.databaseUrl, orgId);
  const cursor = await endOfFeed(client);
  const polls = [{}, { object_type: 'svc_contact' }, { record_id: late.id }];
  const waiting = Promise.all(polls.map((poll) => changes(client, { cursor, wait: 25, limit: 1, ...poll })));
  await untilWaiting(3);
  await writeCompanies(3);
  await untilWaiting(2);
  await late.commit();
  const [everything, ...rest] = (await within(15_000, waiting)) ?? [];
  expect(everything?.entries.map(({ object_type }) => object_type)).toEqual(['svc_company']);
  expect(recordsOf(rest)).toEqual([[late.id], [late.id]]);
});

test('more entries at once than a look examines reach those that wait for the last of them', async () => {
  const usual = lowerBounds({ store: { feedEntriesExamined: 5 } });
  try {
    const cursor = await endOfFeed(client);
    const waiting = changes(client, { cursor, wait: 25, object_type: 'svc_note', limit: 1 });
    await untilWaiting(1);
    const create = (object_type: string) => ({ operation: 'create', object_type, properties: {} });
    const operations = [...Array.from({ length: 12 }, () => create('svc_company')), create('svc_note')];
    const { body } = await client.post('/batch/', { operations });
    const page = await within(15_000, waiting);
    expect(page?.entries.map(({ record_id }) => record_id)).toEqual([body.data.results.at(-1).id]);
  } finally {
    usual();
  }
});

test('a request that would wait beyond a bound gets 503, one with entries does not, and the others wait on', async () => {
  const usual = lowerBounds({ shares: { feedWaits: 4, feedWaitsOfOrg: 3 } });
  try {
    const cursor = await endOfFeed(client);
    const wait = changesPath({ cursor, wait: 25 });
    const waiting = [1, 2, 3].map(() => changes(client, { cursor, wait: 25 }));
    await untilWaiting(3);
    const refused = await client.get(wait, { allowFault: true });
    await expectProblem(refused, 'unavailable', 'overloaded');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.body.detail).toContain('3 requests of the org are already waiting for changes');
    expect((await changes(client, { cursor: 'earliest', limit: 1, wait: 25 })).entries).toHaveLength(1);
    expect((await changes(client, { cursor })).entries).toEqual([]);
    // Another org has its own places. When all places of the process are taken, it still gets an equal part of them.
    const neighbour = await service.newClient();
    const after = await endOfFeed(neighbour);
    const first = Promise.all([1, 2].map(() => changes(neighbour, { cursor: after, wait: 25 })));
    await untilWaiting(5);
    const second = await neighbour.get(changesPath({ cursor: after, wait: 25 }), { allowFault: true });
    await expectProblem(second, 'unavailable', 'overloaded');
    expect(second.body.detail).toContain('4 requests of all orgs');
    const { id } = await make(client, 'svc_contact');
    expect(recordsOf((await within(15_000, Promise.all(waiting))) ?? [])).toEqual([[id], [id], [id]]);
    // Their places are free again.
    expect((await changes(client, { cursor: await endOfFeed(client), wait: 1 })).entries).toEqual([]);
    const theirs = await make(neighbour, 'svc_contact');
    expect(recordsOf(await first)).toEqual([[theirs.id], [theirs.id]]);
  } finally {
    usual();
  }
});

test('a key that is revoked ends its request, and the requests of other keys wait on', async () => {
  const doomed = await service.createKey(orgId);
  const cursor = await endOfFeed(client);
  const kept = changes(client, { cursor, wait: 25 });
  const revoked = service.client(doomed.key).get(changesPath({ cursor, wait: 25 }));
  await untilWaiting(2);
  await revokeKey(service.database, doomed.credentialId);
  const answer = await within(15_000, revoked);
  expect(answer?.body).toMatchObject({ status: 401, reason: 'key_revoked' });
  const { id } = await make(client, 'svc_contact');
  expect(recordsOf([await kept])).toEqual([[id]]);
});

test('a secret that is rotated away ends its requests after the grace period, and the new secret waits on', async () => {
  for (const graceSeconds of [0, 2]) {
    const old = await service.createKey(orgId);
    const cursor = await endOfFeed(client);
    const ended = service.client(old.key).get(changesPath({ cursor, wait: 25 }));
    await untilWaiting(1);
    const began = performance.now();
    const fresh = service.client((await rotateKey(service.database, old.credentialId, graceSeconds)).key);
    await withinASecond(
      () => fresh.get('/self/'),
      ({ status }) => status === 200,
    );
    const kept = changes(fresh, { cursor, wait: 25 });
    const answer = await within(15_000, ended);
    expect(answer?.body).toMatchObject({ status: 401, reason: 'key_expired' });
    expect(performance.now() - began).toBeGreaterThan(graceSeconds * 1_000 - 100);
    await untilWaiting(1);
    const { id } = await make(client, 'svc_contact');
    expect(recordsOf([await kept])).toEqual([[id]]);
  }
});

test('a service that stops answers those that wait at once, with a cursor that continues', async () => {
  const stopping = await startService({ databaseUrl: service.databaseUrl });
  const usual = lowerBounds({ engine: { feedPollMs: 30_000 } });
  const cursor = await endOfFeed(client);
  const polls = [1, 2, 3].map(() => changes(stopping.client(client.key), { cursor, wait: 25 }));
  await untilWaiting(3, stopping);
  usual();
  const stopped = stopping.stop();
  const pages = (await within(15_000, Promise.all(polls))) ?? [];
  await stopped;
  expect(recordsOf(pages)).toEqual([[], [], []]);
  const { id } = await make(client, 'svc_contact');
  for (const { next } of pages) expect(recordsOf([await changes(client, { cursor: next })])).toEqual([[id]]);
});
