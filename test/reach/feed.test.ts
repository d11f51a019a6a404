// The change feed as a key of reach `user` reads it (contract 5 and 7): a record that it can no longer see reads as
// deleted, one that it sees now as restored with current values. Nothing shows records that were private, or when they
// were.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { type End, link, makeAll, unlink } from '../support/links.ts';
import { changes, changesSince, endOfFeed, type FeedEntry, inShort, liveAfter } from '../support/read-feed.ts';
import { listedIds, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const toOrg = 'svc_record_to_org';
const toUser = 'svc_record_to_user';
const worksAt = 'svc_contact_to_company';
const lifecycle = 'svc_contact_to_lifecycle_stage';

let service: TestService;
let orgId: number;
let org: string;
let users: readonly [string, string, string];
let whole: Client;
/** Keys of reach `user`: the owner of what is private, another, and a third who never sees any of it. */
let owner: Client;
let other: Client;
let third: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  org = String(orgId);
  users = [await service.createUser(orgId), await service.createUser(orgId), await service.createUser(orgId)];
  whole = service.client((await service.createKey(orgId)).key);
  const keyOf = async (userId: string) =>
    service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
  [owner, other, third] = [await keyOf(users[0]), await keyOf(users[1]), await keyOf(users[2])];
});
afterAll(() => service.stop());

const update = async (record: End, svc_last_name: string, caller = owner) => {
  expect((await caller.patch(pathOfRecord(record), { properties: { svc_last_name } })).status).toBe(200);
};

/** A contact that was private to its owner from the very beginning. */
async function makePrivate(svc_last_name: string): Promise<RecordData> {
  const [made] = await succeed(owner, [
    item('create', 'svc_contact', { ref: 'it', properties: { svc_last_name } }),
    item('dissociate', 'svc_contact', { id: { ref: 'it' }, association_type: toOrg, target_id: org }),
  ]);
  return read(owner, { object_type: 'svc_contact', id: made?.id ?? '' });
}

/** The entries of the record that the caller sees since the cursor. */
async function toldOf(caller: Client, { id }: End, cursor: string): Promise<readonly FeedEntry[]> {
  const entries = await changesSince(caller, cursor);
  const own = entries.filter((entry) => entry.record_id === id || entry.target_id === id);
  const asked = await changesSince(caller, cursor, { record_id: id });
  expect(asked).toEqual(own.filter((entry) => entry.record_id === id));
  return own;
}

const short = async (caller: Client, record: End, cursor: string) =>
  (await toldOf(caller, record, cursor)).map(inShort);

describe('a record that is shared and unshared', () => {
  test('reads as deleted, and as restored with its current values', async () => {
    const contact = await make(owner, 'svc_contact', { svc_last_name: 'Before' });
    const known = await endOfFeed(other);
    await unlink(owner, contact, toOrg, org);
    const [gone, ...more] = await toldOf(other, contact, known);
    expect(more).toEqual([]);
    expect(gone).toEqual({
      id: expect.any(String),
      type: 'record.deleted',
      object_type: 'svc_contact',
      record_id: contact.id,
      version: '1',
      at: expect.any(String),
      principal_id: users[0],
      request_id: expect.any(String),
    });
    const hidden = await endOfFeed(other);
    await update(contact, 'secretive');
    await update(contact, 'After');
    expect(await toldOf(other, contact, hidden)).toEqual([]);
    expect(await short(other, contact, known)).toEqual(['record.deleted svc_contact 1']);
    expect(await toldOf(other, contact, 'earliest')).toEqual([]);
    await link(owner, contact, toOrg, org);
    for (const cursor of [known, hidden, 'earliest']) {
      const entries = await toldOf(other, contact, cursor);
      expect(entries.at(-1)).toMatchObject({
        type: 'record.restored',
        version: '3',
        changed: { svc_last_name: { new: 'After' } },
      });
      expect(entries.at(-1)).not.toHaveProperty('association_type');
      expect(JSON.stringify(entries)).not.toMatch(/secretive|Before/);
      expect([...liveAfter(entries, [contact.id])]).toEqual([contact.id]);
    }
    // Later entries are the same for everybody.
    await update(contact, 'Later');
    expect((await toldOf(other, contact, known)).at(-1)).toMatchObject({
      type: 'record.updated',
      version: '4',
      changed: { svc_last_name: { old: expect.any(String), new: 'Later' } },
    });
  });

  test('with one user is in the feed of that user alone', async () => {
    const contact = await makePrivate('secretive');
    const known = await endOfFeed(other);
    await update(contact, 'Open');
    await link(owner, contact, toUser, users[1]);
    const [restored, ...more] = await toldOf(other, contact, known);
    expect(more).toEqual([]);
    expect(restored).toMatchObject({
      type: 'record.restored',
      version: '2',
      changed: { svc_last_name: { new: 'Open' } },
    });
    expect(await toldOf(third, contact, known)).toEqual([]);
    await update(contact, 'Seen');
    await unlink(owner, contact, toUser, users[1]);
    await update(contact, 'secretive again');
    const entries = await toldOf(other, contact, known);
    expect(entries.at(-1)?.type).toBe('record.deleted');
    expect(liveAfter(entries).size).toBe(0);
    expect(JSON.stringify(entries)).not.toContain('secretive');
    for (const cursor of [known, 'earliest']) expect(await toldOf(third, contact, cursor)).toEqual([]);
    expect(await toldOf(other, contact, 'earliest')).toEqual([]);
  });

  test('is complete in the feed of its owner and of those who see everything', async () => {
    const known = await endOfFeed(whole);
    const contact = await makePrivate('One');
    await update(contact, 'Two');
    await link(owner, contact, toOrg, org);
    await unlink(owner, contact, toOrg, org);
    const all = [
      'record.created svc_contact 1',
      `association.deleted svc_contact 1 ${toOrg}`,
      'record.updated svc_contact 2',
      `association.created svc_contact 2 ${toOrg}`,
      `association.deleted svc_contact 2 ${toOrg}`,
    ];
    expect(await short(whole, contact, known)).toEqual(all);
    const entries = await toldOf(owner, contact, known);
    expect([...liveAfter(entries)]).toEqual([contact.id]);
    expect(entries.map(({ version }) => Number(version)).at(-1)).toBe(2);
  });

  test('and deleted before it was unshared is not in the feed of those who begin now', async () => {
    const contact = await make(owner, 'svc_contact', { svc_last_name: 'Before' });
    await owner.delete(pathOfRecord(contact));
    await succeed(owner, [item('restore', 'svc_contact', { id: contact.id })]);
    await unlink(owner, contact, toOrg, org);
    expect(await toldOf(other, contact, 'earliest')).toEqual([]);
  });
});

describe('a private record', () => {
  test('is never in the feed of others: made, changed, linked, deleted, restored', async () => {
    const known = await endOfFeed(other);
    const contact = await makePrivate('secretive');
    const [company, deal] = await makeAll(whole, 'svc_company', 'svc_deal');
    const seen = await endOfFeed(other);
    await update(contact, 'secretive two');
    await link(owner, contact, worksAt, company.id);
    await link(whole, deal, 'svc_deal_to_contact', contact.id);
    await unlink(whole, deal, 'svc_deal_to_contact', contact.id);
    await owner.delete(pathOfRecord(contact));
    await succeed(owner, [item('restore', 'svc_contact', { id: contact.id })]);
    for (const cursor of [known, seen, 'earliest']) {
      for (const caller of [other, third]) expect(await toldOf(caller, contact, cursor)).toEqual([]);
      const text = JSON.stringify(await changesSince(other, cursor));
      expect(text).not.toMatch(/secretive/);
    }
    expect(await changesSince(other, seen)).toEqual([]);
  });

  test('is not in the feed when one request shares and unshares it', async () => {
    const contact = await makePrivate('secretive');
    const known = await endOfFeed(other);
    const to = { id: contact.id, association_type: toOrg, target_id: org };
    await succeed(owner, [item('associate', 'svc_contact', to), item('dissociate', 'svc_contact', to)]);
    expect(await toldOf(other, contact, known)).toEqual([]);
  });

  test('that a merge makes visible reads as restored, without its earlier values', async () => {
    const duplicates = [
      await make(whole, 'svc_contact', { svc_first_name: 'Double' }),
      // One that is the other user's alone: a merge gives the record that stays to both.
      await make(other, 'svc_contact', { svc_first_name: 'Double' }),
    ];
    await unlink(other, duplicates[1] as RecordData, toOrg, org);
    for (const duplicate of duplicates) {
      const kept = await makePrivate('secretive');
      await update(kept, 'Open');
      const known = await endOfFeed(other);
      await succeed(whole, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
      const { version } = await read(other, kept);
      for (const cursor of ['earliest', known]) {
        const entries = await toldOf(other, kept, cursor);
        expect(JSON.stringify(entries)).not.toContain('secretive');
        expect(entries.map(inShort)).toEqual([`record.restored svc_contact ${version}`]);
        expect(entries[0]?.changed).toEqual({ svc_last_name: { new: 'Open' }, svc_first_name: { new: 'Double' } });
      }
    }
  });

  test('does not end a long poll', async () => {
    const contact = await makePrivate('secretive');
    const cursor = await endOfFeed(other);
    const polls = Promise.all([changes(other, { cursor, wait: 20 }), changes(third, { cursor: 'latest', wait: 20 })]);
    await sleep(200);
    await update(contact, 'secretive two');
    await sleep(200);
    const company = await make(whole, 'svc_company');
    for (const { entries } of await polls) expect(entries.map(({ record_id }) => record_id)).toEqual([company.id]);
    const began = performance.now();
    const [page] = await Promise.all([
      changes(other, { cursor: await endOfFeed(other), wait: 1 }),
      sleep(300).then(() => update(contact, 'secretive three')),
    ]);
    expect(page.entries).toEqual([]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(950);
  });
});

describe('timers of stages', () => {
  test('are hidden and shown with their record, and those of private times appear once it is shared', async () => {
    const stages = (await whole.get(`${recordsPath('svc_contact_lifecycle_stage')}?limit=3`)).body.data as RecordData[];
    const [one, two, three] = stages as [RecordData, RecordData, RecordData];
    const contact = await make(owner, 'svc_contact');
    await link(owner, contact, lifecycle, one.id);
    const first = (await link(owner, contact, lifecycle, two.id)).stage_timer_id ?? '';
    const known = await endOfFeed(other);
    const timers = async (caller: Client, cursor: string, before: readonly string[]) => {
      const entries = await changesSince(caller, cursor, { object_type: 'svc_stage_timer' });
      return [...liveAfter(entries, before)].filter((id) => [first, second].includes(id));
    };
    let second = '';
    await unlink(owner, contact, toOrg, org);
    expect(await timers(other, known, [first])).toEqual([]);
    second = (await link(owner, contact, lifecycle, three.id)).stage_timer_id ?? '';
    expect(await timers(other, known, [first])).toEqual([]);
    expect(JSON.stringify(await changesSince(other, known))).not.toContain(second);
    expect(await timers(owner, known, [first])).toEqual([first, second]);
    await link(owner, contact, toOrg, org);
    for (const cursor of [known, 'earliest']) {
      expect((await timers(other, cursor, [])).sort()).toEqual([first, second].sort());
    }
    expect(await listedIds(other, 'svc_stage_timer')).toEqual(expect.arrayContaining([first, second]));
  });
});

test('a copy that follows the feed has what lists have, after any sharing and unsharing', async () => {
  const cursor = await endOfFeed(other);
  const before = await listedIds(other, 'svc_contact');
  const records: RecordData[] = [];
  for (let index = 0; index < 6; index++)
    records.push(await make(owner, 'svc_contact', { svc_last_name: `C${index}` }));
  const [a, b, c, d, e, f] = records as readonly RecordData[] as [
    RecordData,
    RecordData,
    RecordData,
    RecordData,
    RecordData,
    RecordData,
  ];
  const early = (await changes(other, { cursor, limit: 3 })).entries;
  await unlink(owner, a, toOrg, org);
  await unlink(owner, b, toOrg, org);
  await link(owner, b, toUser, users[1]);
  await unlink(owner, c, toOrg, org);
  await owner.delete(pathOfRecord(c));
  await owner.delete(pathOfRecord(d));
  await unlink(owner, e, toOrg, org);
  await link(owner, e, toOrg, org);
  await unlink(owner, f, toOrg, org);
  await update(f, 'F two');
  await link(owner, f, toUser, users[1]);
  await unlink(owner, f, toUser, users[1]);
  const listed = [...(await listedIds(other, 'svc_contact'))].sort();
  expect([...liveAfter(await changesSince(other, cursor), before)].sort()).toEqual(listed);
  expect(early.map(({ record_id }) => record_id)).toEqual([a.id, b.id, c.id]);
  const fresh = await changesSince(other, 'earliest', { object_type: 'svc_contact' });
  expect([...liveAfter(fresh)].sort()).toEqual(listed);
});
