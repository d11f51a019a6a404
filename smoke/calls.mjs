// Runs in a project that has installed the packages, on each Node: one call of every kind, each with its answer checked.
// The address of the service and the key are in ORRERY_URL and ORRERY_KEY. Prints the version of Node that ran it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createClient, MemoryStore, OrreryProblem, sync } from '@orrery/client';
import * as ofTheService from 'orrery/client';

assert.equal(createRequire(import.meta.url)('@orrery/client').createClient, createClient);
assert.equal(ofTheService.createClient.name, 'createClient');

const client = createClient({ url: process.env.ORRERY_URL, key: process.env.ORRERY_KEY });
assert.equal((await client.getRoot()).data.version, 'v1');
assert.equal((await client.getSelf()).data.org_id, 1);
assert.ok((await client.listObjectTypes()).data.some(({ name }) => name === 'svc_contact'));

const contacts = client.records('svc_contact');
const { data: ada } = await contacts.create({ svc_last_name: 'Lovelace', svc_email: ['ada@example.com'] });
const changed = await contacts.update(ada.id, { svc_job_title: 'Analyst' }, { ifMatch: ada.version });
assert.equal((await contacts.get(ada.id)).etag, `"${changed.data.version}"`);
await assert.rejects(
  contacts.update(ada.id, { svc_job_title: 'Countess' }, { ifMatch: ada.version }),
  (error) => error instanceof OrreryProblem && error.reason === 'version_mismatch',
);
const again = await contacts.upsert('svc_email', { svc_email: ['ada@example.com'], svc_first_name: 'Ada' });
assert.equal(again.data.id, ada.id);

const { data: batch } = await client.batch([
  { operation: 'create', object_type: 'svc_company', properties: { svc_name: 'Engines' }, ref: 'works' },
  {
    operation: 'associate',
    object_type: 'svc_contact',
    id: ada.id,
    association_type: 'svc_contact_to_company',
    target_id: { ref: 'works' },
  },
]);
assert.equal(batch.succeeded, 2);
const [company] = await contacts.listAssociated(ada.id, 'svc_contact_to_company').toArray(1);
assert.equal(company.properties.svc_name, 'Engines');

const filter = { property: 'svc_last_name', operator: 'starts_with', value: 'love' };
const found = await contacts.query({ filter, include: ['svc_contact_to_company'] }).toArray(10);
assert.equal(found[0].associations.svc_contact_to_company.items[0].id, company.id);
const { data: groups } = await contacts.aggregate({ aggregations: [{ function: 'count' }] }).first();
assert.deepEqual(groups, [{ key: [], values: { count: '1' } }]);

const written = await contacts.update(ada.id, { svc_job_title: 'Countess' });
assert.equal((await client.revert({ requestId: written.requestId })).data.counts.reverted, 1);

const store = new MemoryStore();
for await (const { isCaughtUp } of sync(client, { objectTypes: ['svc_contact'], store })) if (isCaughtUp) break;
assert.equal(store.records.get(ada.id).properties.svc_job_title, 'Analyst');
await contacts.delete(ada.id);
const changes = await client.listChanges({ objectType: 'svc_contact' }).toArray(100);
assert.equal(changes.at(-1).type, 'record.deleted');

process.stdout.write(process.versions.node);
