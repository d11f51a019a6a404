// Changes to what a copy contains, while it is kept: the schema, the requested types, and what the key can see. Links are
// read in their current state, which can be ahead of the entries that caused the read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, MemoryStore, type SyncOptions, sync } from '../../client/main.ts';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { checkedClient, checkedFetch } from '../support/client/harness.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let key: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  await service.applySchema(orgId, { object_types: [{ ...person, name: 'pilot' }] });
  ({ key } = await service.createKey(orgId));
  client = checkedClient(service, key);
});
afterAll(() => service.stop());

const person = { label: 'Person', kind: 'person', properties: [] };

async function catchUp(options: SyncOptions, reader = client): Promise<void> {
  for await (const { isCaughtUp } of sync(reader, options)) if (isCaughtUp) return;
}

/** A note that is linked to a person. */
async function linkedNote(target: string): Promise<string> {
  const associations = [{ association_type: 'svc_note_to_contact', target_id: target }];
  return (await client.records('svc_note').create({ svc_title: 'Met' }, { associations })).data.id;
}

test('links to a type that was added to the schema later are removed and restored with its records', async () => {
  const store = new MemoryStore();
  const wanted = { objectTypes: ['svc_note'], associations: ['svc_note_to_contact'], store, waitSeconds: 1 };
  const running = sync(client, wanted);
  const next = async () => {
    for (;;) if ((await running.next()).value?.isCaughtUp) return;
  };
  await next();
  await service.applySchema(orgId, { object_types: [{ ...person, name: 'crew' }] });
  await sleep(bounds.engine.cacheTrustedMs + 100);
  const [sailor, captain] = [
    (await client.records('crew').create({})).data.id,
    (await client.records('crew').create({})).data.id,
  ];
  const met = await linkedNote(sailor);
  const missed = await linkedNote(captain);
  // The link to the captain is never read while it exists.
  await client.records('crew').delete(captain);
  await next();
  const targets = (id: string) => store.links.get(id)?.get('svc_note_to_contact');
  expect([targets(met), targets(missed)]).toEqual([[sailor], []]);
  await client.records('crew').delete(sailor);
  await client.batch([{ operation: 'restore', object_type: 'crew', id: captain }]);
  await next();
  expect([targets(met), targets(missed)]).toEqual([[], [captain]]);
  await running.return();
});

test('links that are no longer requested are removed from the copy', async () => {
  const company = (await client.records('svc_company').create({ svc_name: 'Analytical Engines' })).data.id;
  const associations = [{ association_type: 'svc_deal_to_company', target_id: company }];
  const deal = (await client.records('svc_deal').create({}, { associations })).data.id;
  const store = new MemoryStore();
  const objectTypes = ['svc_deal'];
  await catchUp({ objectTypes, associations: ['svc_deal_to_company', 'svc_deal_to_contact'], store });
  expect(store.links.get(deal)?.get('svc_deal_to_company')).toEqual([company]);
  await catchUp({ objectTypes, associations: ['svc_deal_to_contact'], store });
  expect([...(store.links.get(deal)?.values() ?? [])].flat()).toEqual([]);
  await catchUp({ objectTypes, associations: ['svc_deal_to_company'], store });
  expect(store.links.get(deal)?.get('svc_deal_to_company')).toEqual([company]);
  // The feed does not say who can see a timer, so these links cannot be copied.
  const timers = catchUp({ objectTypes: ['svc_stage_timer'], associations: ['svc_record_to_org'], store });
  await expect(timers).rejects.toThrow('svc_stage_timer is not the source of an association type "svc_record_to_org".');
});

test('a key that no longer sees one of the types is refused, and one that sees more targets of links loads again', async () => {
  const seen = (...types: readonly string[]) =>
    service.createKey(orgId, { grants: [{ objectTypes: types, operations: ['read'] }] });
  const contact = (await client.records('svc_contact').create({})).data.id;
  const note = await linkedNote(contact);
  const pilot = (await client.records('pilot').create({})).data.id;
  await client.records('svc_note').putAssociation(note, 'svc_note_to_contact', pilot);
  const options = {
    objectTypes: ['svc_note', 'svc_deal'],
    associations: ['svc_note_to_contact'],
    store: new MemoryStore(),
  };
  const few = await seen('svc_note', 'svc_deal', 'svc_contact');
  await catchUp(options, checkedClient(service, few.key));
  expect(options.store.links.get(note)?.get('svc_note_to_contact')).toEqual([contact]);
  await catchUp(options);
  expect(options.store.links.get(note)?.get('svc_note_to_contact')).toEqual([contact, pilot]);
  const alone = { objectTypes: ['svc_note', 'svc_deal'], store: new MemoryStore() };
  await catchUp(alone);
  const fewer = checkedClient(service, (await seen('svc_note')).key);
  await expect(catchUp(alone, fewer)).rejects.toMatchObject({ reason: 'object_type_unknown' });
});

test('links that were read while their record was restored for a moment are removed with it', async () => {
  const contact = (await client.records('svc_contact').create({})).data.id;
  const note = await linkedNote(contact);
  const notes = client.records('svc_note');
  const store = new MemoryStore();
  const options = { objectTypes: ['svc_note'], associations: ['svc_note_to_contact'], store };
  await catchUp(options);
  await notes.deleteAssociation(note, 'svc_note_to_contact', contact);
  await notes.putAssociation(note, 'svc_note_to_contact', contact);
  await notes.delete(note);
  const checked = checkedFetch(service, key);
  let restored: Promise<unknown> | undefined;
  const meddling = checkedClient(service, key, {
    fetch: async (address, init) => {
      if (address.endsWith('/query/')) {
        restored ??= client.batch([{ operation: 'restore', object_type: 'svc_note', id: note }]);
        await restored;
      }
      return checked(address, init);
    },
  });
  for await (const { upserts, deletes } of sync(meddling, options)) if (upserts.length + deletes.length > 0) break;
  expect(restored).toBeDefined();
  await notes.delete(note);
  await catchUp(options);
  expect([store.records.has(note), store.links.has(note)]).toEqual([false, false]);
});
