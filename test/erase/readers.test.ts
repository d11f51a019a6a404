// Whoever has read the person before finds nothing any more: by a repeated request, a cursor, an export, another process on the
// same database, or the copy that a client keeps.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, MemoryStore, sync } from '../../client/main.ts';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { erase, lifeSchema, liveLife, type Person, Secrets } from '../support/erase/life.ts';
import { changesPath, changesSince, liveAfter } from '../support/read-feed.ts';
import { contacts, make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let other: TestService;
let orgId: number;
let key: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  other = await startService({ databaseUrl: service.databaseUrl });
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, lifeSchema);
  ({ key } = await service.createKey(orgId));
  client = service.client(key);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const live = (tag: string): Promise<Person> => liveLife({ client, importLines: imported }, tag);

/** The row that a file would bring, as an update. */
async function imported([, row = '']: readonly string[]): Promise<void> {
  const [address, title] = row.split(',');
  const body = { properties: { svc_email: [address], svc_job_title: title } };
  expect((await client.put(`${contacts}?match=svc_email`, body)).status).toBe(200);
}

function expectNothing(text: string, { values }: Secrets): void {
  const folded = text.toLowerCase();
  expect(values.filter((value) => folded.includes(value.toLowerCase()))).toEqual([]);
}

test('a repeated request is answered without values, and does not run again', async () => {
  const person = await live('cleo');
  const [create, batch] = person.repeats;
  const send = (from: Client, { path, body, key: name }: Person['repeats'][number]) =>
    from.post(path, body, { 'idempotency-key': name });
  const before = await Promise.all([create, batch].map((each) => send(client, each as Person['repeats'][number])));
  await erase(client, person.id);
  for (const caller of [client, other.client(key)]) {
    for (const [index, each] of [create, batch].entries()) {
      const again = await send(caller, each as Person['repeats'][number]);
      expect(again.status).toBe(before[index]?.status);
      expect(again.headers.get('svc-idempotent-replay')).toBe('true');
      expectNothing(again.text, person.secrets);
    }
  }
  const created = await send(client, create as Person['repeats'][number]);
  expect(created.body.data).toEqual({
    id: person.id,
    object_type: 'svc_contact',
    version: '1',
    properties: { svc_created_at: expect.any(String), svc_updated_at: expect.any(String) },
  });
  expect(created.headers.get('etag')).toBe('"1"');
  // Problems keep what a client decides by.
  const told = before[1]?.body.data.results.map(({ status, problem }: Told) => [status, ...decisive(problem)]);
  const kept = (await send(client, batch as Person['repeats'][number])).body.data.results;
  expect(kept.map(({ status, problem }: Told) => [status, ...decisive(problem)])).toEqual(told);
  // Another body under the key is still another body.
  const reused = await client.post(contacts, { properties: {} }, { 'idempotency-key': create?.key ?? '' });
  expect(reused.body.reason).toBe('idempotency_key_reused');
});

interface Told {
  readonly status: number;
  readonly problem?: { readonly reason: string; readonly errors: readonly { readonly pointer: string }[] };
}

const decisive = (problem: Told['problem']) => [problem?.reason, problem?.errors.map(({ pointer }) => pointer)];

test('a batch that erases, and quotes in a problem, is answered in full and kept without the quote', async () => {
  const secrets = new Secrets('dora');
  const person = await make(client, 'svc_contact', { svc_first_name: secrets.word('name') });
  const quoted = secrets.word('noaddress');
  const body = {
    operations: [
      { operation: 'update', object_type: 'svc_contact', id: person.id, properties: { svc_email: [quoted] } },
      { operation: 'erase', object_type: 'svc_contact', id: person.id },
      { operation: 'restore', object_type: 'svc_contact', id: person.id },
    ],
  };
  const send = () => client.post('/batch/', body, { 'idempotency-key': 'dora' });
  const first = await send();
  expect(first.body.data.results.map(({ status }: Told) => status)).toEqual([422, 200, 404]);
  expect(first.text).toContain(quoted);
  const again = await send();
  expectNothing(again.text, secrets);
  expect(again.body.data.results[1]).toEqual(first.body.data.results[1]);
});

test('cursors from before lead to no value: of lists, queries, links and the feed', async () => {
  const person = await live('emma');
  const early = (await client.get(changesPath({ limit: 1 }))).body.pagination?.next_cursor ?? '';
  const latest = (await client.get(changesPath({ cursor: 'latest' }))).body.pagination?.next_cursor ?? '';
  const list = await client.get(`${contacts}?limit=1`);
  const sort = [{ property: 'svc_last_name', direction: 'asc' }];
  const query = await client.post(`${contacts}query/`, { sort, limit: 1 });
  await erase(client, person.id);
  const texts: string[] = [];
  for (let next = list.body.pagination?.next_cursor; typeof next === 'string'; ) {
    const page = await client.get(`${contacts}?limit=50&cursor=${next}`);
    texts.push(page.text);
    next = page.body.pagination?.next_cursor;
  }
  const cursor = query.body.pagination?.next_cursor;
  texts.push((await client.post(`${contacts}query/`, { sort, limit: 500, cursor })).text);
  texts.push(JSON.stringify(await changesSince(client, early)), JSON.stringify(await changesSince(client, 'earliest')));
  for (const text of texts) expectNothing(text, person.secrets);
  const news = await changesSince(client, latest);
  expect(news.filter(({ record_id }) => record_id === person.id).map(({ type }) => type)).toEqual(['record.deleted']);
});

test('searches, filters, aggregations and other processes do not find it', async () => {
  const person = await live('fay');
  const word = person.secrets.values[0] as string;
  const asks = [
    { search: word },
    { filter: { property: 'svc_first_name', operator: 'eq', value: word } },
    { filter: { property: 'nicknames', operator: 'contains', value: 'zqfay' } },
  ];
  const counts = async (caller: Client) =>
    Promise.all(asks.map(async (ask) => (await caller.post(`${contacts}query/`, ask)).body.data.length));
  expect(await counts(other.client(key))).toEqual([1, 1, 1]);
  await erase(client, person.id);
  for (const caller of [client, other.client(key)]) {
    expect(await counts(caller)).toEqual([0, 0, 0]);
    const groups = await caller.post(`${contacts}aggregate/`, {
      group_by: [{ property: 'svc_first_name' }],
      aggregations: [{ function: 'count' }, { function: 'sum', property: 'salary' }],
    });
    expectNothing(groups.text, person.secrets);
    expect((await caller.get(pathOfRecord({ object_type: 'svc_contact', id: person.id }))).status).toBe(404);
  }
});

test('exports and lists of the trash have it no more', async () => {
  const person = await live('gwen');
  const args = ['--org', String(orgId), '--type', 'svc_contact', '--database-url', service.databaseUrl];
  await erase(client, person.id);
  for (const words of [
    ['export', ...args],
    ['export', ...args, '--json'],
    ['trash', 'list', ...args],
  ]) {
    const { status, stdout } = await runOrrery(words);
    expect(status).toBe(0);
    expectNothing(stdout, person.secrets);
  }
  const { status, stderr } = await runOrrery([
    ...['export', '--org', String(orgId), '--person', person.id, '--database-url', service.databaseUrl],
  ]);
  expect([status, stderr]).toEqual([12, expect.stringContaining('neither live nor in the trash')]);
});

test('a copy that a client keeps in sync loses it, and a new one never has it', async () => {
  const person = await live('hope');
  const store = new MemoryStore();
  const follow = async (into: MemoryStore) => {
    const options = { objectTypes: ['svc_contact', 'svc_note'], associations: ['svc_note_to_contact'], store: into };
    for await (const { isCaughtUp } of sync(createClient({ url: other.url, key }), options)) if (isCaughtUp) return;
  };
  await follow(store);
  expect(store.records.get(person.id)?.properties).toMatchObject({ svc_first_name: person.secrets.values[0] });
  await erase(client, person.id);
  await follow(store);
  const fresh = new MemoryStore();
  await follow(fresh);
  for (const copy of [store, fresh]) {
    expect(copy.records.has(person.id)).toBe(false);
    expectNothing(JSON.stringify([...copy.records.values()]), person.secrets);
    expect(JSON.stringify([...copy.links].map(([id, types]) => [id, ...types.values()]))).not.toContain(person.id);
  }
  expect([...store.records.keys()].toSorted()).toEqual([...fresh.records.keys()].toSorted());
  // A copy that begins with the feed itself ends with the same records.
  const ends = liveAfter(await changesSince(client, 'earliest', { object_type: 'svc_contact' }));
  expect([...ends].toSorted()).toEqual(
    [...store.records.values()]
      .filter((each) => each.object_type === 'svc_contact')
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('members who saw it are told that it is gone, and others are told nothing', async () => {
  const [owner, stranger] = [await service.createUser(orgId), await service.createUser(orgId)];
  const clientOf = async (userId: string) =>
    service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
  const [seeing, blind] = [await clientOf(owner), await clientOf(stranger)];
  const secrets = new Secrets('iris');
  const person = await make(seeing, 'svc_contact', { svc_first_name: secrets.word('name') });
  const path = `${recordsPath('svc_contact')}${person.id}/associations/svc_record_to_org/${orgId}/`;
  expect((await seeing.delete(path)).status).toBe(200);
  const places = await Promise.all(
    [seeing, blind].map(
      async (each) => (await each.get(changesPath({ cursor: 'latest' }))).body.pagination?.next_cursor ?? '',
    ),
  );
  await erase(client, person.id);
  const told = (caller: Client, place: string | undefined) =>
    changesSince(caller, place ?? '').then((entries) =>
      entries.filter(({ record_id }) => record_id === person.id).map(({ type }) => type),
    );
  expect(await told(seeing, places[0])).toEqual(['record.deleted']);
  expect(await told(blind, places[1])).toEqual([]);
});
