// Undo of platform records obeys every rule of theirs: a schema goes and comes back, a key that is revoked stays so, and
// nobody gives more than they have by taking something back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { findingsIn } from '../support/integrity.ts';
import { administeredOrg, auditOf, makeKey } from '../support/platform/administrator.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { requestOf, revert } from '../support/undo/revert.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  await service.stop();
});

const typeBatch = {
  atomic: true,
  operations: [
    {
      operation: 'create',
      object_type: 'svc_object_type',
      ref: 'type',
      properties: { svc_name: 'ship', svc_label: 'Ship', svc_title_property: 'call_sign' },
    },
    {
      operation: 'create',
      object_type: 'svc_property',
      properties: { svc_name: 'tons', svc_label: 'Tons', svc_field_type: 'number' },
      associations: [{ association_type: 'svc_property_to_object_type', target_id: { ref: 'type' } }],
    },
    {
      operation: 'create',
      object_type: 'svc_property',
      ref: 'sign',
      properties: { svc_name: 'call_sign', svc_label: 'Call sign', svc_field_type: 'text' },
      associations: [{ association_type: 'svc_property_to_object_type', target_id: { ref: 'type' } }],
    },
    {
      operation: 'create',
      object_type: 'svc_association_type',
      properties: {
        svc_name: 'ship_to_company',
        svc_source: 'ship',
        svc_target: 'svc_company',
        svc_cardinality: 'many_to_one',
      },
    },
  ],
};

test('a type with a property goes with its request, and comes back when that is taken back', async () => {
  const made = await admin.post('/batch/', typeBatch);
  expect(made.status, made.text).toBe(200);
  const ids: readonly string[] = made.body.data.results.map(({ id }: { id: string }) => id);
  const undo = await admin.post('/batch/', { operations: [{ operation: 'revert', request_id: requestOf(made) }] });
  expect(undo.body.data.results[0].reverted.map(({ id }: { id: string }) => id)).toEqual(ids);
  await expect.poll(async () => (await admin.get('/objects/ship/')).status).toBe(404);
  const told = await revert(admin, requestOf(undo));
  expect([[...told.reverted].sort(), told.kept, told.refused]).toEqual([[...ids].sort(), [], []]);
  await expect.poll(async () => (await admin.get('/objects/ship/')).status).toBe(200);
  const { body } = await admin.get('/objects/ship/');
  expect(body.data.properties.map(({ name }: { name: string }) => name)).toContain('tons');
});

test('what was changed and deleted comes back as it was, in the schema as well', async () => {
  const { body } = await admin.get(`${recordsPath('svc_object_type')}?limit=200`);
  const type = (body.data as RecordData[]).find(({ properties }) => properties['svc_name'] === 'ship') as RecordData;
  const ofType = `${pathOfRecord(type)}associations/svc_property_to_object_type/?limit=50`;
  const properties = (await admin.get(ofType)).body.data as RecordData[];
  const tons = properties.find(({ properties: values }) => values['svc_name'] === 'tons') as RecordData;
  const changed = await admin.post('/batch/', {
    operations: [
      { operation: 'update', object_type: 'svc_property', id: tons.id, properties: { svc_label: 'Weight' } },
      { operation: 'delete', object_type: 'svc_property', id: tons.id },
    ],
  });
  expect(changed.status, changed.text).toBe(200);
  expect(await revert(admin, requestOf(changed))).toEqual({ reverted: [tons.id], kept: [], refused: [] });
  const labelOf = async () => {
    const { body: described } = await admin.get('/objects/ship/');
    return described.data?.properties.find(({ name }: { name: string }) => name === 'tons')?.label;
  };
  await expect.poll(labelOf).toBe('Tons');

  const gone = await admin.delete(pathOfRecord(type));
  expect(gone.status, gone.text).toBe(200);
  const told = await revert(admin, requestOf(gone));
  expect(told.refused).toEqual([]);
  expect(told.reverted).toContain(type.id);
  expect(told.reverted).toContain(tons.id);
  await expect.poll(labelOf).toBe('Tons');
});

test('a type that has records stays, and that is told', async () => {
  const made = await admin.post('/batch/', {
    operations: [
      { operation: 'create', object_type: 'svc_object_type', properties: { svc_name: 'port', svc_label: 'Port' } },
    ],
  });
  const [{ id }] = made.body.data.results;
  await expect.poll(async () => (await admin.get('/objects/port/')).status).toBe(200);
  await make(admin, 'port');
  expect(await revert(admin, requestOf(made))).toEqual({ reverted: [], kept: [], refused: [`${id} type_in_use`] });
});

test('a key that was made is revoked, and one that was revoked stays so', async () => {
  const answer = await admin.post(recordsPath('svc_access_key'), {
    properties: { svc_name: 'short-lived', svc_grants: ['svc_deal:read'] },
  });
  const { id, properties } = answer.body.data as RecordData;
  const user = service.client(String(properties['svc_key']));
  expect((await user.get('/self/')).status).toBe(200);
  expect((await revert(admin, requestOf(answer))).reverted).toEqual([id]);
  await expect.poll(async () => (await user.get('/self/')).status).toBe(401);

  const key = await makeKey(admin, { grants: ['svc_deal:read'] });
  const gone = await admin.delete(pathOfRecord(key));
  expect(await revert(admin, requestOf(gone))).toEqual({ reverted: [], kept: [], refused: [`${key.id} key_revoked`] });
  expect((await service.client(key.key).get('/self/')).status).toBe(401);
});

test('nobody gives more than they have by taking something back', async () => {
  const key = await makeKey(admin, { grants: ['*:read,create,update,delete,associate'] });
  const narrowed = await admin.patch(pathOfRecord(key), { properties: { svc_grants: ['svc_deal:read'] } });
  const { key: lesser } = await makeKey(admin, {
    grants: ['svc_deal:read', 'svc_access_key:read,create,update,delete'],
  });
  expect(await revert(service.client(lesser), requestOf(narrowed))).toEqual({
    reverted: [],
    kept: [],
    refused: [`${key.id} grant_exceeds_caller`],
  });
  expect((await revert(admin, requestOf(narrowed))).reverted).toEqual([key.id]);
});

test('a revert is in the audit once, with the request that it took back; one that changes nothing is not', async () => {
  const deal = await make(admin, 'svc_deal', { svc_name: 'Audited' });
  const changed = await admin.patch(pathOfRecord(deal), { properties: { svc_name: 'Changed' } });
  await revert(admin, requestOf(changed));
  await revert(admin, requestOf(changed));
  const detail = `request ${requestOf(changed)}`;
  const noted = (await auditOf(admin)).filter(({ properties }) => properties['svc_detail'] === detail);
  expect(noted.map(({ properties }) => properties['svc_action'])).toEqual(['request.reverted']);
});
