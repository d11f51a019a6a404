// Grants that hide properties (platform 4): how much a hidden value is does not show. Pages of records and of the feed are as
// long as if it were not there, and can be read however much it is. Each test fails without the one line that closes its place.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gems, gems, openGems } from '../support/access/gems.ts';
import { item, succeed } from '../support/batch.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { makeKey, makeMember } from '../support/platform/administrator.ts';
import { query } from '../support/query/ask.ts';
import { endOfFeed, type FeedEntry } from '../support/read-feed.ts';
import { type LinkData, make, pathOfRecord, type RecordData } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let world: Gems;
beforeAll(async () => {
  service = await startService();
  world = await openGems(service);
});
afterAll(() => service.stop());

test('pages end at the same record, whatever is hidden beside the values that fill them', async () => {
  const { admin, narrow } = world;
  const company = await make(admin, 'svc_company', { svc_name: 'Shelf' });
  const name = `Slate ${'s'.repeat(400)}`;
  const one = item('create', 'gem', {
    properties: { name },
    associations: [{ association_type: 'gem_to_company', target_id: company.id }],
  });
  const made = await succeed(
    admin,
    Array.from({ length: 60 }, () => one),
  );
  const filter = { property: 'name', operator: 'eq', value: name };
  const linked = `${pathOfRecord(company)}associations/gem_to_company/?limit=100`;
  const included = `${pathOfRecord(company)}?include=gem_to_company`;
  const restoreBounds = lowerBounds({ store: { pageBytes: 15_000 } });
  try {
    const lengths = async () => ({
      query: (await query(narrow, 'gem', { filter, limit: 100 })).body.data.length,
      list: (await narrow.get(`${gems}?limit=100`)).body.data.length,
      linked: (await narrow.get(linked)).body.data.length,
      included: (await narrow.get(included)).body.data.associations.gem_to_company.items.length,
    });
    const before = await lengths();
    for (const length of Object.values(before)) expect(length).toBeLessThan(60);
    const hide = ({ id }: { readonly id?: string }, index: number) =>
      item('update', 'gem', { id, properties: { notes: 'n'.repeat(index * 100 + 1) } });
    await succeed(admin, made.map(hide));
    expect(await lengths()).toEqual(before);
  } finally {
    restoreBounds();
  }
});

/** So many records with long texts that do not get shorter in the database. */
async function makeLarge(name: string, count: number, associations: readonly LinkData[]): Promise<readonly string[]> {
  const one = () => {
    const notes = randomBytes(45_000).toString('base64url');
    return item('create', 'gem', { properties: { name, notes }, associations });
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const made = await succeed(world.admin, Array.from({ length: 20 }, one));
    ids.push(...made.map(({ id = '' }) => id));
  }
  return ids;
}

test('records that come into the sight of a user come without it, and its size does not show', async () => {
  const { orgId, admin } = world;
  const member = await makeMember(admin);
  const grants = ['gem:read;hide=marking,notes,weight'];
  const user = service.client((await makeKey(admin, { grants, reach: 'user', member: member.id })).key);
  // More than fits into a page of 1 MiB.
  const ids = await makeLarge('Sapphire', 40, []);
  const share = (operation: 'associate' | 'dissociate') => {
    const link = { association_type: 'svc_record_to_org', target_id: String(orgId) };
    return succeed(
      admin,
      ids.map((id) => item(operation, 'gem', { id, ...link })),
    );
  };
  await share('dissociate');
  const cursor = await endOfFeed(user);
  await share('associate');
  const page = (await user.get(`/changes/?cursor=${cursor}&limit=1000`)).body.data as readonly FeedEntry[];
  expect(page.map(({ type, record_id, changed }) => [type, record_id, changed])).toEqual(
    ids.map((id) => ['record.restored', id, { name: { new: 'Sapphire' } }]),
  );
});

test('its size does not show: pages are as long as if it were not there', async () => {
  const { admin, narrow } = world;
  const company = await make(admin, 'svc_company', { svc_name: 'Hoard' });
  const cursor = await endOfFeed(narrow);
  // More than fits into a page of 4 MiB.
  const count = 80;
  await makeLarge('Pearl', count, [{ association_type: 'gem_to_company', target_id: company.id }]);
  const asked = {
    query: (limit: number) => ({ filter: { property: 'name', operator: 'eq', value: 'Pearl' }, limit }),
    list: `${gems}?limit=500`,
    linked: `${pathOfRecord(company)}associations/gem_to_company/?limit=100`,
    included: `${pathOfRecord(company)}?include=gem_to_company`,
    feed: `/changes/?cursor=${cursor}&limit=1000&object_type=gem`,
  };
  const pearls = (list: readonly RecordData[]) =>
    list.filter(({ properties }) => properties['name'] === 'Pearl').length;
  const lengths = async (client: typeof narrow) => ({
    query: pearls((await query(client, 'gem', asked.query(100))).body.data),
    list: pearls((await client.get(asked.list)).body.data),
    linked: pearls((await client.get(asked.linked)).body.data),
    included: pearls((await client.get(asked.included)).body.data.associations.gem_to_company.items),
    feed: (await client.get(asked.feed)).body.data.filter(({ type }: { type: string }) => type === 'record.created')
      .length,
  });
  expect(await lengths(narrow)).toEqual({ query: count, list: count, linked: count, included: count, feed: count });
  // Who sees the texts gets shorter pages, so they were long enough.
  const whole = Object.values(await lengths(admin));
  expect(Math.max(...whole)).toBeLessThan(count);
});

test('short values do not count in a page of the feed either', async () => {
  const { admin, narrow } = world;
  const cursor = await endOfFeed(narrow);
  const one = (_: unknown, index: number) =>
    item('create', 'gem', { properties: { name: 'Jet', marking: `${index} ${'j'.repeat(900)}` } });
  await succeed(admin, Array.from({ length: 40 }, one));
  const restoreBounds = lowerBounds({ store: { changesPageBytes: 20_000 } });
  try {
    const length = async (client: typeof narrow) =>
      (await client.get(`/changes/?cursor=${cursor}&limit=1000`)).body.data.length;
    expect(await length(narrow)).toBe(40);
    expect(await length(admin)).toBeLessThan(40);
  } finally {
    restoreBounds();
  }
});

test('a page of the feed ends when what the caller sees of it is enough', async () => {
  const { admin, narrow } = world;
  const cursor = await endOfFeed(admin);
  const one = item('create', 'gem', { properties: { name: `Basalt ${'b'.repeat(1_000)}` } });
  await succeed(
    admin,
    Array.from({ length: 60 }, () => one),
  );
  const restoreBounds = lowerBounds({ store: { changesPageBytes: 20_000 } });
  try {
    const { length } = (await narrow.get(`/changes/?cursor=${cursor}&limit=1000`)).body.data;
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(30);
  } finally {
    restoreBounds();
  }
});

test('what the service itself computes does not count where it is hidden', async () => {
  const { admin, keyOf } = world;
  // Activities are not granted, so there is no `svc_last_activity_at`.
  const caller = await keyOf('svc_contact:read', 'svc_company:read');
  const company = await make(admin, 'svc_company', { svc_name: 'Callers' });
  const one = item('create', 'svc_contact', {
    properties: { svc_last_name: 'Caller' },
    associations: [{ association_type: 'svc_contact_to_company', target_id: company.id }],
  });
  const made = await succeed(
    admin,
    Array.from({ length: 60 }, () => one),
  );
  const filter = { property: 'svc_last_name', operator: 'eq', value: 'Caller' };
  const linked = `${pathOfRecord(company)}associations/svc_contact_to_company/?limit=100`;
  const restoreBounds = lowerBounds({ store: { pageBytes: 6_000 } });
  try {
    const lengths = async () => ({
      query: (await query(caller, 'svc_contact', { filter, limit: 100 })).body.data.length,
      list: (await caller.get('/objects/svc_contact/records/?limit=100')).body.data.length,
      linked: (await caller.get(linked)).body.data.length,
    });
    const before = await lengths();
    for (const length of Object.values(before)) expect(length).toBeLessThan(60);
    await succeed(
      admin,
      made.map(({ id }) =>
        item('create', 'svc_call', {
          properties: { svc_started_at: '2026-01-02T03:04:05.678Z' },
          associations: [{ association_type: 'svc_activity_to_contact', target_id: id }],
        }),
      ),
    );
    expect(await lengths()).toEqual(before);
  } finally {
    restoreBounds();
  }
});

test('what is hidden is not read with a page, however much it is', async () => {
  const { orgId, admin, narrow } = world;
  const member = await makeMember(admin);
  const grants = ['gem:read;hide=marking,notes,weight', 'svc_company:read'];
  const user = service.client((await makeKey(admin, { grants, reach: 'user', member: member.id })).key);
  const company = await make(admin, 'svc_company', { svc_name: 'Cellar' });
  const cursor = await endOfFeed(narrow);
  const link = { association_type: 'gem_to_company', target_id: company.id };
  const count = 20;
  const ids = await makeLarge('Amber', count, [link]);
  // Short values stay in the entries themselves.
  const markings = Array.from({ length: 20 }, (_, index) => `${index} ${'m'.repeat(1_000)}`);
  await succeed(
    admin,
    ids.map((id, index) => item('update', 'gem', { id, properties: { name: 'Ambra', marking: markings[index] } })),
  );
  const unseen = await endOfFeed(user);
  for (const operation of ['dissociate', 'associate']) {
    const org = { association_type: 'svc_record_to_org', target_id: String(orgId) };
    await succeed(
      admin,
      ids.map((id) => item(operation, 'gem', { id, ...org })),
    );
  }
  // Less than what is hidden: a statement that returns more fails.
  const restoreBounds = lowerBounds({ store: { resultBytes: 500_000 } });
  try {
    const feed = await narrow.get(`/changes/?cursor=${cursor}&limit=${2 * count}`);
    expect(feed.body.data).toHaveLength(2 * count);
    expect((await user.get(`/changes/?cursor=${unseen}&limit=1000`)).body.data).toHaveLength(count);
    const linked = `${pathOfRecord(company)}associations/gem_to_company/?limit=100`;
    expect((await narrow.get(linked)).body.data).toHaveLength(count);
    const { associations } = (await narrow.get(`${pathOfRecord(company)}?include=gem_to_company`)).body.data;
    expect(associations.gem_to_company.items).toHaveLength(count);
  } finally {
    restoreBounds();
  }
});

test('it does not count in the size that a record may have', async () => {
  const { admin, narrow, makeGem } = world;
  const [beside, alone] = [await makeGem({ notes: 'n'.repeat(900) }), await makeGem({})];
  const named = async (client: typeof narrow, gem: RecordData, length: number) =>
    (await client.patch(pathOfRecord(gem), { properties: { name: 'g'.repeat(length) } })).status;
  const restoreBounds = lowerBounds({ engine: { recordBytes: 1_000 } });
  try {
    for (const gem of [beside, alone]) {
      expect(await named(narrow, gem, 800)).toBe(200);
      expect(await named(narrow, gem, 1_000)).toBe(422);
    }
    expect(await named(admin, alone, 790)).toBe(200);
    expect(await named(admin, beside, 790)).toBe(422);
  } finally {
    restoreBounds();
  }
});
