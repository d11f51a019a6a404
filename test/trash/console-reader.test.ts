// The trash as the console reads it from the change feed: the last deletion first however long the feed is, read once, only while
// somebody looks at it, and then only what is new.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../client/main.ts';
import { TrashReaders, trashBounds } from '../../console/pages/settings/operation/trash-data.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
const usual = { ...trashBounds };
beforeAll(async () => {
  service = await startService();
});
afterEach(() => void Object.assign(trashBounds, usual));
afterAll(() => service.stop());

interface Counted {
  readonly client: Client;
  /** Pages of the feed that were asked for. */
  readonly pages: () => number;
}

async function newOrg(): Promise<Counted> {
  const { key } = await service.createKey(await service.createOrg({ quota: 1_000_000, windowSeconds: 60 }));
  let pages = 0;
  const client = createClient({
    url: service.url,
    key,
    fetch: (address, init) => {
      if (address.includes('/changes/')) pages++;
      return fetch(address, init);
    },
  });
  return { client, pages: () => pages };
}

async function people(client: Client, count: number): Promise<void> {
  const operations = Array.from({ length: count }, (_, index) => ({
    operation: 'create' as const,
    object_type: 'svc_contact',
    properties: { svc_first_name: 'Ada', svc_last_name: `Number ${index}` },
  }));
  await client.batch(operations, { atomic: true });
}

type Reader = ReturnType<TrashReaders['of']>;

/** Somebody looks at it until it is read. It is asked to read twice, so it asks for the end of the feed twice. */
async function read(reader: Reader): Promise<Reader> {
  const leave = reader.subscribe(() => {});
  await reader.readOn();
  leave();
  return reader;
}

const titles = (reader: Reader) => reader.trash().deleted.map(({ title }) => title);
const typesOf = async (client: Client) => (await client.listObjectTypes()).data;

test('what was deleted today comes first, however much has happened before; then only what is new is read', async () => {
  const { client, pages } = await newOrg();
  const types = await typesOf(client);
  const contacts = client.records('svc_contact');
  const [first, last] = [
    await contacts.create({ svc_first_name: 'Grace', svc_last_name: 'First' }),
    await contacts.create({ svc_first_name: 'Katherine', svc_last_name: 'Last' }),
  ];
  const { data: company } = await client.records('svc_company').create({ svc_name: 'Nordlys' });
  await contacts.delete(first.data.id);
  for (let times = 0; times < 3; times++) await people(client, 1_000);
  await client.records('svc_company').delete(company.id);
  await contacts.delete(last.data.id);

  const readers = new TrashReaders(client, types);
  const reader = readers.of('');
  const told: (number | undefined)[] = [];
  trashBounds.tellMs = 0;
  reader.subscribe(() => told.push(reader.trash().reading?.share));
  await reader.readOn();
  expect(titles(reader)).toEqual(['Katherine Last', 'Nordlys', 'Grace First']);
  expect(reader.trash()).toMatchObject({ reading: undefined, isCut: false, error: undefined });
  // It has said how far it was.
  expect(told.length).toBeGreaterThan(3);
  expect(told.at(-1)).toBeUndefined();

  const before = pages();
  await client.batch([{ operation: 'restore', object_type: 'svc_contact', id: first.data.id }], { atomic: true });
  await reader.readOn();
  expect(titles(reader)).toEqual(['Katherine Last', 'Nordlys']);
  await contacts.delete(first.data.id);
  await reader.readOn();
  expect(titles(reader)).toEqual(['Grace First', 'Katherine Last', 'Nordlys']);
  // A page with the news, and one without any, each time.
  expect(pages() - before).toBe(4);
  // One type begins with what was read of all, so that only the end of the feed is asked for.
  expect(titles(await read(readers.of('svc_company')))).toEqual(['Nordlys']);
  expect(pages() - before).toBe(6);
  const alone = await read(new TrashReaders(client, types).of('svc_company'));
  expect(titles(alone)).toEqual(['Nordlys']);
  expect(pages() - before).toBe(9);
});

test('it is read only while somebody looks, and goes on where it was', async () => {
  const { client, pages } = await newOrg();
  const types = await typesOf(client);
  for (let times = 0; times < 3; times++) await people(client, 1_000);
  const { data: company } = await client.records('svc_company').create({ svc_name: 'Nordlys' });
  await client.records('svc_company').delete(company.id);
  trashBounds.tellMs = 0;
  const reader = new TrashReaders(client, types).of('');
  await reader.readOn();
  expect(pages()).toBe(0);
  const leave = reader.subscribe(() => leave());
  await reader.readOn();
  expect(pages()).toBe(1);
  expect(reader.trash()).toMatchObject({ deleted: [], error: undefined, reading: { share: expect.any(Number) } });
  // Three more pages, and the end twice.
  await read(reader);
  expect(pages()).toBe(6);
  expect(titles(reader)).toEqual(['Nordlys']);
  // Somebody who leaves and comes back at once is not forgotten.
  const { data: other } = await client.records('svc_company').create({ svc_name: 'Brightwater' });
  await client.records('svc_company').delete(other.id);
  reader.subscribe(() => {})();
  await read(reader);
  expect(titles(reader)).toEqual(['Brightwater', 'Nordlys']);
  expect(reader.trash()).toMatchObject({ error: undefined, reading: undefined });
});

test('what was restored leaves the list at once, and comes back only if it is deleted again', async () => {
  const { client } = await newOrg();
  const types = await typesOf(client);
  const companies = client.records('svc_company');
  const { data: company } = await companies.create({ svc_name: 'Nordlys' });
  const restore = () =>
    client.batch([{ operation: 'restore', object_type: 'svc_company', id: company.id }], { atomic: true });
  await companies.delete(company.id);
  const readers = new TrashReaders(client, types);
  const [all, ofType] = [await read(readers.of('')), await read(readers.of('svc_company'))];
  // Meanwhile it came back and was deleted once more.
  await restore();
  await companies.delete(company.id);
  const { data } = await restore();
  readers.leave(company.id, data.results[0]?.version);
  expect([titles(all), titles(ofType)]).toEqual([[], []]);
  const shown: number[] = [];
  trashBounds.tellMs = 0;
  all.subscribe(() => shown.push(all.trash().deleted.length));
  await all.readOn();
  expect(Math.max(...shown)).toBe(0);
  await companies.delete(company.id);
  await all.readOn();
  expect(titles(all)).toEqual(['Nordlys']);
  // What is not in the trash any more is not found, by which the page knows that it was purged.
  await restore();
  const nobody = { operation: 'restore' as const, object_type: 'svc_company', id: crypto.randomUUID() };
  await expect(client.batch([nobody], { atomic: true })).rejects.toMatchObject({ code: 'not_found' });
});

test('only the last deletions are kept, which is said, and what cannot be read can be read later', async () => {
  const { client } = await newOrg();
  const types = await typesOf(client);
  const companies = client.records('svc_company');
  for (const name of ['One', 'Two', 'Three']) {
    const { data } = await companies.create({ svc_name: name });
    await companies.delete(data.id);
  }
  trashBounds.deleted = 2;
  let isDown = true;
  const { key } = await service.createKey(await service.createOrg());
  const broken = createClient({
    url: service.url,
    key,
    attempts: 1,
    fetch: (address, init) => {
      if (isDown) throw new TypeError('fetch failed');
      return fetch(address, init);
    },
  });
  const unread = await read(new TrashReaders(broken, types).of(''));
  expect(unread.trash().error).toBeInstanceOf(Error);
  isDown = false;
  await read(unread);
  expect(unread.trash()).toMatchObject({ deleted: [], error: undefined, reading: undefined });

  const reader = await read(new TrashReaders(client, types).of(''));
  expect(titles(reader)).toEqual(['Three', 'Two']);
  expect(reader.trash().isCut).toBe(true);
});
