// The last activity of contacts and deals: right after every write, also when many write at once, without a new version or
// an entry in the feed, and found like any other value.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

const toContact = (record: RecordData) => ({ association_type: 'svc_activity_to_contact', target_id: record.id });
const call = (at: string | undefined, ...contacts: readonly RecordData[]) =>
  make(client, 'svc_call', at === undefined ? {} : { svc_started_at: at }, contacts.map(toContact));
const lastOf = async (record: RecordData) => (await read(client, record)).properties['svc_last_activity_at'];
const link = (from: RecordData, type: string, to: RecordData) => `${pathOfRecord(from)}associations/${type}/${to.id}/`;

test('follows every change of an activity and of its links, and leaves version, date and feed alone', async () => {
  const contact = await make(client, 'svc_contact', { svc_last_name: 'Lovelace' });
  const deal = await make(client, 'svc_deal', { svc_name: 'Engine' });
  const early = await call('2026-01-01T10:00:00Z', contact);
  expect(await lastOf(contact)).toBe('2026-01-01T10:00:00Z');
  // The same moment is earlier than it looks, and a fraction counts.
  const late = await call('2026-01-01T12:30:00.000001+02:00', contact);
  expect(await lastOf(contact)).toBe('2026-01-01T12:30:00.000001+02:00');
  await client.patch(pathOfRecord(late), { properties: { svc_started_at: '2025-12-31T00:00:00Z' } });
  expect(await lastOf(contact)).toBe('2026-01-01T10:00:00Z');
  await client.patch(pathOfRecord(late), { properties: { svc_started_at: null } });
  expect(await lastOf(contact)).toBe((await read(client, late)).properties['svc_created_at']);
  await client.delete(pathOfRecord(late));
  expect(await lastOf(contact)).toBe('2026-01-01T10:00:00Z');
  await client.post('/batch/', { operations: [{ operation: 'restore', object_type: 'svc_call', id: late.id }] });
  expect(await lastOf(contact)).toBe((await read(client, late)).properties['svc_created_at']);
  await client.put(link(early, 'svc_activity_to_deal', deal), undefined);
  expect(await lastOf(deal)).toBe('2026-01-01T10:00:00Z');
  await client.delete(link(early, 'svc_activity_to_deal', deal));
  expect(await lastOf(deal)).toBeUndefined();
  const now = await read(client, contact);
  expect([now.version, now.properties['svc_updated_at']]).toEqual(['1', contact.properties['svc_updated_at']]);
  const { body } = await client.get(`/changes/?record_id=${contact.id}`);
  expect(body.data.map((each: { type: string }) => each.type)).toEqual(['record.created']);
});

test('a contact that is restored, or merged with another one, has the activities of the meantime', async () => {
  const contact = await make(client, 'svc_contact');
  const other = await make(client, 'svc_contact');
  const first = await call('2026-02-01T00:00:00Z', contact);
  await call('2026-02-02T00:00:00Z', other);
  await client.delete(pathOfRecord(contact));
  await client.patch(pathOfRecord(first), { properties: { svc_started_at: '2026-02-03T00:00:00Z' } });
  await client.post('/batch/', { operations: [{ operation: 'restore', object_type: 'svc_contact', id: contact.id }] });
  expect(await lastOf(contact)).toBe('2026-02-03T00:00:00Z');
  const merge = { operation: 'merge', object_type: 'svc_contact', id: other.id, duplicate_id: contact.id };
  expect((await client.post('/batch/', { operations: [merge] })).body.data.succeeded).toBe(1);
  expect(await lastOf(other)).toBe('2026-02-03T00:00:00Z');
  // Two calls that are merged are one, with the date of the one that stays.
  const again = await call('2026-02-09T00:00:00Z', other);
  const calls = { operation: 'merge', object_type: 'svc_call', id: first.id, duplicate_id: again.id };
  expect((await client.post('/batch/', { operations: [calls] })).body.data.succeeded).toBe(1);
  expect(await lastOf(other)).toBe('2026-02-03T00:00:00Z');
});

test('a contact that is restored while its activity changes has the new date', async () => {
  const [gone, held] = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
  const made = await call('2026-05-01T00:00:00Z', gone, held);
  await client.delete(pathOfRecord(gone));
  const other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from orrery.record where id = $1 for update', [held.id]);
    const patched = client.patch(pathOfRecord(made), { properties: { svc_started_at: '2026-05-09T00:00:00Z' } });
    // It waits for the contact that is held, and has not read the other one.
    await until(async () => (await waiting()) > 0);
    await client.post('/batch/', { operations: [{ operation: 'restore', object_type: 'svc_contact', id: gone.id }] });
    await other.query('rollback');
    expect((await patched).status).toBe(200);
  } finally {
    await other.end();
  }
  expect([await lastOf(gone), await lastOf(held)]).toEqual(['2026-05-09T00:00:00Z', '2026-05-09T00:00:00Z']);
});

/** How many transactions of this database wait for another one. */
async function waiting(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}

test('a batch that gives an activity another date and removes its link leaves nothing of it', async () => {
  const contact = await make(client, 'svc_contact');
  const made = await call('2026-04-10T00:00:00Z', contact);
  const item = { object_type: 'svc_call', id: made.id };
  const earlier = { ...item, operation: 'update', properties: { svc_started_at: '2026-04-01T00:00:00Z' } };
  const operations = [earlier, { ...item, operation: 'dissociate', ...toContact(contact) }];
  expect((await client.post('/batch/', { operations })).body.data.succeeded).toBe(2);
  expect(await lastOf(contact)).toBeUndefined();
  const again = [{ ...item, operation: 'associate', ...toContact(contact) }, earlier];
  expect((await client.post('/batch/', { operations: again })).body.data.succeeded).toBe(2);
  expect(await lastOf(contact)).toBe('2026-04-01T00:00:00Z');
});

test('is filtered and sorted by like any other value, and cannot be written', async () => {
  const own = await service.newClient();
  const people = await Promise.all(
    ['a', 'b', 'c'].map((name) => make(own, 'svc_contact', { svc_last_name: name, svc_first_name: 'sorted' })),
  );
  const [a, b] = people as [RecordData, RecordData];
  await make(own, 'svc_call', { svc_started_at: '2026-03-02T00:00:00Z' }, [toContact(a)]);
  await make(own, 'svc_sms_conversation', { svc_started_at: '2026-03-01T23:00:00-02:00' }, [toContact(b)]);
  const names = async (body: object) => {
    const answer = await own.post(`${recordsPath('svc_contact')}query/`, body);
    return answer.body.data.map((each: RecordData) => each.properties['svc_last_name']).join('');
  };
  const property = 'svc_last_activity_at';
  expect(await names({ sort: [{ property, direction: 'desc' }] })).toBe('bac');
  expect(await names({ sort: [{ property, direction: 'asc' }] })).toBe('abc');
  expect(await names({ filter: { property, operator: 'gt', value: '2026-03-02T00:00:00Z' } })).toBe('b');
  expect(await names({ filter: { property, operator: 'is_not_set' } })).toBe('c');
  const refused = await own.patch(pathOfRecord(a), { properties: { [property]: '2026-01-01T00:00:00Z' } });
  expect(refused.body.errors?.[0]?.reason).toBe('read_only_property');
});

test('after many writers have changed activities of the same few contacts at once, every date is right', async () => {
  const contacts = await Promise.all(Array.from({ length: 3 }, () => make(client, 'svc_contact')));
  const worker = async (index: number) => {
    const mine: RecordData[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const at = new Date(Date.UTC(2026, 5, 1 + ((index * 7 + turn * 5) % 28), index, turn)).toISOString();
      const contact = contacts[(index + turn) % 3] as RecordData;
      const [first] = mine;
      if (turn % 4 === 1 && first !== undefined)
        await client.patch(pathOfRecord(first), { properties: { svc_started_at: at } });
      else if (turn % 4 === 2 && first !== undefined)
        await client.put(link(first, 'svc_activity_to_contact', contact), undefined);
      else if (turn % 4 === 3 && first !== undefined) await client.delete(pathOfRecord(mine.shift() ?? first));
      else mine.push(await call(at, contact, contacts[(index + turn + 1) % 3] as RecordData));
      // Others change the contacts themselves, and one batch locks both kinds in the other order.
      const operations = [
        { operation: 'update', object_type: 'svc_contact', id: contact.id, properties: { svc_headline: at } },
        ...(mine[0] === undefined
          ? []
          : [{ operation: 'update', object_type: 'svc_call', id: mine[0].id, properties: { svc_subject: at } }]),
      ];
      const answer = await client.post('/batch/', { operations });
      expect(answer.body.data?.failed, answer.text).toBe(0);
    }
  };
  await Promise.all(Array.from({ length: 5 }, (_, index) => worker(index)));
  for (const contact of contacts) {
    const path = `${pathOfRecord(contact)}associations/svc_activity_to_contact/?limit=500`;
    const { body } = await client.get(path);
    const dates = body.data.map((each: RecordData) => String(each.properties['svc_started_at'])).sort();
    expect(await lastOf(contact)).toBe(dates.at(-1));
  }
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
