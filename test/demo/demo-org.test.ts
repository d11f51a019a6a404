// The demo org after the first start: all its data is consistent, its history has plausible times, and the next steps of a
// newcomer work on it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, type DemoKeys, makeDemo } from '../../demo/write/make-demo.ts';
import { systemClock } from '../../src/base/clock.ts';
import { idTimeMs } from '../../src/base/id.ts';
import { applySchemaFile } from '../../src/engine/admin/apply-schema.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Database, OpenTransaction } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { listOrgs } from '../../src/store/org/orgs.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { type RecordData, recordsPath } from '../support/records.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';
import { entriesOf, expectOneStory, stagedContact, stagedDeal } from '../support/stages/history.ts';

const dayMs = 86_400_000;
let service: TestService;
let demo: Demo;
let kept: DemoKeys | undefined;
let client: Client;
/** The feed before anything was purged. */
let feed: Awaited<ReturnType<typeof entriesOf>>;
beforeAll(async () => {
  service = await startService();
  // The first attempt is interrupted, and of two simultaneous ones the second comes too late.
  const broken = makeDemo(failingAfter(service.database, 200), systemClock.nowMs(), () => Promise.resolve());
  await expect(broken).rejects.toThrow('The power is gone.');
  expect(await listOrgs(service.database)).toEqual([]);
  const keep = async (keys: DemoKeys) => {
    kept = keys;
    await rawQuery(service.databaseUrl, 'analyze (skip_locked) orrery.record, orrery.association, orrery.change');
  };
  const other = await openMigrated({ engine: 'server', url: service.databaseUrl });
  const both = [service.database, other].map((database) => makeDemo(database, systemClock.nowMs(), keep));
  const made = (await Promise.all(both)).filter((each) => each !== undefined);
  await other.close();
  expect(made).toHaveLength(1);
  demo = made[0] as Demo;
  client = service.client(demo.keys.full);
  feed = await entriesOf(client, '');
});
afterAll(() => service.stop());

/** The database, with transactions that fail after this many statements. */
function failingAfter(database: Database, count: number): Database {
  let left = count;
  const fail = () => Promise.reject(new Error('The power is gone.'));
  const failing = (transaction: OpenTransaction): OpenTransaction => ({
    ...transaction,
    query: (statement) => (left-- > 0 ? transaction.query(statement) : fail()),
    end: (statements) => {
      left -= statements.length;
      return left >= 0 ? transaction.end(statements) : fail();
    },
  });
  return { ...database, transaction: (run) => database.transaction((transaction) => run(failing(transaction))) };
}

async function all(objectType: string): Promise<readonly RecordData[]> {
  const { status, body } = await client.get(`${recordsPath(objectType)}?limit=500`);
  expect(status).toBe(200);
  expect(body.pagination?.next_cursor).toBeNull();
  return body.data as RecordData[];
}

test('it is created once and completely: an interrupted attempt leaves nothing, and the keys are stored before the commit', async () => {
  expect(kept).toEqual(demo.keys);
  expect((await listOrgs(service.database)).map(({ orgId, name }) => ({ orgId, name }))).toEqual([
    { orgId: demo.orgId, name: 'Demo' },
  ]);
  const again = await makeDemo(service.database, systemClock.nowMs(), () => Promise.reject(new Error('kept again')));
  expect(again).toBeUndefined();
});

test('it contains what the first screen says, and its data is consistent', async () => {
  const { counts } = demo;
  const own = { svc_deal_pipeline: 1, svc_deal_pipeline_stage: 6 } as Readonly<Record<string, number>>;
  for (const [objectType, count] of counts) {
    const question = { aggregations: [{ function: 'count' }] };
    const { body } = await client.post(`${recordsPath(objectType)}aggregate/`, question);
    expect([objectType, body.data[0].values.count]).toEqual([objectType, String(count + (own[objectType] ?? 0))]);
  }
  expect(counts.get('svc_company')).toBeGreaterThanOrEqual(25);
  expect(counts.get('svc_contact')).toBe(120);
  expect(counts.get('svc_deal')).toBeGreaterThanOrEqual(40);
  expect(await findingsIn(service.database, demo.orgId)).toEqual([]);
});

test('its records were created in the past, in the order of their ids, and changed no earlier than that', async () => {
  const nowMs = systemClock.nowMs();
  for (const objectType of ['svc_contact', 'svc_deal', 'svc_note', 'svc_call', 'svc_meeting', 'svc_stage_timer']) {
    for (const { id, properties } of await all(objectType)) {
      const [createdMs, updatedMs] = [properties['svc_created_at'], properties['svc_updated_at']].map((text) =>
        Date.parse(String(text)),
      ) as [number, number];
      expect(createdMs).toBe(idTimeMs(id));
      expect(updatedMs).toBeGreaterThanOrEqual(createdMs);
      expect(updatedMs).toBeLessThan(nowMs);
      expect(createdMs).toBeGreaterThan(nowMs - 320 * dayMs);
    }
  }
  const [first] = await all('svc_deal_pipeline');
  const oldest = Math.min(...(await all('svc_company')).map(({ id }) => idTimeMs(id)));
  expect(idTimeMs(first?.id ?? '')).toBeLessThan(oldest);
});

test('deals and contacts moved through their stages for months: timers, links and feed agree', async () => {
  const deals = await all('svc_deal');
  const longest: number[] = [];
  for (const { id } of deals.filter((_, index) => index % 8 === 0)) {
    const timers = await expectOneStory(client, stagedDeal, id);
    for (const { enteredAt, leftAt } of timers) longest.push(Date.parse(leftAt) - Date.parse(enteredAt));
  }
  expect(longest.length).toBeGreaterThan(10);
  expect(Math.min(...longest)).toBeGreaterThan(dayMs);
  expect(Math.max(...longest)).toBeGreaterThan(10 * dayMs);
  const [contact] = await all('svc_contact');
  await expectOneStory(client, stagedContact, contact?.id ?? '');
  const groups = await client.post(`${recordsPath('svc_deal')}aggregate/`, {
    group_by: [{ association: 'svc_deal_to_deal_pipeline_stage' }],
    aggregations: [{ function: 'count' }],
  });
  const titles = (groups.body.data as { key: [{ title: string }] }[]).map(({ key: [{ title }] }) => title);
  expect(new Set(titles)).toEqual(
    new Set([
      ...['Qualification', 'Discovery', 'Proposal', 'Negotiation', 'Won', 'Lost'],
      ...['Due', 'Contacted', 'Terms sent', 'Renewed', 'Churned'],
    ]),
  );
});

test('an entry of the feed is as old as the change that it reports', async () => {
  expect(feed.length).toBeGreaterThan(2_000);
  const times = feed.map(({ at }) => Date.parse(at));
  expect(times).toEqual([...times].sort((left, right) => left - right));
  const made = feed.filter(({ type }) => type === 'record.created');
  expect(made.filter(({ at, record_id }) => Math.abs(Date.parse(at) - idTimeMs(record_id)) > 1_000)).toEqual([]);
});

test('nobody takes the tables for empty while the demo is written: it slowed its own statements down', async () => {
  const counted = await rawQuery(
    service.databaseUrl,
    "select relname from pg_stat_user_tables where schemaname = 'orrery' and last_analyze is not null",
  );
  expect(counted.rows).toEqual([]);
});

test('the limited key reads contacts and companies and writes nothing', async () => {
  const limited = service.client(demo.keys.limited);
  const types = await limited.get('/objects/');
  expect((types.body.data as { name: string; writable_operations: unknown[] }[]).map(({ name }) => name)).toEqual([
    'svc_contact',
    'svc_company',
  ]);
  const [contact] = (await limited.get(`${recordsPath('svc_contact')}?limit=1`)).body.data as RecordData[];
  expect(contact?.properties['preferred_channel'] ?? 'email').toMatch(/^(email|phone|video)$/);
  expect(contact?.properties).not.toHaveProperty('svc_last_activity_at');
  expect((await limited.get(recordsPath('svc_deal'))).status).toBe(404);
  expect((await limited.patch(`${recordsPath('svc_contact')}${contact?.id}/`, { properties: {} })).status).toBe(403);
  const keys = await limited.get('/self/');
  expect(keys.body.data.credential.name).toBe('demo, reads contacts and companies only');
});

test('the first housekeeping removes the old entries of the feed and nothing else; readers of the feed continue', async () => {
  const { body } = await client.get(`${recordsPath('svc_deal')}?limit=1`);
  const before = await all('svc_stage_timer');
  const startedMs = systemClock.nowMs();
  await keepHouse(service.database, { trashSeconds: 30 * 86_400, changesSeconds: 30 * 86_400 });
  const endedMs = systemClock.nowMs();
  const left = await entriesOf(client, '');
  const removed = feed.slice(0, feed.length - left.length);
  expect(left.length).toBeGreaterThan(300);
  expect(left.map(({ id }) => id)).toEqual(feed.slice(removed.length).map(({ id }) => id));
  expect(Date.parse(removed.at(-1)?.at ?? '')).toBeLessThan(endedMs - 30 * dayMs);
  expect(Date.parse(left[0]?.at ?? '')).toBeGreaterThanOrEqual(startedMs - 30 * dayMs);
  expect(await all('svc_stage_timer')).toEqual(before);
  const followed = await client.get(`/changes/?cursor=${body.pagination?.changes_cursor}`);
  expect(followed.body.data).toEqual([]);
});

test('the schema of the README extends that of the demo', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const schema = /schema\.json <<'EOF'\n([\s\S]*?)\nEOF/.exec(readme)?.[1] ?? '';
  expect((await applySchemaFile(service.database, demo.orgId, JSON.parse(schema))).faults).toEqual([]);
});
