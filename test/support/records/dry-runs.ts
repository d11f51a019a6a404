// Dry runs of every operation that writes.
import { newId } from '../../../src/base/id.ts';
import { atomicItems, contacts, create, free, patch, type Send, type World } from './refusal-world.ts';

export const dry = { 'svc-dry-run': 'true' };
const allOfIt = (w: World) =>
  (atomicItems(w, { operation: 'delete', object_type: 'svc_deal', id: w.deal }) as { operations: unknown[] })
    .operations;

export const dryRuns: readonly (readonly [string, number, Send])[] = [
  [
    'create with links',
    201,
    (w) => {
      const associations = [{ association_type: 'svc_contact_to_company', target_id: w.company }];
      return create(w, { properties: { svc_email: free }, associations }, 'svc_contact', dry);
    },
  ],
  ['create', 201, (w) => create(w, { properties: { svc_email: free } }, 'svc_contact', dry)],
  ['update', 200, (w) => patch(w, { svc_email: free, svc_last_name: null }, dry)],
  ['update with If-Match', 200, (w) => patch(w, { svc_email: free }, { ...dry, 'if-match': '"1"' })],
  ['update that changes nothing', 200, (w) => patch(w, { svc_last_name: 'ada' }, dry)],
  ['delete', 200, ({ client, ada }) => client.delete(`${contacts}${ada}/`, dry)],
  [
    'upsert that creates',
    201,
    ({ client }) => client.put(`${contacts}?match=svc_email`, { properties: { svc_email: free } }, dry),
  ],
  [
    'upsert that updates',
    200,
    ({ client }) =>
      client.put(`${contacts}?match=svc_email`, { properties: { svc_email: ['ada@example.com', ...free] } }, dry),
  ],
  ['batch of everything', 200, (w) => w.client.post('/batch/', { operations: allOfIt(w) }, dry)],
  ['atomic batch of everything', 200, (w) => w.client.post('/batch/', { atomic: true, operations: allOfIt(w) }, dry)],
  [
    'batch that fails in part',
    207,
    (w) =>
      w.client.post(
        '/batch/',
        { operations: [...allOfIt(w), { operation: 'restore', object_type: 'svc_contact', id: w.trashed }] },
        dry,
      ),
  ],
  [
    'create with an Idempotency-Key',
    201,
    (w) => create(w, { properties: {} }, 'svc_contact', { ...dry, 'idempotency-key': newId() }),
  ],
];
