// The trash as the console reads it from the change feed: the last deletion first however long the feed is, read once, and then only
// what is new.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../client/main.ts';
import { TrashReader, trashBounds } from '../../console/pages/settings/operation/trash-data.ts';
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

const titles = (reader: TrashReader) => reader.trash().deleted.map(({ title }) => title);
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

  const reader = new TrashReader(client, '');
  const told: (number | undefined)[] = [];
  trashBounds.tellMs = 0;
  reader.subscribe(() => told.push(reader.trash().reading?.share));
  await reader.readOn(types);
  expect(titles(reader)).toEqual(['Katherine Last', 'Nordlys', 'Grace First']);
  expect(reader.trash()).toMatchObject({ reading: undefined, isCut: false, error: undefined });
  // It has said how far it was.
  expect(told.length).toBeGreaterThan(3);
  expect(told.at(-1)).toBeUndefined();

  const before = pages();
  await client.batch([{ operation: 'restore', object_type: 'svc_contact', id: first.data.id }], { atomic: true });
  await reader.readOn(types);
  expect(titles(reader)).toEqual(['Katherine Last', 'Nordlys']);
  await contacts.delete(first.data.id);
  await reader.readOn(types);
  expect(titles(reader)).toEqual(['Grace First', 'Katherine Last', 'Nordlys']);
  // A page with the news, and one without any, each time.
  expect(pages() - before).toBe(4);
  const ofType = new TrashReader(client, 'svc_company');
  await ofType.readOn(types);
  expect(titles(ofType)).toEqual(['Nordlys']);
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
  const unread = new TrashReader(broken, '');
  await unread.readOn(types);
  expect(unread.trash().error).toBeInstanceOf(Error);
  isDown = false;
  await unread.readOn(types);
  expect(unread.trash()).toMatchObject({ deleted: [], error: undefined, reading: undefined });

  const reader = new TrashReader(client, '');
  await reader.readOn(types);
  expect(titles(reader)).toEqual(['Three', 'Two']);
  expect(reader.trash().isCut).toBe(true);
});
