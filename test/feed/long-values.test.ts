// Long values are stored once: in the record, or with the version that replaced them. Feed and repeated requests give
// them exactly as if each entry and each kept answer had its own copy, whatever happened to the record since.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Answer } from '../support/answer.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { ingest, trashAll } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { changesSince, endOfFeed, type FeedEntry } from '../support/read-feed.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, {
    properties: { svc_note: [{ name: 'links', label: 'Links', field_type: 'url', multi_valued: true }] },
  });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** A text that no other test has, longer than what is stored twice, with characters that JSON escapes. */
function long(): string {
  return `${newId()} "é😀\n`.repeat(200);
}

/** A list of texts that is long as a whole. */
function longList(): readonly string[] {
  return Array.from({ length: 6 }, () => `https://example.com/${newId().padEnd(1_500, 'x')}`);
}

const titled = (title: string, body: string | null) => ({ svc_title: title, svc_body: body });

async function change(record: RecordData, properties: Readonly<Record<string, unknown>>): Promise<RecordData> {
  const answer = await client.patch(pathOfRecord(record), { properties });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** What the feed says of one record. */
async function historyOf({ id }: RecordData): Promise<readonly Pick<FeedEntry, 'type' | 'version' | 'changed'>[]> {
  const entries = await changesSince(client, 'earliest', { record_id: id });
  return entries
    .filter(({ type }) => type.startsWith('record.'))
    .map(({ type, version, changed }) => ({ type, version, ...(changed === undefined ? {} : { changed }) }));
}

async function count(table: 'former_value' | 'trash' | 'idempotency', of: RecordData): Promise<number> {
  const counts = {
    former_value: sql`select count(*)::int as n from orrery.former_value where org_id = ${orgId} and record_id = ${of.id}`,
    trash: sql`select count(*)::int as n from orrery.trash where org_id = ${orgId} and id = ${of.id}`,
    idempotency: sql`select count(*)::int as n from orrery.idempotency where org_id = ${orgId}`,
  };
  const [row] = await service.database.query<{ n: number }>(counts[table]);
  return row?.n ?? -1;
}

test('every entry has its values, whatever happened later: changes, clearing, deletion, restore and purge', async () => {
  const [first, second, third] = [long(), long(), long()];
  const [list, other] = [longList(), longList()];
  const record = await make(client, 'svc_note', { ...titled('One', first), links: list });
  const expected: object[] = [
    {
      type: 'record.created',
      version: '1',
      changed: { svc_title: { new: 'One' }, svc_body: { new: first }, links: { new: list } },
    },
  ];
  const check = async (entry: object) => {
    expected.push(entry);
    expect(await historyOf(record)).toEqual(expected);
  };
  await change(record, { svc_body: second });
  await check({ type: 'record.updated', version: '2', changed: { svc_body: { old: first, new: second } } });
  await change(record, { svc_title: 'Two', links: other });
  await check({
    type: 'record.updated',
    version: '3',
    changed: { svc_title: { old: 'One', new: 'Two' }, links: { old: list, new: other } },
  });
  await change(record, { svc_body: null });
  await check({ type: 'record.updated', version: '4', changed: { svc_body: { old: second } } });
  await change(record, { svc_body: third });
  await check({ type: 'record.updated', version: '5', changed: { svc_body: { new: third } } });
  await client.delete(pathOfRecord(record));
  await check({ type: 'record.deleted', version: '6' });
  await succeed(client, [item('restore', 'svc_note', { id: record.id })]);
  const whole = { svc_title: { new: 'Two' }, svc_body: { new: third }, links: { new: other } };
  await check({ type: 'record.restored', version: '7', changed: whole });
  await change(record, { svc_body: 'short' });
  await check({ type: 'record.updated', version: '8', changed: { svc_body: { old: third, new: 'short' } } });
  await client.delete(pathOfRecord(record));
  await check({ type: 'record.deleted', version: '9' });
  await runCommand(service.databaseUrl, 'trash purge', record.id, { org: String(orgId) });
  expect(await count('trash', record)).toBe(0);
  expect(await historyOf(record)).toEqual(expected);
});

test('several changes in one request have each their own values', async () => {
  const [first, second, third, fourth] = [long(), long(), long(), long()];
  const [made] = await succeed(client, [
    item('create', 'svc_note', { ref: 'n', properties: titled('A', first) }),
    item('update', 'svc_note', { id: { ref: 'n' }, properties: { svc_body: second } }),
    item('update', 'svc_note', { id: { ref: 'n' }, properties: { svc_body: third } }),
    item('delete', 'svc_note', { id: { ref: 'n' } }),
    item('restore', 'svc_note', { id: { ref: 'n' } }),
    item('update', 'svc_note', { id: { ref: 'n' }, properties: { svc_body: fourth } }),
  ]);
  const record = { object_type: 'svc_note', id: made?.id ?? '' } as RecordData;
  const bodies = (await historyOf(record)).map(({ changed }) => changed?.['svc_body']);
  expect(bodies).toEqual([
    { new: first },
    { old: first, new: second },
    { old: second, new: third },
    undefined,
    { new: third },
    { old: third, new: fourth },
  ]);
});

test('merged, imported and ingested records keep their long values in the feed', async () => {
  const [own, others, imported, brought, again] = [long(), long(), long(), long(), long()];
  const kept = await make(client, 'svc_note', titled('Kept', own));
  const duplicate = await make(client, 'svc_note', { ...titled('Duplicate', others), links: longList() });
  await succeed(client, [item('merge', 'svc_note', { id: kept.id, duplicate_id: duplicate.id })]);
  await change(kept, { links: null, svc_body: null });
  expect((await historyOf(duplicate))[0]?.changed?.['svc_body']).toEqual({ new: others });
  const links = (await historyOf(duplicate))[0]?.changed?.['links']?.new;
  expect((await historyOf(kept)).map(({ changed }) => changed?.['links'])).toEqual([
    undefined,
    { new: links },
    { old: links },
  ]);

  const since = await endOfFeed(client);
  const folder = await ImportFolder.make();
  const file = `Name,Description\nImported,"${imported.replaceAll('"', '""')}"\n`;
  const end = await folder.run(service, orgId, 'svc_company', file);
  await folder.remove();
  expect(end.result?.created).toBe(1);
  const [entry] = await changesSince(client, since);
  expect(entry?.changed?.['svc_description']).toEqual({ new: imported });
  const company = { object_type: 'svc_company', id: entry?.record_id ?? '' } as RecordData;
  await change(company, { svc_description: 'short' });
  expect((await historyOf(company)).map(({ changed }) => changed?.['svc_description'])).toEqual([
    { new: imported },
    { old: imported, new: 'short' },
  ]);

  // A record that ingest restores with other values has no entry with its former ones: they are known all the same.
  const line = (text: string) => ({
    external_id: 'meeting-1',
    properties: { svc_subject: 'Meeting', svc_summary: text },
  });
  await ingest(service.database, orgId, 'svc_meeting', [line(brought)]);
  await trashAll(service.database, orgId, 'svc_meeting');
  await ingest(service.database, orgId, 'svc_meeting', [line(again)]);
  const meetings = await changesSince(client, since, { object_type: 'svc_meeting' });
  expect(meetings.map(({ type, changed }) => [type, changed?.['svc_summary']])).toEqual([
    ['record.created', { new: brought }],
    ['record.deleted', undefined],
    ['record.restored', { new: again }],
  ]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a long value is stored once for each version that had it, and goes with the entries that report it', async () => {
  const record = await make(client, 'svc_note', titled('Often', long()));
  for (let time = 0; time < 3; time++) await change(record, { svc_body: long() });
  await change(record, { svc_title: 'Another title' });
  const [row] = await service.database.query<{ entries: string; former: string }>(sql`
    select (select max(octet_length(changed)) from orrery.change where org_id = ${orgId} and record_id = ${record.id})
        as entries,
      (select sum(octet_length(value)) from orrery.former_value where org_id = ${orgId} and record_id = ${record.id})
        as former`);
  expect(Number(row?.entries)).toBeLessThan(300);
  expect(Number(row?.former)).toBeGreaterThan(3 * Buffer.byteLength(long()));
  expect(await count('former_value', record)).toBe(3);
  await client.delete(pathOfRecord(record));
  await runCommand(service.databaseUrl, 'trash purge', record.id, { org: String(orgId) });
  expect(await count('former_value', record)).toBe(4);
  // A third of the feed is old: the values that only those entries report go with them.
  await service.database.query(sql`
    update orrery.change set at = now() - interval '40 days'
    where org_id = ${orgId} and seq <= (select seq from orrery.change
      where org_id = ${orgId} and record_id = ${record.id} and version = 2)`);
  await keepHouse(service.database, { trashSeconds: 30 * 86_400, changesSeconds: 30 * 86_400 });
  expect(await count('former_value', record)).toBe(3);
  // Entries this young are purged in tests alone: while an older transaction runs elsewhere on the server, a cursor may be
  // refused.
  const versions = async () => (await historyOf(record)).map(({ version }) => version);
  await expect.poll(versions, { timeout: 60_000 }).toEqual(['3', '4', '5', '6']);
  expect((await historyOf(record))[0]?.changed?.['svc_body']?.old).toEqual(expect.stringContaining('"é😀'));
  await keepHouse(service.database, { trashSeconds: 30 * 86_400, changesSeconds: 0 });
  expect(await count('former_value', record)).toBe(0);
  const [left] = await service.database.query<{ n: number }>(sql`
    select count(*)::int as n from orrery.former_value where org_id = ${orgId}`);
  expect(left?.n).toBe(0);
});

test('a page of the feed that is full of long values ends, and the next one continues', async () => {
  const since = await endOfFeed(client);
  const bodies = Array.from({ length: 40 }, () => long().repeat(6));
  const record = await make(client, 'svc_note', titled('Much', bodies[0] ?? ''));
  for (const body of bodies.slice(1)) await change(record, { svc_body: body });
  const changesPageBytes = bounds.store.changesPageBytes;
  Object.assign(bounds.store, { changesPageBytes: 500_000 });
  try {
    const page = await client.get(`/changes/?cursor=${since}&limit=1000`);
    expect(page.text.length).toBeLessThan(800_000);
    const told = (await changesSince(client, since)).filter(({ record_id }) => record_id === record.id);
    expect(told.flatMap(({ changed }) => changed?.['svc_body']?.new ?? [])).toEqual(bodies);
  } finally {
    Object.assign(bounds.store, { changesPageBytes });
  }
});

/** The bytes of an answer, but for its request id. */
function bytesOf({ text, body }: Answer): string {
  return text.replaceAll(body.request_id, '');
}

test('a repeated request gets the bytes of the first answer, whatever happened to the record since', async () => {
  const body = { properties: { ...titled('Kept', long()), links: longList() } };
  const created = await client.post(recordsPath('svc_note'), body, { 'idempotency-key': 'long-1' });
  expect(created.status, created.text).toBe(201);
  const path = pathOfRecord(created.body.data);
  const next = { properties: { svc_body: long(), svc_title: 'Changed' } };
  const updated = await client.patch(path, next, { 'idempotency-key': 'long-2' });
  const [kept] = await service.database.query<{ n: string }>(sql`
    select max(octet_length(answer)) as n from orrery.idempotency where org_id = ${orgId} and key like 'long-%'`);
  expect(Number(kept?.n)).toBeLessThan(1_500);
  const repeat = async () => {
    const answers = [
      await client.post(recordsPath('svc_note'), body, { 'idempotency-key': 'long-1' }),
      await client.patch(path, next, { 'idempotency-key': 'long-2' }),
    ];
    expect(answers.map(({ headers }) => headers.get('svc-idempotent-replay'))).toEqual(['true', 'true']);
    expect(answers.map(bytesOf)).toEqual([created, updated].map(bytesOf));
  };
  await repeat();
  await change(created.body.data, { svc_body: 'short', links: longList() });
  await change(created.body.data, { links: null });
  await repeat();
  await client.delete(path);
  await repeat();
  await runCommand(service.databaseUrl, 'trash purge', created.body.data.id, { org: String(orgId) });
  await repeat();
});
