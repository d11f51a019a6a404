// Records that a caller does not see cost the caller nothing: whatever is asked, only so many of them are read outside
// the lane. With the bounds lowered, two thousand private records are many. Every page must have exactly what the caller
// sees, in the order that it has for somebody who sees everything.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import type { Answer } from '../support/answer.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { type Counted, ReadCounter } from '../support/fair-shares/rows-read.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts, make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const counter = new ReadCounter();
/** Far fewer than there are private records. */
const readMax = 700;
let restoreBounds: () => void;
let service: TestService;
let orgId: number;
let whole: Client;
let own: Client;
let hub: string;
/** The ids of the contacts that `own` sees. */
let seen: ReadonlySet<string>;

beforeAll(async () => {
  restoreBounds = lowerBounds({
    store: { largeType: 200, smallSet: 20, examinedRows: 150, examinedLinks: 150 },
    engine: { typeSizeKnownMs: 0 },
  });
  service = await startService({ adapt: counter.adapt });
  orgId = await service.createOrg();
  whole = service.client((await service.createKey(orgId)).key);
  const [me, other] = [await service.createUser(orgId), await service.createUser(orgId)];
  own = service.client((await service.createKey(orgId, { userId: me, reach: 'user' })).key);
  hub = (await make(whole, 'svc_company', { svc_name: 'Hub' })).id;
  const [before, between, after] = [await makeContacts(1_000), await makeContacts(90), await makeContacts(1_000)];
  const [ofOrg, ofBoth, mine] = [between.slice(0, 30), between.slice(30, 60), between.slice(60)];
  await keepPrivate([...before, ...after], other);
  await keepPrivate(mine, me);
  await linkUser(ofBoth, me);
  const deleted = [...mine.slice(0, 5), ...ofBoth.slice(0, 5)];
  await succeed(
    whole,
    deleted.map((id) => item('delete', 'svc_contact', { id })),
  );
  // As autovacuum would: without statistics PostgreSQL reads whole tables of this size.
  await rawQuery(
    service.databaseUrl,
    'vacuum analyze orrery.record, orrery.fact, orrery.record_user, orrery.association',
  );
  seen = new Set([...ofOrg, ...ofBoth, ...mine].filter((id) => !deleted.includes(id)));
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
});

async function makeContacts(count: number): Promise<readonly string[]> {
  const associations = [{ association_type: 'svc_contact_to_company', target_id: hub }];
  const results = await succeed(
    whole,
    Array.from({ length: count }, (_, place) =>
      item('create', 'svc_contact', { properties: { svc_last_name: `n${place % 40}` }, associations }),
    ),
  );
  return results.map(({ id }) => id ?? '');
}

async function keepPrivate(ids: readonly string[], userId: string): Promise<void> {
  for (const table of [raw('orrery.record'), raw('orrery.fact')]) {
    await service.database.query(sql`
      update ${table} set org_visible = false where org_id = ${orgId} and id = any (${ids}::uuid[])`);
  }
  await linkUser(ids, userId);
}

async function linkUser(ids: readonly string[], userId: string): Promise<void> {
  await service.database.query(sql`
    insert into orrery.record_user (org_id, user_id, type_id, record_id, created_at)
    select ${orgId}::integer, ${userId}::uuid, 1, k, now() from unnest(${ids}::uuid[]) as k`);
}

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
}

type Ask = (client: Client, cursor: string | null, limit: number) => Promise<Page>;

/** All ids, page by page, the most rows that a statement has read for one of them, and how many ran in the lane. */
async function readAll(ask: Ask, client: Client, limit: number) {
  const ids: string[] = [];
  let most = 0;
  let scans = 0;
  let cursor: string | null = null;
  do {
    const at: string | null = cursor;
    const { answer, counts, inLane }: Counted<Page> = await counter.during(() => ask(client, at, limit));
    ids.push(...answer.ids);
    most = Math.max(most, ...counts);
    scans += inLane;
    cursor = answer.next;
  } while (cursor !== null);
  return { ids, most, scans };
}

async function get(client: Client, path: string, cursor: string | null, limit: number): Promise<Page> {
  const answer = await client.get(`${path}?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
  return pageOf(answer);
}

function pageOf({ status, text, body }: Answer): Page {
  expect(status, text).toBe(200);
  return { ids: body.data.map(({ id }: { id: string }) => id), next: body.pagination?.next_cursor ?? null };
}

const list: Ask = (client, cursor, limit) => get(client, contacts, cursor, limit);

const query =
  (body: object): Ask =>
  async (client, cursor, limit) => {
    const asked = { ...body, limit, ...(cursor === null ? {} : { cursor }) };
    return pageOf(await client.post(`${contacts}query/`, asked));
  };

const by = (property: string, direction: string) => query({ sort: [{ property, direction }] });

test.each<readonly [string, Ask]>([
  ['a list', list],
  ['a query', query({})],
  ['the oldest first', by('svc_created_at', 'asc')],
  ['the newest first', by('svc_created_at', 'desc')],
  ['the last updated first', by('svc_updated_at', 'desc')],
  ['by an indexed property', by('svc_last_name', 'desc')],
  ['with a filter', query({ filter: { property: 'svc_last_name', operator: 'contains', value: '7' } })],
])('%s has the records that the caller sees, and reads few others', async (_, ask) => {
  const expected = (await readAll(ask, whole, 500)).ids.filter((id) => seen.has(id));
  expect(expected.length).toBeGreaterThan(5);
  for (const limit of [3, 40, 100]) {
    const { ids, most, scans } = await readAll(ask, own, limit);
    expect(ids).toEqual(expected);
    expect(most).toBeLessThan(readMax);
    expect(scans).toBe(0);
  }
});

test('an aggregation reads the records that the caller sees', async () => {
  const body = { aggregations: [{ function: 'count' }], group_by: [{ property: 'svc_last_name' }] };
  const { answer, counts, inLane } = await counter.during(() => own.post(`${contacts}aggregate/`, body));
  const sum = answer.body.data.reduce(
    (all: number, { values }: { values: { count: string } }) => all + Number(values.count),
    0,
  );
  expect(sum).toBe(seen.size);
  expect(Math.max(...counts)).toBeLessThan(readMax);
  expect(inLane).toBe(0);
});

test('linked records: a bounded try, then the lane', async () => {
  const path = `/objects/svc_company/records/${hub}/associations/svc_contact_to_company/`;
  const expected = (await readAll(list, whole, 500)).ids.filter((id) => seen.has(id));
  for (const limit of [7, 100]) {
    const { ids } = await readAll((client, cursor, size) => get(client, path, cursor, size), own, limit);
    expect(ids).toEqual(expected);
  }
  const { counts, inLane } = await counter.during(() => get(own, path, null, 10));
  expect(Math.max(...counts)).toBeLessThan(readMax);
  expect(inLane).toBe(1);
  expect((await counter.during(() => get(whole, path, null, 10))).inLane).toBe(0);
});

test('links to deleted records are skipped in the same way', async () => {
  const results = await succeed(
    whole,
    Array.from({ length: 300 }, () => item('create', 'svc_contact', { properties: {} })),
  );
  const ids = results.map(({ id }) => id ?? '');
  const { id } = await make(whole, 'svc_company', { svc_name: 'Left' });
  const operations = ids.map((contact) =>
    item('associate', 'svc_contact', { id: contact, association_type: 'svc_contact_to_company', target_id: id }),
  );
  await succeed(whole, operations);
  await succeed(
    whole,
    ids.slice(0, 299).map((contact) => item('delete', 'svc_contact', { id: contact })),
  );
  const path = `/objects/svc_company/records/${id}/associations/svc_contact_to_company/`;
  const { answer, counts, inLane } = await counter.during(() => get(whole, path, null, 10));
  expect(answer).toEqual({ ids: ids.slice(299), next: null });
  expect(Math.max(...counts)).toBeLessThan(readMax);
  expect(inLane).toBe(1);
  const included = await whole.get(`/objects/svc_company/records/${id}/?include=svc_contact_to_company`);
  expect(included.body.data.associations.svc_contact_to_company.items).toHaveLength(1);
});

test('timers of records that the key cannot see: a bounded try, then the lane', async () => {
  const stages = (await whole.get('/objects/svc_deal_pipeline_stage/records/')).body.data;
  const stage = (place: number) => ({
    association_type: 'svc_deal_to_deal_pipeline_stage',
    target_id: stages[place].id,
  });
  const deals = await succeed(
    whole,
    Array.from({ length: 400 }, () => item('create', 'svc_deal', { properties: {}, associations: [stage(0)] })),
  );
  await succeed(
    whole,
    deals.map(({ id }) => item('associate', 'svc_deal', { id, ...stage(1) })),
  );
  await rawQuery(service.databaseUrl, 'vacuum analyze orrery.record, orrery.association');
  const grants = [{ objectTypes: ['svc_stage_timer', 'svc_contact'], operations: ['read'] }] as const;
  const blind = service.client((await service.createKey(orgId, { grants })).key);
  const timers = '/objects/svc_stage_timer/records/';
  const { answer, counts, inLane } = await counter.during(() => get(blind, timers, null, 10));
  expect(answer).toEqual({ ids: [], next: null });
  expect(Math.max(...counts)).toBeLessThan(readMax);
  expect(inLane).toBe(1);
  expect((await get(whole, timers, null, 500)).ids).toHaveLength(400);
});
